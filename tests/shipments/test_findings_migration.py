"""What earlier versions stored: cut to the bound in parts, then turned from sentences into code and parameters."""

import re
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from shipments.models import Manifest
from shipments.wording.rendering import sentences_of
from shipments.wording.stored import answered_notice, answered_warning
from tests.books import workbook_bytes
from tests.conftest import Caller

pytestmark = pytest.mark.django_db

cutting = import_module("shipments.migrations.0006_bounded_findings")
turning = import_module("shipments.migrations.0007_findings_as_codes")


def cut() -> None:
    cutting.cut(apps, SimpleNamespace(connection=connection))


def warning(row_index: int, code: str = "rut_invalid_format") -> dict[str, Any]:
    return {"row_index": row_index, "hawb": f"H{row_index}", "field": "consignee_rut", "error_code": code,
            "severity": "warning", "message": "The RUT is missing."}  # fmt: skip


def notice(row_index: int | None, code: str = "hawb_rows_merged") -> dict[str, Any]:
    return {"code": code, "message": "Merged.", "row_index": row_index, "hawb": None}


def stored(caller: Caller, mawb: str, warnings: list[dict[str, Any]], notices: list[dict[str, Any]]) -> Manifest:
    assert caller.upload(workbook_bytes(mawb=mawb)).status_code == 201
    kept = Manifest.objects.get(company=caller.company, mawb=mawb)
    kept.warnings, kept.notices, kept.rut_invalid_count = warnings, notices, len(warnings)
    kept.save()
    return kept


def test_what_is_stored_beyond_the_bound_is_cut_and_the_rest_stays(
    acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "BATCH_MANIFESTS", 2)  # several parts
    short = [stored(caller, f"045-1234567{digit}", [warning(4)], [notice(None)]) for caller, digit in
             ((acme, 5), (rival, 6), (rival, 5))]  # fmt: skip
    long = stored(
        acme, "045-76543213", [warning(row) for row in range(3_000, 0, -1)], [notice(4), notice(None, "sheet_ignored")]
    )
    many = stored(rival, "045-76543213", [], [notice(row) for row in range(1_500)])
    for _again in range(2):  # a run that was stopped is finished by the next
        cut()
        long.refresh_from_db()
        assert [each["row_index"] for each in long.warnings] == list(range(1, 1_001))
        assert [each["code"] for each in long.notices] == ["warnings_omitted", "sheet_ignored", "hawb_rows_merged"]
        assert "2,000 more" in long.notices[0]["message"]
        assert long.rut_invalid_count == 3_000
        many.refresh_from_db()
        assert len(many.notices) == 1_000
        assert many.notices[0]["code"] == "notices_omitted"
        assert "501 more" in many.notices[0]["message"]
        for each in short:
            each.refresh_from_db()
            assert (each.warnings, each.notices) == ([warning(4)], [notice(None)])


# --- sentences become code and parameters -----------------------------------------------------------------------


@pytest.mark.parametrize(("template", "key"), turning.SENTENCES)
def test_each_sentence_that_was_written_is_recognised_with_its_parameters(template: str, key: str) -> None:
    numbers = set(re.findall(r"\{(\w+)#\}", template))
    names = set(re.findall(r"\{(\w+)#?\}", template))
    params = {name: 12_345 if name in numbers else f"Hoja {name}, 3 ..." for name in names}
    message = re.sub(r"\{(\w+)#\}", "12,345", template).format(**{name: f"Hoja {name}, 3 ..." for name in names})
    turned = turning.turned({**warning(4, "scheduled_arrival_ignored"), "message": message})
    assert turned == {
        "row_index": 4, "hawb": "H4", "field": "consignee_rut", "code": "scheduled_arrival_ignored",
        "sentence": key or "scheduled_arrival_ignored", "params": params,
    }  # fmt: skip
    assert names == set().union(*(sentence.parameters for sentence in sentences_of(turned["sentence"])))
    assert turning.turned(turned) == turned


def test_what_nobody_recognises_keeps_its_words_and_what_was_erased_stays_erased() -> None:
    odd = {**notice(None, "sheet_ignored"), "message": "Somebody's own words."}
    assert turning.turned(odd) == {
        "row_index": None, "hawb": None, "code": "sheet_ignored", "params": {}, "legacy_text": "Somebody's own words.",
    }  # fmt: skip
    erased = turning.turned({**warning(4), "message": ""})
    assert (erased["sentence"], erased["params"]) == ("rut_invalid_format", {})


def test_manifests_and_guides_are_turned_in_parts(acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turning, "BATCH_MANIFESTS", 1)
    monkeypatch.setattr(turning, "BATCH_GUIDES", 1)
    rut = {**warning(4), "message": "The RUT is missing. The guide was created and is marked for review."}
    merged = {
        **notice(4),
        "message": "Rows 4, 9 have the same HAWB and consignee; they became one guide with 2 products.",
    }
    ours = stored(acme, "045-12345675", [rut], [merged, {**notice(None), "message": "Own words."}])
    theirs = stored(rival, "045-12345675", [], [])
    field, sentence, key = turning.REASONS[0]
    kept, other = ours.guides.order_by("pk")
    ours.guides.filter(pk=kept.pk).update(**{field: sentence, "retention_lifted_reason": "Released by customs."})
    ours.guides.filter(pk=other.pk).update(retention_lifted_reason="Papers seen.")
    for _again in range(2):
        turning.turn_manifests(apps, SimpleNamespace(connection=connection))
        turning.turn_guides(apps, SimpleNamespace(connection=connection))
        ours.refresh_from_db()
        theirs.refresh_from_db()
        assert [answered_warning(each)["message"] for each in ours.warnings] == [rut["message"]]
        assert [answered_notice(each)["message"] for each in ours.notices] == [merged["message"], "Own words."]
        assert [each.get("legacy_text") for each in ours.notices] == [None, "Own words."]
        assert (theirs.warnings, theirs.notices) == ([], [])
        kept.refresh_from_db()
        other.refresh_from_db()
        assert (kept.retention_reason, kept.retention_lifted_reason) == (key, "released_by_customs")
        assert (other.retention_reason, other.retention_lifted_reason) == ("", "Papers seen.")
