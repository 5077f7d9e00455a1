"""Reading what Prometheus would read, with prometheus-client's own parser."""

from typing import Any

import requests
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scrape(address: str, accept: str = "text/plain") -> str:
    answer = requests.get(f"http://{address}/metrics", headers={"Accept": accept}, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.text


def samples(text: str) -> Samples:
    """(name, labels) -> value of the text format; a duplicate series is an error."""
    found: Samples = {}
    for family in plain(text):
        for sample in family.samples:
            key = sample.name, frozenset(sample.labels.items())
            assert key not in found, key
            found[key] = sample.value
    return found


def value(text: str, name: str, **labels: str) -> float:
    """The sum of the series of `name` that have `labels`; 0 when there is none."""
    wanted = frozenset(labels.items())
    return sum(number for (found, has), number in samples(text).items() if found == name and wanted <= has)


def exemplars(text: str, name: str) -> list[Any]:
    """The exemplars on the samples called `name`, of the OpenMetrics format."""
    families = open_metrics(text)
    return [one.exemplar for family in families for one in family.samples if one.name == name and one.exemplar]
