"""What the product is compared with does the same work: the same rows, the same answer, for the same company alone."""

from typing import Any

import pytest

from benchmarks.web import usual
from benchmarks.web.uploads import HEADER, manifest
from benchmarks.web.validation import document
from shipments.models import Guide, GuideEvent, Manifest
from tests.conftest import Caller, as_file

pytestmark = pytest.mark.urls("benchmarks.web.urls")

CODED = {"id", "manifest_id", "tracking_code", "created_at"}
JUDGED = {"consignee_document_type", "extra_data", "needs_review", "review_reasons", "consignee_words", "sequence"}
"""What reading with the rules of a country adds, and what searches and webhooks need; the usual way leaves it out."""
OF_PRODUCTS = {"products", "hs_code", "description_original"}
"""What ours puts together from the products of a row."""


def rows(caller: Caller, besides: set[str]) -> list[dict[str, Any]]:
    """The company's guides, without what differs from one to the next upload and `besides`."""
    guides = Guide.objects.filter(manifest__company=caller.company).order_by("hawb").values()
    return [{name: value for name, value in guide.items() if name not in CODED | besides} for guide in guides]


def test_an_upload_the_usual_way_writes_the_rows_that_ours_writes(acme: Caller, rival: Caller) -> None:
    book = manifest(3, 7)
    ours = acme.upload(book)
    theirs = rival.client.post("/usual/upload", {"manifest_file": as_file(book)}, headers=rival.headers)
    assert (ours.status_code, theirs.status_code) == (201, 201)
    assert [guide["hawb"] for guide in theirs.json()["guides"]] == [guide["hawb"] for guide in ours.json()["guides"]]
    assert rows(rival, JUDGED) == rows(acme, JUDGED)
    assert GuideEvent.objects.count() == 6


def test_json_the_usual_way_writes_the_rows_that_ours_writes(acme: Caller, rival: Caller) -> None:
    body = document(3)
    ours = acme.post_json(body)
    theirs = rival.client.post(
        "/usual/process-pre-alert-json", body, content_type="application/json", headers=rival.headers
    )
    assert (ours.status_code, theirs.status_code) == (201, 201), theirs.content
    assert rows(rival, JUDGED | OF_PRODUCTS) == rows(acme, JUDGED | OF_PRODUCTS)
    assert GuideEvent.objects.count() == 6


def test_a_row_that_cannot_be_saved_takes_the_whole_upload_with_it(acme: Caller) -> None:
    body = document(2).replace(b'"HAWB000001"', b'"HAWB000000"')
    answer = acme.client.post(
        "/usual/process-pre-alert-json", body, content_type="application/json", headers=acme.headers
    )
    assert answer.status_code >= 400
    assert Manifest.objects.count() == 0


def test_a_guide_is_reported_in_the_same_words(acme: Caller) -> None:
    code = acme.upload().json()["guides"][0]["tracking_code"]
    reported = acme.client.get(f"/usual/guides/{code}", headers=acme.headers)
    assert reported.status_code == 200
    assert reported.json() == acme.get(f"/guides/{code}").json()


def test_the_list_is_reported_in_the_same_words(acme: Caller, rival: Caller) -> None:
    for caller, number in ((acme, 7), (acme, 8), (rival, 9)):
        caller.upload(manifest(number, number))
    reported = acme.client.get("/usual/mawbs", headers=acme.headers).json()
    assert len(reported["mawbs"]) == 2
    assert reported == acme.get("/mawbs").json()


def test_the_usual_view_shows_no_company_anothers_guide(acme: Caller, rival: Caller) -> None:
    code = acme.upload().json()["guides"][0]["tracking_code"]
    assert rival.client.get(f"/usual/guides/{code}", headers=rival.headers).status_code == 404


def test_the_usual_way_reads_every_column_that_the_benchmark_writes_but_the_clients_own_code() -> None:
    assert set(HEADER) - usual.COLUMNS.keys() == {"Tracking cliente"}
