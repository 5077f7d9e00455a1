"""A refused upload reaches the start page, with its reason and what to answer, until the client's next accepted one."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shipments.models import Manifest, RefusedRequest
from tests.books import HEADER, guide_row, workbook_bytes
from tests.conftest import Caller, make_caller
from tests.country_scope.operators import operator_of, text_of
from tests.documents import guide as json_guide, manifest

pytestmark = pytest.mark.django_db

START = reverse("admin:index")


@pytest.fixture
def lima(db: None) -> Caller:  # noqa: ARG001  # the database must be there first
    return make_caller("LIMA", allowed_countries=["PE"], read_by_headings=["PE"])


@pytest.fixture
def acme(db: None) -> Caller:  # noqa: ARG001  # as above
    return make_caller("ACME", allowed_countries=["CL"])


def refused_book(caller: Caller, heading: str) -> Any:
    """An upload for Peru without a MAWB, under a heading that nobody knows."""
    rows = [guide_row(number, **{heading: "x"}) for number in (1, 2)]
    return caller.upload(workbook_bytes(rows, mawb=None, header=(*HEADER, heading)), destination_airport="LIM")


def page_of(refused: RefusedRequest) -> str:
    return reverse("admin:shipments_refusedrequest_change", args=[refused.pk])


def refused_on(staff: Client) -> list[tuple[str, int]]:
    context: Any = staff.get(START).context
    return [(entry.who, entry.count) for entry in context["to_do"] if "refused" in entry.text]


def test_until_an_upload_of_the_client_is_accepted(lima: Caller, acme: Caller) -> None:
    staff = operator_of("PE", "CL")
    for _ in range(2):
        assert refused_book(lima, "Zurbo").status_code == 400
    acme.post_json({})
    assert set(refused_on(staff)) == {(lima.company.name, 2), (acme.company.name, 1)}
    shown = text_of(staff.get(START))
    assert "Not understood: “Zurbo”" in shown
    assert refused_on(operator_of("AR", username="ana")) == []
    assert lima.upload(workbook_bytes(labels={"Destino": "LIM"})).status_code == 201
    assert refused_on(staff) == [(acme.company.name, 1)]
    RefusedRequest.objects.update(created_at=timezone.now() - timedelta(days=8))
    Manifest.objects.update(created_at=timezone.now() - timedelta(days=9))
    assert refused_on(staff) == []


def test_what_the_clients_program_repeats_by_itself_is_not_listed(acme: Caller) -> None:
    for code in ("rate_limited", "idempotency_in_progress"):
        RefusedRequest.objects.create(company=acme.company, endpoint="POST upload", status=409, code=code)
    RefusedRequest.objects.create(
        company=acme.company, endpoint="POST webhooks/subscriptions", status=400, code="validation_failed"
    )
    assert refused_on(operator_of("CL")) == []


def test_a_refusal_names_the_manifest_that_exists_and_what_to_answer_in_both_languages(
    acme: Caller, rival: Caller
) -> None:
    body = manifest(json_guide())
    assert acme.post_json(body).status_code == rival.post_json(body).status_code == 201
    assert acme.post_json(body).status_code == 409
    refused, existing = RefusedRequest.objects.get(), Manifest.objects.get(company=acme.company)
    assert refused.about == {"manifest_id": str(existing.pk)}
    response: Any = operator_of("CL").get(page_of(refused))
    shown = text_of(response)
    assert reverse("admin:shipments_manifest_change", args=[existing.pk]) in shown
    texts = {each.code: each.text for each in response.context["texts"]}
    assert existing.mawb in texts["en"]
    assert "We already have this MAWB from you" in texts["en"]
    assert "Ya tenemos esta MAWB de ustedes" in texts["es"]


def test_headings_that_may_be_a_persons_are_kept_nowhere(lima: Caller) -> None:
    assert refused_book(lima, "ana@example.com").status_code == 400
    assert "ana@example.com" not in str(RefusedRequest.objects.values().get())
