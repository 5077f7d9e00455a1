"""Receiving with a phone: the form, the page, what its requests answer, and what is printed."""

import json
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company, OperatorProfile
from shipments.inbound.receiving import close
from shipments.models import Guide, InboundBatch, InboundScan, Manifest
from tests.country_scope.operators import PERUVIAN, operator_of, text_of
from tests.factories import ClientFactory
from tests.shipments.inbound.scanning import codes_of
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db
RECEIVE, NEW = reverse("receive"), reverse("receive-new")


@pytest.fixture
def acme() -> Company:
    return ClientFactory.create(client_code="ACME")


@pytest.fixture
def chilean() -> Client:
    return operator_of("CL")


def opened(browser: Client, *manifests: Manifest, **fields: Any) -> InboundBatch:
    sent = {"facility": "SCL-01", "others": ", ".join(each.mawb for each in manifests), **fields}
    answer: Any = browser.post(NEW, sent)
    assert answer.status_code == 302, answer.content.decode()
    batch = InboundBatch.objects.latest("id")
    assert answer["Location"] == reverse("receive-batch", args=[batch.public_id])
    return batch


def post(browser: Client, name: str, batch: InboundBatch, body: Any) -> Any:
    address = reverse(f"receive-{name}", args=[batch.public_id])
    return browser.post(address, json.dumps(body), content_type="application/json")


def scan(browser: Client, batch: InboundBatch, *codes: str) -> Any:
    now = timezone.now().isoformat()
    scans = [{"scan_id": str(uuid4()), "code": code, "scanned_at": now} for code in codes]
    return post(browser, "scans", batch, {"scans": scans})


# --- opening ------------------------------------------------------------------------------------------------------


def test_todays_mawbs_are_offered_first_and_none_of_another_country(chilean: Client, acme: Company) -> None:
    late, today, old, abroad = (shipped(acme, 1, country=country) for country in ("CL", "CL", "CL", "PE"))
    for manifest, days in ((late, -2), (today, 0), (old, -9), (abroad, 0)):
        Manifest.objects.filter(pk=manifest.pk).update(eta=timezone.now() + timedelta(days=days))
    answer: Any = chilean.get(NEW)
    offered = [value for value, _text in answer.context["form"].fields["mawbs"].choices]
    assert offered == [today.mawb, late.mawb]
    batch = opened(chilean, others="", mawbs=[late.mawb, today.mawb])
    assert (batch.facility, batch.country, batch.on_scan, batch.opened_by) == ("SCL-01", "CL", None, "camila")
    assert set(batch.manifests.all()) == {late, today}


def test_coming_back_goes_on_with_the_same_batch_until_it_is_closed(chilean: Client, acme: Company) -> None:
    first, second = opened(chilean, shipped(acme, 1)), opened(chilean, shipped(acme, 1))
    assert chilean.get(reverse("receive-batch", args=[first.public_id])).status_code == 200
    address: Any = chilean.get(RECEIVE)
    assert address["Location"] == reverse("receive-batch", args=[first.public_id])
    close(first.pk, actor="anyone")
    address = chilean.get(RECEIVE)
    assert address["Location"] == reverse("receive-batch", args=[second.public_id])
    close(second.pk, actor="anyone")
    close(opened(operator_of("CL", username="carla"), shipped(acme, 1), facility="SCL-09").pk, actor="anyone")
    form: Any = chilean.get(RECEIVE)
    assert (form.status_code, form.context["form"].initial["facility"]) == (200, "SCL-01")
    again: Any = chilean.get(NEW, {"again": first.public_id})
    assert again.context["form"].initial["mawbs"] == [first.manifests.get().mawb]


def test_after_a_log_in_the_batch_that_the_operator_opened_is_found_again(chilean: Client, acme: Company) -> None:
    batch = opened(chilean, shipped(acme, 1))
    chilean.force_login(User.objects.get(username="camila"))
    assert batch.public_id in chilean.get(RECEIVE)["Location"]


def test_what_is_wrong_with_a_new_batch_is_said_on_the_form(chilean: Client, acme: Company) -> None:
    manifest, abroad = shipped(acme, 1), shipped(acme, 1, country="PE")
    for change, sentence in (
        ({"others": ""}, "Choose at least one MAWB."),
        ({"others": "045-00000000"}, "045-00000000 is not known."),
        ({"others": "nonsense \0"}, "Null characters are not allowed"),
        ({"others": abroad.mawb}, f"{abroad.mawb} is not known."),
        ({"facility": "a b"}, "Letters, digits, dots, hyphens and _."),
        ({"mawbs": ["045-1"]}, "045-1 is not one of the available choices"),
    ):
        answer: Any = chilean.post(NEW, {"facility": "SCL-01", "others": manifest.mawb, **change})
        assert answer.status_code == 400
        assert sentence in answer.content.decode()
    assert not InboundBatch.objects.exists()


