"""How many guides a person's document had in a year: told to operators, over all companies, and never to clients."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.countries import SERVED
from shipments.document_counts import beyond_allowed
from shipments.models import Guide, Manifest
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db

PERSON: dict[str, Any] = {"consignee_document_type": "CUIL", "consignee_document": "20267565393"}
DNI: dict[str, Any] = {"consignee_document_type": "DNI", "consignee_document": "45678912"}


def arriving(caller: Caller, day: date, guides: int = 1, country: str = "AR", **row: Any) -> list[Guide]:
    manifest = shipped(caller.company, guides, country=country, **(row or PERSON))
    Manifest.objects.filter(pk=manifest.pk).update(arrival_day=day)
    return list(Guide.objects.filter(manifest=manifest).select_related("manifest").order_by("pk"))


def counted(page: Client, guide: Guide) -> Any:
    response: Any = page.get(reverse("admin:shipments_guide_change", args=[guide.pk]))
    return response.context_data["document_count"]


def test_guides_of_all_companies_in_the_calendar_year_of_arrival_count(
    admin_client: Client, acme: Caller, rival: Caller
) -> None:
    year = timezone.now().year
    (last, *_) = arriving(acme, date(year, 12, 31))
    arriving(rival, date(year, 1, 1), 2)
    arriving(rival, date(year - 1, 12, 31))
    arriving(rival, date(year, 6, 1), country="PE")
    count = counted(admin_client, last)
    assert (count["year"], count["guides"]) == (year, 3)
    assert count["since"] == timezone.localdate(timezone=SERVED["CL"].clock)  # nothing was received before


def test_voided_and_cancelled_guides_do_not_count(admin_client: Client, acme: Caller) -> None:
    day = date(timezone.now().year, 6, 1)
    (kept,) = arriving(acme, day)
    voided, cancelled = arriving(acme, day), arriving(acme, day)
    void_manifest(voided[0].manifest, reason="sent twice", actor="a test")
    tell(cancelled[0], "cancelled")
    assert counted(admin_client, kept)["guides"] == 1


def test_invalid_documents_dummies_and_companies_have_no_count(admin_client: Client, acme: Caller) -> None:
    for country, kind, document in (
        ("AR", "CUIT", "30712345671"),
        ("AR", "CUIT", "20267565394"),
        ("AR", "", ""),
        ("CL", "RUT", "11111111-1"),
        ("CL", "RUT", "76123456-0"),
        ("PE", "RUC", "20601234565"),
    ):
        named: dict[str, Any] = {"consignee_document_type": kind, "consignee_document": document}
        (guide,) = arriving(acme, timezone.localdate(), country=country, **named)
        assert counted(admin_client, guide) is None, (kind, document)


def test_the_page_says_that_there_are_more_than_the_law_admits_and_an_erasure_takes_it_away(
    admin_client: Client, acme: Caller, rival: Caller
) -> None:
    guides = [*arriving(acme, timezone.localdate(), 3), *arriving(rival, timezone.localdate(), 2)]
    page = reverse("admin:shipments_guide_change", args=[guides[0].pk])
    assert "more than 5" not in admin_client.get(page).content.decode()
    arriving(rival, timezone.localdate())
    text = admin_client.get(page).content.decode()
    assert "at least 6 guides" in text
    assert "more than 5" in text
    Guide.objects.exclude(pk=guides[0].pk).update(consignee_document="")
    assert counted(admin_client, guides[0])["guides"] == 1


def test_the_list_is_narrowed_to_guides_under_way_beyond_the_number(
    admin_client: Client, acme: Caller, rival: Caller
) -> None:
    today = timezone.localdate()
    many = [*arriving(acme, today, 3, "PE", **DNI), *arriving(rival, today, 1, "PE", **DNI)]
    arriving(acme, today, 5)
    arriving(acme, today, 6, "PE", consignee_document_type="RUC", consignee_document="20601234565")
    arriving(acme, today, 6, "CL", consignee_document_type="RUT", consignee_document="12345678-5")
    response: Any = admin_client.get(reverse("admin:shipments_guide_changelist") + "?year=beyond")
    assert {guide.pk for guide in response.context_data["cl"].result_list} == {guide.pk for guide in many}
    tell(many[3], "cancelled")
    assert not beyond_allowed(Guide.objects.all(), timezone.now()).exists()


def test_retention_says_since_when_it_can_be_counted(admin_client: Client, acme: Caller, settings: Any) -> None:
    (guide,) = arriving(acme, timezone.localdate())
    long_ago = timezone.now() - timedelta(days=700)
    Manifest.objects.update(created_at=long_ago)
    assert counted(admin_client, guide)["since"] == date(timezone.localdate().year, 1, 1)
    settings.RETENTION_DAYS_PERSONAL_DATA = 1
    since: date = counted(admin_client, guide)["since"]
    assert datetime.now().astimezone().date() - since <= timedelta(days=2)


def test_clients_are_told_neither_the_count_nor_what_is_free_of_duty(acme: Caller, rival: Caller) -> None:
    guides = arriving(acme, timezone.localdate(), 6, fob_usd=100, **PERSON)
    arriving(rival, timezone.localdate(), 6)
    for path in (
        f"/guides/{guides[0].tracking_code}",
        f"/mawbs/{guides[0].manifest.mawb}",
        "/guides?updated_since=2020-01-01T00:00:00Z",
    ):
        answer = acme.get(path)
        assert answer.status_code == 200, answer.content
        assert "document_count" not in answer.content.decode()
        assert "duty_free" not in answer.content.decode()
        assert '"needs_correction": true' not in answer.content.decode()
