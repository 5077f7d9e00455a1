"""However much is wrong with a manifest, its answer and what is stored stay small, and the counts stay whole."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from shipments.manifests.findings import MAX_REPORTED
from shipments.models import Manifest
from shipments.models.manifests import FINDINGS
from tests.api.answers import error, nothing_stored
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db

BAD = {"RUT": "1-9", "Peso (kg)": "mucho", "Valor FOB USD": "?"}


def test_an_upload_with_a_warning_in_every_cell_reports_the_first_thousand(acme: Caller) -> None:
    answer = acme.upload(workbook_bytes([guide_row(number, **BAD) for number in range(500)]))
    assert answer.status_code == 201
    body, kept = answer.json(), Manifest.objects.get()
    assert len(body["warnings"]) == len(kept.warnings) == MAX_REPORTED
    rows = [warning["row_index"] for warning in body["warnings"]]
    assert rows == sorted(rows)
    assert rows[0] == 4
    assert rows[-1] < 4 + MAX_REPORTED / 2
    assert (body["guides_created"], body["rut_invalid_count"], kept.rut_invalid_count) == (500, 500, 500)
    assert [(notice["code"], notice["row_index"], notice["hawb"]) for notice in body["notices"]] == [
        ("warnings_omitted", None, None)
    ]
    assert "500 more warnings" in body["notices"][0]["message"]
    detail = acme.get(f"/mawbs/{kept.mawb}").json()
    assert [detail[name] for name in ("warnings_count", "notices_count", "rut_invalid_count")] == [1_500, 0, 500]


def test_a_refusal_lists_the_first_thousand_rows_and_counts_all(acme: Caller) -> None:
    refused = acme.post_json({**manifest(), "guides": [{}] * 2_000})
    assert error(refused) == (400, "manifest_validation_failed")
    body = refused.json()
    assert len(body["invalid_rows"]) == MAX_REPORTED
    assert body["invalid_rows"][0]["row_index"] == 0
    assert body["invalid_rows_total"] == 2_000 * 6
    assert len(refused.content) < 250_000
    assert nothing_stored()


def test_the_marketplace_rule_is_reported_within_the_same_bound(acme: Caller) -> None:
    extra = {"marketplace_cop_no": "1", "marketplace_waybill": "2"}
    refused = acme.post_json(manifest(*(guide(number, extra_data=extra) for number in range(600))))
    assert error(refused) == (422, "marketplace_fields_not_allowed")
    body = refused.json()
    assert (len(body["invalid_rows"]), body["invalid_rows_total"]) == (MAX_REPORTED, 1_200)


def test_json_warnings_are_bounded_as_the_uploads_are(acme: Caller) -> None:
    answer = acme.post_json(manifest(*(guide(number, hs_code="?") for number in range(1_003))))
    assert answer.status_code == 201
    body = answer.json()
    assert [warning["row_index"] for warning in body["warnings"]] == list(range(MAX_REPORTED))
    assert "3 more warnings" in body["notices"][0]["message"]


def test_reading_mawbs_loads_no_column_that_is_not_shown(acme: Caller) -> None:
    acme.upload(workbook_bytes([guide_row(1, **BAD)]))
    for path in ("/mawbs", f"/mawbs/{Manifest.objects.get().mawb}"):
        with CaptureQueriesContext(connection) as queries:
            assert acme.get(path).status_code == 200
        asked = " ".join(query["sql"] for query in queries)
        assert "guides_by_status" in asked
        assert not [column for column in (*FINDINGS, "void_reason", "anonymised_fob_usd") if f'"{column}"' in asked]