def test_mawbs_of_two_countries_are_received_apart(acme: Company) -> None:
    both = operator_of("CL", "PE")
    chilean, peruvian = shipped(acme, 1), shipped(acme, 1, country="PE")
    shared = [shipped(ClientFactory.create(), 1, mawb="045-70310122", country=country) for country in ("CL", "PE")]
    for sent, sentence in (
        ({"others": f"{chilean.mawb}, {peruvian.mawb}"}, "These MAWBs are of different countries."),
        ({"others": "045-70310122"}, "Choose the country."),
    ):
        answer: Any = both.post(NEW, {"facility": "LIM-01", **sent})
        assert sentence in answer.content.decode()
    assert list(opened(both, others="045-70310122", country="PE").manifests.all()) == [shared[1]]


# --- scanning -----------------------------------------------------------------------------------------------------


def test_the_page_scans_as_the_api_does_and_counts_the_missing(chilean: Client, acme: Company) -> None:
    manifest, other = shipped(acme, 3, bag="B1"), shipped(acme, 1)
    codes = codes_of(manifest)
    Guide.objects.filter(tracking_code=codes[1]).update(status="on_hold")
    batch = opened(chilean, manifest)
    answer = scan(chilean, batch, codes[0], "B1", codes[1], codes_of(other)[0]).json()
    assert answer["missing"] == 1
    said = {each.get("tracking_code"): (each["outcome"], each.get("hold")) for each in answer["results"]}
    assert said == {
        codes[0]: ("matched", None), codes[1]: ("matched", "on_hold"),
        codes_of(other)[0]: ("elsewhere", None), None: ("bag", None),
    }  # fmt: skip
    assert {each.actor for each in InboundScan.objects.all()} == {"camila"}
    assert not InboundScan.objects.filter(code="B1").exists()
    assert post(chilean, "bags", batch, {"bag": "B1"}).json()["received"] == 1


def test_who_may_not_scan_or_sees_another_country_cannot(chilean: Client, acme: Company) -> None:
    batch = opened(chilean, shipped(acme, 1))
    reader, peruvian = operator_of("CL", username="r", role="Read-only"), operator_of("PE", username="rosa")
    page = reverse("receive-batch", args=[batch.public_id])
    assert [reader.get(address).status_code for address in (RECEIVE, NEW, page)] == [403] * 3
    assert peruvian.get(page).status_code == 404
    assert peruvian.get(NEW, {"again": batch.public_id}).status_code == 404
    assert batch.public_id not in text_of(peruvian.get(RECEIVE))
    for browser, code in ((reader, "forbidden"), (peruvian, "forbidden_country")):
        for answer in (scan(browser, batch, "X"), post(browser, "bags", batch, {"bag": "B"})):
            assert (answer.status_code, answer.json()["error"]) == (403, code)
    assert Client().get(page).status_code == 302
    assert scan(Client(), batch, "X").status_code == 302
    assert not InboundScan.objects.exists()


def test_the_right_to_scan_is_all_that_it_needs(acme: Company) -> None:
    user = User.objects.create_user("solo", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="add_inboundbatch"))
    OperatorProfile.objects.create(user=user, countries=["CL"])
    browser, manifest = Client(), shipped(acme, 1)
    browser.force_login(user)
    batch = opened(browser, manifest)
    assert scan(browser, batch, *codes_of(manifest)).json()["missing"] == 0
    assert "Close…" not in text_of(browser.get(reverse("receive-batch", args=[batch.public_id])))


def test_what_the_browser_keeps_of_the_page_has_no_name_and_no_token(chilean: Client, acme: Company) -> None:
    batch = opened(chilean, shipped(acme, 1, consignee_name="Ana Soto"))
    address = reverse("receive-shell", args=[batch.public_id])
    shown = text_of(chilean.get(address))
    assert [text in shown for text in ("camila", "csrfmiddlewaretoken", "Ana Soto", "worker.js")] == [False] * 4
    page = text_of(chilean.get(reverse("receive-batch", args=[batch.public_id])))
    assert [text in page for text in ("camila", "csrfmiddlewaretoken", address)] == [True] * 3
    close(batch.pk, actor="anyone")
    assert address not in text_of(chilean.get(reverse("receive-batch", args=[batch.public_id])))
    worker = chilean.get(reverse("receive-worker"))
    assert (worker.headers["Content-Type"], reverse("receive-worker")) == ("text/javascript", f"{RECEIVE}worker.js")
    reader, peruvian = operator_of("CL", username="r", role="Read-only"), operator_of("PE", username="rosa")
    assert [reader.get(each).status_code for each in (address, reverse("receive-worker"))] == [403, 403]
    assert peruvian.get(address).status_code == 404


