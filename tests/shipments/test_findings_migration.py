"""What an earlier version stored without a bound is cut, in parts and without losing a count."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from shipments.models import Manifest
from tests.books import workbook_bytes
from tests.conftest import Caller

pytestmark = pytest.mark.django_db

cutting = import_module("shipments.migrations.0006_bounded_findings")


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
