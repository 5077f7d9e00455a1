"""Moving in on a client's page: checked or done, logged once, and only for those who may enter and export."""

import hashlib
import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from base.admin.activity import act_in_words
from companies.models import Company
from shipments.admin.guide_search import missing_codes, read_pasted_list, search_guides
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.event_files.importing import find_moves
from shipments.tracking.moves import ReportedEvent
from tests.companies.admin_pages import operator
from tests.conftest import as_file
from tests.country_scope.operators import operator_of
from tests.factories import ClientFactory, CourierFactory
from tests.shipments.admin.pages import GUIDES, listed, text_of
from tests.shipments.manifests.payloads import body, guide
from tests.shipments.shipping import assert_sound, shipped
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

PAST = [
    {"status": "registered", "occurred_at": "2026-11-18T09:00:00-03:00"},
    {"status": "in_transit", "occurred_at": "2026-11-19T09:00:00-03:00"},
]


def content(country: str = "CL", code: str = "JX000001", **changes: object) -> bytes:
    return json.dumps(body(guide(country, tracking_code=code, events=PAST), to=country, **changes)).encode()


def address(company: Company) -> str:
    return reverse("move-in", args=[company.pk])


def send(staff: Client, company: Company, sent: bytes, **fields: str) -> Any:
    return staff.post(address(company), {"file": as_file(sent), **fields})


def refusal(page: Any) -> str:
    assert page.status_code == 400
    return str(page.content.decode())


def test_the_companys_page_leads_to_guides_with_their_codes(staff: Client, ours: Company) -> None:
    admin = operator("view_company", "view_guide", "view_manifest", "change_guide", "change_manifest", username="ana")
    page = text_of(admin.get(reverse("admin:companies_company_change", args=[ours.pk])))
    assert f'<a href="{address(ours)}">Move in</a>' in page
    assert staff.get(address(ours)).status_code == 200
    register(ours, "https://hooks.example.com/")
    done = send(staff, ours, content())
    manifest = Manifest.objects.get(company=ours)
    assert done.headers["Location"] == reverse("admin:shipments_manifest_change", args=[manifest.pk])
    assert_sound(manifest)
    assert manifest.guides.get().tracking_code == "JX000001"
    assert (manifest.channel, manifest.entered_by and manifest.entered_by.username) == ("admin", "olga")
    assert set(GuideEvent.objects.values_list("actor", flat=True)) == {"olga"}
    assert not Delivery.objects.exists()
    (line,) = LogEntry.objects.all()
    sha256 = hashlib.sha256(content()).hexdigest()
    assert act_in_words(line) == f"Moved in for {ours}; guides: 1, events: 2; SHA-256 {sha256}."
    again = staff.post(address(ours), {"file": as_file(content())}, follow=True)
    assert "already exists with the same codes: unchanged." in text_of(again)
    assert LogEntry.objects.filter(action_flag=line.action_flag).count() == 1


def test_a_check_says_everything_and_writes_nothing(staff: Client, ours: Company) -> None:
    sent = json.dumps(body(guide(tracking_code="JX000001", events=PAST, consignee_document="1-0"))).encode()
    page = send(staff, ours, sent, check="1")
    text = text_of(page)
    for said in ("The file can be moved in", "123-12345675", "1 guide", "2 events", "In transit", "RUT"):
        assert said in text
    assert not Manifest.objects.exists()
    assert not LogEntry.objects.exists()


def test_the_webhooks_are_sent_if_asked(staff: Client, ours: Company) -> None:
    register(ours, "https://hooks.example.com/")
    send(staff, ours, content(), is_announced="on")
    kinds = list(Delivery.objects.order_by("pk").values_list("event_type", flat=True))
    assert kinds == ["pre_alert.ingested", "guide.status_changed"]


def test_a_refusal_names_the_code_and_never_whose_it_is(staff: Client, ours: Company, theirs: Company) -> None:
    taken = shipped(theirs, 1).guides.get().tracking_code
    said = refusal(send(staff, ours, content(code=taken)))
    assert f"Other guides have these tracking codes: {taken}." in said
    assert "Theirs" not in said
    assert not Manifest.objects.filter(company=ours).exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"{", "The body is not JSON"),
        (b"nothing", "not an .xlsx workbook"),
        (json.dumps(body(guide(hawb="", tracking_code="JX000001"))).encode(), "Position, from 0"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(staff: Client, ours: Company, sent: bytes, said: str) -> None:
    assert said in refusal(send(staff, ours, sent))


@pytest.mark.parametrize("lacking", ["change_guide", "change_manifest"])
def test_it_needs_what_entering_a_manifest_and_exports_need(ours: Company, lacking: str) -> None:
    may = {"view_company", "view_guide", "view_manifest", "change_guide", "change_manifest"} - {lacking}
    reader = operator(*sorted(may), username="rita")
    assert send(reader, ours, content()).status_code == 403
    assert "Move in" not in text_of(reader.get(reverse("admin:companies_company_change", args=[ours.pk])))
    assert not Manifest.objects.exists()


class TestCountries:
    @pytest.fixture
    def chilean(self) -> Client:
        return operator_of("CL")

    def test_a_company_of_another_country_is_as_one_that_is_not_there(self, chilean: Client) -> None:
        lima = ClientFactory.create(allowed_countries=["PE"])
        courier, gone = CourierFactory.create(), ClientFactory.create(is_active=False)
        for company in (lima, courier, gone):
            assert chilean.get(address(company)).status_code == 404
            assert send(chilean, company, content("PE")).status_code == 404

    def test_a_file_for_another_country_is_refused(self, chilean: Client, ours: Company) -> None:
        said = refusal(send(chilean, ours, content("PE")))
        assert "The file is for a country that is not yours: Peru." in said
        assert send(chilean, ours, content("CL")).status_code == 302


class TestForeignCodes:
    """Codes of other systems where ours are sought."""

    @pytest.fixture
    def foreign(self, ours: Company) -> Guide:
        found = shipped(ours, 1).guides.get()
        Guide.objects.filter(pk=found.pk).update(tracking_code="QWERTY-UIOP-ZXCVBNM-ASDFGH")
        found.refresh_from_db()
        return found

    def test_a_pasted_word_is_a_code_where_one_is_stored(self, staff: Client, ours: Company, foreign: Guide) -> None:
        second = shipped(ours, 1).guides.get()
        text = f"{foreign.tracking_code.lower()} {second.tracking_code} QWERTY-NOBODY"
        assert set(listed(staff.get(GUIDES, {"q": text}))) == {foreign, second}
        pasted = read_pasted_list(text, Guide.objects.all())
        assert pasted is not None
        assert (missing_codes(Guide.objects.all(), pasted.codes), pasted.others) == ([], ["QWERTY-NOBODY"])
        assert read_pasted_list(text, Guide.objects.exclude(pk=foreign.pk)) is None  # another country's is a word
        assert search_guides(Guide.objects.all(), foreign.tracking_code).get() == foreign

    @pytest.mark.parametrize(
        ("code", "is_judged"),
        [("OUR1234567890X", True), ("XXX1234567890X", False), ("OUR12345", False), ("THE1234567890X", False)],
    )
    @pytest.mark.usefixtures("foreign", "theirs")
    def test_the_check_character_is_judged_only_of_codes_like_ours(self, code: str, *, is_judged: bool) -> None:
        (row,) = find_moves([EventRow(2, code, "", "", ReportedEvent(GuideStatus.IN_TRANSIT))], Guide.objects.all())
        assert isinstance(row, BadRow)
        assert ("check character" in row.problem) is is_judged
        assert "No guide has this tracking code." in row.problem
