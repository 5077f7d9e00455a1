"""Manifests, deliveries and the activity log are exported: to the filter, to the scope, and recorded."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import openpyxl
import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.admin import spreadsheets
from base.admin.activity import ActKind, act_in_words
from companies.models import Company, OperatorProfile
from shipments.models import Manifest
from tests.companies.admin_pages import operator, text_of
from tests.country_scope.operators import URL, operator_of
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped, tell
from webhooks.models import Delivery, State
from webhooks.outbox import send_test
from webhooks.subscriptions import register, remove

pytestmark = pytest.mark.django_db

LISTS = ["shipments_manifest", "webhooks_delivery", "admin_logentry"]
ENDINGS = ["csv", "xlsx"]
KINDS = ["csv", "xlsx", "for_programs"]


def export(model: str, ending: str = "csv") -> str:
    return reverse(f"admin:{model}_export_{ending}")


def rows_of(response: Any) -> list[dict[str, Any]]:
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    content = response.getvalue()
    if response["Content-Type"].startswith("text/csv"):
        return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    sheet: Any = openpyxl.load_workbook(io.BytesIO(content)).active
    header, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture
def shipped_to_both(both: Company) -> dict[str, Manifest]:
    return {country: shipped(both, 3, country=country) for country in ("CL", "PE")}


@pytest.fixture
def both() -> Company:
    return ClientFactory.create(client_code="BOTH", allowed_countries=["CL", "PE"])


@pytest.mark.parametrize("ending", ENDINGS)
class TestManifests:
    def test_are_those_of_the_filter_and_of_the_operator(
        self, shipped_to_both: dict[str, Manifest], ending: str
    ) -> None:
        home = shipped_to_both["CL"]
        tell(home.guides.earliest("pk"), "in_transit")
        other = shipped(ClientFactory.create(client_code="OTHER", allowed_countries=["CL"]), 1)
        camila = operator_of("CL")
        rows = rows_of(camila.get(export("shipments_manifest", ending)))
        assert {row["MAWB"] for row in rows} == {home.mawb, other.mawb}
        (row,) = rows_of(camila.get(export("shipments_manifest", ending), {"company": "BOTH"}))
        assert (row["Client code"], row["Country"], row["Status"]) == ("BOTH", "Chile", "Registered")
        assert str(row["Guides"]) == "3"

    def test_need_the_permission_to_act(self, ending: str) -> None:
        reader = operator("view_manifest")
        assert reader.get(export("shipments_manifest", ending)).status_code == 403
        assert export("shipments_manifest", ending) not in text_of(reader.get(LIST_OF["shipments_manifest"]))


LIST_OF = {model: reverse(f"admin:{model}_changelist") for model in LISTS}


@pytest.mark.parametrize("ending", ENDINGS)
class TestDeliveries:
    def test_have_the_endpoint_only_where_the_operator_may_see_it(self, both: Company, ending: str) -> None:
        shared, _secret = register(both, f"{URL}/shared", "a-secret-of-the-client-1234")
        own, _secret = register(
            ClientFactory.create(client_code="OWN", allowed_countries=["CL"]), f"{URL}/own", "another-secret-1234"
        )
        for country in ("CL", "PE"):
            tell(shipped(both, 1, country=country).guides.get(), "in_transit")
        send_test(own, "A test.")
        Delivery.objects.filter(subscription=own).update(
            state=State.FAILED, attempted_at=timezone.now(), finished_at=timezone.now(), http_status=401,
            error="http_status", excerpt="excerpt of the answer", remote_address="203.0.114.77",
        )  # fmt: skip
        answer = operator_of("CL").get(export("webhooks_delivery", ending))
        rows = rows_of(answer)
        assert {(row["Client code"], row["Endpoint"] or "") for row in rows} == {("BOTH", ""), ("OWN", f"{URL}/own")}
        assert [row["HTTP status"] for row in rows if row["Client code"] == "OWN"] in ([401], ["401"])
        told = " ".join(str(value) for row in rows for value in row.values())
        for hidden in ("excerpt", "secret", "203.0.114.77", shared.url):
            assert hidden not in told
        everything = rows_of(operator_of(username="ines").get(export("webhooks_delivery", ending)))
        assert len(everything) == len(rows) + 2  # of Peru: the manifest's arrival, the guide's move
        assert {row["Endpoint"] for row in everything} == {shared.url, own.url}

    def test_lose_the_endpoint_with_its_subscription(self, both: Company, ending: str) -> None:
        subscription, _secret = register(both, URL, "a-secret-of-the-client-1234")
        send_test(subscription, "A test.")
        remove(subscription)
        (row,) = rows_of(operator_of(username="ines").get(export("webhooks_delivery", ending)))
        assert not row["Endpoint"]


class TestTheActivityLog:
    def test_says_what_was_done_and_that_it_was_exported(self) -> None:
        guide = shipped(ClientFactory.create(), 1).guides.get()
        ana = operator("view_logentry", "view_guide", username="ana")
        ana.get(reverse("admin:shipments_guide_change", args=[guide.pk]))
        (row,) = rows_of(ana.get(export("admin_logentry", "for_programs")))
        assert (row["user"], row["kind_of_object"], row["object"]) == ("ana", "guide", guide.tracking_code)
        assert (row["action"], row["details"]) == ("opened", "Opened.")
        (_opened, exported) = rows_of(ana.get(export("admin_logentry", "xlsx")))[::-1]
        assert exported["Details"] == "Exported as CSV; rows: 1; filters: -."
        assert exported["Action"] == "Exported"

    def test_is_for_those_who_see_every_country(self) -> None:
        ana = operator("view_logentry", username="ana")
        OperatorProfile.objects.filter(user=User.objects.get(username="ana")).update(countries=["CL"])
        for ending in KINDS:
            assert ana.get(export("admin_logentry", ending)).status_code == 403


@pytest.mark.parametrize("model", LISTS)
class TestEachOfThem:
    def test_leads_to_the_export_of_its_filter(self, admin_client: Client, model: str) -> None:
        page = text_of(admin_client.get(LIST_OF[model], {"q": "evt_1"}))
        for ending in KINDS:
            assert f"{export(model, ending)}?q=evt_1" in page

    def test_is_recorded_with_its_rows_and_without_what_was_searched(
        self, admin_client: Client, shipped_to_both: dict[str, Manifest], model: str
    ) -> None:
        subscription, _secret = register(shipped_to_both["CL"].company, URL, "a-secret-of-the-client-1234")
        for _ in range(2):
            send_test(subscription, "A test.")
            LogEntry.objects.create(user=User.objects.get(), object_repr="x", action_flag=2, change_message="x")
        for ending in ENDINGS:
            before = LogEntry.objects.latest("pk").pk
            rows = rows_of(admin_client.get(export(model, ending)))
            entry = LogEntry.objects.get(pk__gt=before)
            assert f"rows: {len(rows)};" in act_in_words(entry)
            assert act_in_words(entry).startswith(f"Exported as {ending.upper()}")
        admin_client.get(export(model), {"q": "soto"})
        assert act_in_words(LogEntry.objects.latest("pk")).endswith("filters: q.")

    def test_takes_no_other_look_ups_than_the_list(self, admin_client: Client, model: str) -> None:
        for ending in KINDS:
            assert admin_client.get(export(model, ending), {"company__api_password_digest": "a"}).status_code == 400
        assert not LogEntry.objects.exists()

    def test_too_long_for_a_sheet_is_refused_on_its_page(
        self, admin_client: Client, shipped_to_both: dict[str, Manifest], model: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        subscription, _secret = register(shipped_to_both["CL"].company, URL, "a-secret-of-the-client-1234")
        send_test(subscription, "A test.")
        LogEntry.objects.create(user=User.objects.get(), object_repr="x", action_flag=2, change_message="x")
        monkeypatch.setattr(spreadsheets, "MAX_SHEET_ROWS", 1)
        page = text_of(admin_client.get(export(model, "xlsx"), follow=True))
        assert "narrow the filter or export as CSV" in page
        assert not LogEntry.objects.filter(action_flag=ActKind.EXPORTED).exists()

    def test_runs_no_formula(self, admin_client: Client, model: str) -> None:
        company = ClientFactory.create(client_code="=1+1")
        send_test(register(company, URL, "a-secret-of-the-client-1234")[0], "A test.")
        shipped(company, 1)
        LogEntry.objects.create(user=User.objects.get(), object_repr="=1+1", action_flag=2, change_message="x")
        assert "'=1+1" in {value for row in rows_of(admin_client.get(export(model))) for value in row.values()}


@pytest.fixture
def olga() -> Client:
    """An operator with the clock of Santiago, who reads Spanish."""
    client = operator_of("CL", "PE", username="olga")
    OperatorProfile.objects.filter(user__username="olga").update(time_zone="America/Santiago")
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
    return client


class TestForPeople:
    def test_headings_are_words_and_those_of_times_name_the_clock(self, olga: Client, both: Company) -> None:
        manifest = shipped(both, 1, country="PE")
        Manifest.objects.filter(pk=manifest.pk).update(
            created_at=datetime(2026, 11, 20, 2, 30, tzinfo=UTC), eta=datetime(2026, 11, 21, 4, 0, tzinfo=UTC)
        )
        content = olga.get(export("shipments_manifest")).getvalue().decode("utf-8-sig")
        (row,) = csv.DictReader(io.StringIO(content), delimiter=";")
        assert [heading for heading in row if "_" in heading or heading.islower()] == []
        assert row["Fecha de recepción (Santiago)"] == "2026-11-19 23:30"
        assert row["ETA (hora del destino)"] == "2026-11-20 23:00"
        assert (row["Estado"], row["País"]) == ("Registrada", "Perú")
        (cells,) = rows_of(olga.get(export("shipments_manifest", "xlsx")))
        assert list(cells) == list(row)
        assert cells["Fecha de recepción (Santiago)"] == datetime(2026, 11, 19, 23, 30)  # noqa: DTZ001  # Excel's

    def test_a_workbook_keeps_its_headings_in_sight_and_filters(self, olga: Client, both: Company) -> None:
        shipped(both, 2)
        content = olga.get(export("shipments_guide", "xlsx")).getvalue()
        sheet: Any = openpyxl.load_workbook(io.BytesIO(content)).active
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref == f"A1:{openpyxl.utils.get_column_letter(sheet.max_column)}3"
        codes = next(cell for cell in sheet[1] if cell.value == "Código de seguimiento")
        assert sheet.column_dimensions[codes.column_letter].width > len("Código de seguimiento")

    def test_programs_read_what_they_always_did(self, olga: Client, both: Company) -> None:
        shipped(both, 1)
        content = olga.get(export("shipments_manifest", "for_programs")).getvalue().decode("utf-8-sig")
        (row,) = csv.DictReader(io.StringIO(content), delimiter=";")
        assert (row["status"], row["country"]) == ("registered", "CL")
        assert row["created_at"].endswith("Z")