def test_another_site_cannot_scan_for_an_operator() -> None:
    operator_of("CL")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="camila"))
    batch = InboundBatch.objects.create(facility="SCL-01", country="CL", opened_by="camila")
    assert scan(strict, batch, "X").status_code == 403
    assert not InboundScan.objects.exists()


def test_no_batch_has_such_an_id(chilean: Client) -> None:
    for key in ("x", "ib_0", "ib_", "ib_" + "9" * 40, "ib_²"):
        assert chilean.get(reverse("receive-batch", args=[key])).status_code == 404
        for name in ("scans", "bags"):
            answer = chilean.post(reverse(f"receive-{name}", args=[key]), "{}", content_type="application/json")
            assert answer.status_code in {400, 404}


# --- closing and printing -----------------------------------------------------------------------------------------


def test_a_batch_is_closed_from_its_page_with_what_is_missing_said(chilean: Client, acme: Company) -> None:
    batch = opened(chilean, shipped(acme, 2))
    address = reverse("admin:shipments_inboundbatch_close", args=[batch.pk])
    assert "Missing: 2." in text_of(chilean.get(address))
    chilean.post(address, {"step": "run"})
    batch.refresh_from_db()
    assert (batch.state, batch.closed_by) == ("closed", "camila")
    assert scan(chilean, batch, "X").json()["error"] == "batch_not_open"
    assert "closed" in text_of(chilean.get(reverse("receive-batch", args=[batch.public_id])))


def test_labels_name_a_parcel_and_its_city_and_no_person(chilean: Client, acme: Company) -> None:
    manifest = shipped(acme, 3, consignee_name="Ana Soto", consignee_address="Av. Uno 1", consignee_city="Temuco")
    batch, codes = opened(chilean, manifest), codes_of(manifest)
    scan(chilean, batch, codes[0])
    address = reverse("admin:shipments_inboundbatch_labels", args=[batch.pk])

    def labelled(**query: str) -> list[str]:
        answer: Any = chilean.get(address, query)
        return [label.tracking_code for label in answer.context["labels"]]

    assert labelled() == codes[1:]
    assert labelled(which="all", size="a4") == codes
    assert labelled(codes=f"h001, {codes[2].lower()}") == [codes[0], codes[2]]
    assert labelled(codes="NOBODY") == []
    assert labelled(which="nonsense", size="x") == codes[1:]
    shown = text_of(chilean.get(address, {"size": "a4"}))
    assert [text in shown for text in ("H002", "Temuco", manifest.mawb, 'class="labels a4"')] == [True] * 4
    assert [text in shown for text in ("Ana Soto", "Av. Uno")] == [False] * 2
    bars = shown.partition(f'aria-label="{codes[1]}"><path d="')[2].partition('"')[0]
    assert [int(width) for width in re.findall(r"h(\d)", bars)][-4:] == [2, 3, 1, 2]  # how a Code 128 ends


def test_the_sheet_of_differences_names_what_a_workbook_does(chilean: Client, acme: Company) -> None:
    manifest, abroad = shipped(acme, 2, packages_count=2), shipped(acme, 1, country="PE", consignee_name=PERUVIAN)
    codes = codes_of(manifest)
    batch = opened(chilean, manifest)
    scan(chilean, batch, codes[0], "NOBODY-7")
    InboundScan.objects.filter(code="NOBODY-7").update(guide=abroad.guides.get(), outcome="elsewhere")
    shown = text_of(chilean.get(reverse("admin:shipments_inboundbatch_sheet", args=[batch.pk])))
    assert [text in shown for text in (*codes, "NOBODY-7", "Arrived: 1 of 2.")] == [True] * 4
    assert abroad.mawb not in shown
    reader = operator_of("CL", username="r", role="Read-only")
    assert reader.get(reverse("admin:shipments_inboundbatch_sheet", args=[batch.pk])).status_code == 200
    assert reader.get(reverse("admin:shipments_inboundbatch_labels", args=[batch.pk])).status_code == 403
