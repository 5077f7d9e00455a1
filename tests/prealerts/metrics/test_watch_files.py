"""The alert rules and the dashboard name only what /metrics shows, by labels and words that it uses."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.metrics import MetricWrapperBase

import prealerts.middleware
import shipments.instruments
import shipments.work.loop
import webhooks.dispatcher.loop
from prealerts.metrics.exposition import Disk, Waiting
from shipments.work.chores import Chores
from tools.catalogue import answered_errors
from webhooks.models import State
from webhooks.verdicts import Failure

DOCKER = Path(__file__).resolve().parent.parent.parent.parent / "docker"
ALERTS, DASHBOARD = DOCKER / "prometheus" / "alerts.yml", DOCKER / "grafana" / "prealerts.json"
APPS = (prealerts.middleware, shipments.instruments, shipments.work.loop, webhooks.dispatcher.loop)
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
OUTCOMES = {
    "prealerts_webhook_deliveries_total": {"delivered", *Failure.values, State.ABANDONED, State.CANCELLED},
    "prealerts_pre_alerts_total": {"created", *(kind.code for kind in answered_errors())},
}

pytestmark = pytest.mark.django_db


def exposed() -> dict[str, set[str]]:
    """The series that are shown, by name, with their labels."""
    found: dict[str, set[str]] = {}
    instruments = {value for app in APPS for value in vars(app).values() if isinstance(value, MetricWrapperBase)}
    assert instruments
    for instrument in instruments:
        (family,) = instrument.collect()
        labels = set(instrument._labelnames)
        found |= {family.name + ending: labels for ending in SUFFIXES[family.type]}
    found |= {
        family.name + SUFFIXES[family.type][0]: {
            *getattr(family, "_labelnames", ()),
            *(name for sample in family.samples for name in sample.labels),
        }
        for collector in (Waiting(), Disk(), Chores())
        for family in _collected(collector)
    }
    return found


def _collected(collector: Any) -> Iterator[Metric]:
    registry = CollectorRegistry()
    registry.register(collector)
    yield from registry.collect()


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def queries() -> list[str]:
    """Every expression of both files."""
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return [rule["expr"] for rule in rules()] + [
        target["expr"] for panel in panels for target in panel.get("targets", ())
    ]


def selectors(query: str) -> Iterator[tuple[str, str]]:
    """(metric, contents of its braces) of a query."""
    yield from re.findall(r"\b(prealerts_\w+)(?:\{([^}]*)\})?", query)


def test_every_metric_that_is_named_is_shown_with_these_labels() -> None:
    shown = exposed()
    named = [selector for query in queries() for selector in selectors(query)]
    assert {metric for metric, _braces in named} - shown.keys() == set()
    for metric, braces in named:
        asked = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", braces))
        assert asked <= shown[metric], (metric, asked)


def test_every_metric_that_is_shown_is_on_the_dashboard_or_in_an_alert() -> None:
    named = " ".join(queries())
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in exposed()}
    assert {family for family in families if family not in named} == set()


def test_groups_by_labels_that_are_there() -> None:
    shown = exposed()
    for query in queries():
        labels = set().union(*(shown[metric] for metric, _braces in selectors(query)), {"le"})
        for names in re.findall(r"\bby \(([^)]*)\)", query):
            assert {name.strip() for name in names.split(",")} <= labels, query


def test_outcomes_are_reported_in_words_that_occur() -> None:
    for query in queries():
        for metric, braces in selectors(query):
            for words in re.findall(r'outcome(?:=~|!~|!=|=)"([^"]*)"', braces):
                assert set(words.split("|")) <= OUTCOMES[metric], query


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    assert len(rules()) > 10
    for rule in rules():
        assert rule["labels"]["severity"] in {"warning", "critical"}, rule["alert"]
        assert rule["annotations"].keys() == {"summary", "action"}, rule["alert"]


def test_no_two_panels_share_an_id_or_a_place() -> None:
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool comes with Debian's package prometheus")
def test_prometheus_itself_takes_the_rules_and_the_queries(tmp_path: Path) -> None:
    as_rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(queries())
    ]
    panels = tmp_path / "panels.yml"
    panels.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": as_rules}]}), encoding="utf-8")
    for file in (ALERTS, panels):
        checked = subprocess.run(["promtool", "check", "rules", str(file)], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr
