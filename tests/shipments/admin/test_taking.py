"""Operators take guides to look at, see who has them, and go from one guide of the work list to the next."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from base.admin.activity import act_in_words
from companies.models import Company
from shipments.models import Guide, GuideTaking
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.admin.pages import GUIDES, listed, text_of
from tests.shipments.shipping import bring, correct_as_operator, shipped
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db

INVALID: dict[str, Any] = {"country": "CL", "review_reasons": ("rut_invalid_format",)}


@pytest.fixture
def colleague(staff: Client) -> Client:  # noqa: ARG001  # the first operator is there before
    other = User.objects.create_superuser("paula")
    client = Client()
    client.force_login(other)
    return client


def do(browser: Client, name: str, guide: Guide, **data: Any) -> Any:
    address = reverse(f"admin:shipments_guide_{name}", args=[guide.pk])
    return browser.post(address, {"step": "run", **data}, follow=True)


def run(browser: Client, action: str, *guides: Guide) -> Any:
    return browser.post(GUIDES, {"action": action, "_selected_action": [guide.pk for guide in guides]}, follow=True)


def test_who_takes_a_guide_has_it_in_a_list_and_others_see_so(
    staff: Client, colleague: Client, ours: Company, theirs: Company
) -> None:
    taken, free = shipped(ours, 2).guides.order_by("pk")
    other = shipped(theirs, 1).guides.get()
    do(staff, "take", taken)
    do(colleague, "take", other)
    assert listed(staff.get(GUIDES, {"taken": "mine"})) == [taken]
    assert listed(colleague.get(GUIDES, {"taken": "mine"})) == [other]
    assert listed(staff.get(GUIDES, {"taken": "nobody"})) == [free]
    name = GuideTaking.objects.get(guide=taken).operator.get_username()
    assert f"taken: {name}" in text_of(colleague.get(GUIDES))
    page = text_of(colleague.get(reverse("admin:shipments_guide_change", args=[taken.pk])))
    assert f"{name} has taken this guide" in page


def test_a_guide_that_somebody_has_is_not_taken_again_until_it_is_released(
    staff: Client, colleague: Client, ours: Company
) -> None:
    first, second = shipped(ours, 2).guides.order_by("pk")
    do(staff, "take", first)
    page = text_of(run(colleague, "take_selected", first, second))
    assert "You have taken 1 guide." in page
    assert "1 guide was taken by somebody else." in page
    run(colleague, "release_selected", first, second)
    assert [taking.guide for taking in GuideTaking.objects.all()] == [first]
    do(colleague, "release", first)
    assert not GuideTaking.objects.exists()
    said = LogEntry.objects.filter(object_id=str(first.pk)).order_by("pk")
    assert [text for text in map(act_in_words, said) if text != "Opened."] == ["Took the guide.", "Released the guide."]


def test_taking_changes_nothing_for_the_client(staff: Client, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    before, sent = acme.get(f"/guides/{guide.tracking_code}"), Delivery.objects.count()
    do(staff, "take", guide)
    after = acme.get(f"/guides/{guide.tracking_code}")
    assert (after["ETag"], after.content) == (before["ETag"], before.content)
    assert Delivery.objects.count() == sent
    version = guide.manifest.version
    guide.manifest.refresh_from_db()
    assert guide.manifest.version == version


def test_a_review_releases_the_guide(staff: Client, ours: Company) -> None:
    first, second, ended = shipped(ours, 3, **INVALID).guides.order_by("pk")
    run(staff, "take_selected", first, second, ended)
    do(staff, "mark_reviewed", first)
    correct_as_operator(second, {"consignee_document": "12345678-5"}, actor="olga")
    assert [taking.guide for taking in GuideTaking.objects.all()] == [ended]
    bring(ended, "delivered")
    assert listed(staff.get(GUIDES, {"taken": "mine"})) == []


def test_save_and_next_goes_through_the_work_list_without_what_others_have(
    staff: Client, colleague: Client, ours: Company
) -> None:
    first, of_a_colleague, second, last = shipped(ours, 4, **INVALID).guides.order_by("pk")
    do(colleague, "take", of_a_colleague)
    assert listed(staff.get(GUIDES, {"work": "review"})) == [first, of_a_colleague, second, last]
    assert "Save and next" in text_of(staff.get(reverse("admin:shipments_guide_mark_reviewed", args=[first.pk])))
    seen = [do(staff, "mark_reviewed", guide, further="1").redirect_chain[-1][0] for guide in (first, second, last)]
    pages = [reverse("admin:shipments_guide_change", args=[guide.pk]) for guide in (second, last)]
    assert seen == [*pages, f"{GUIDES}?work=review"]
    assert list(Guide.objects.to_review()) == [of_a_colleague]


def test_a_guide_without_a_remark_is_reviewed_by_one_button_of_its_page(staff: Client, ours: Company) -> None:
    first, second = shipped(ours, 2, **INVALID).guides.order_by("pk")
    page = staff.get(reverse("admin:shipments_guide_change", args=[first.pk])).content.decode()
    form = page[page.index(f'action="{reverse("admin:shipments_guide_mark_reviewed", args=[first.pk])}"') :]
    assert 'name="step" value="run"' in form.partition("</form>")[0]
    assert 'name="further" value="1"' in form.partition("</form>")[0]
    answer = do(staff, "mark_reviewed", first, further="1")
    assert answer.redirect_chain[-1][0] == reverse("admin:shipments_guide_change", args=[second.pk])
    assert f"{first} is marked as reviewed." in text_of(answer)


def test_save_and_next_corrects_first(staff: Client, ours: Company) -> None:
    other, guide = shipped(ours, 2, **INVALID).guides.order_by("pk")
    values = {"consignee_name": "Ana Soto", "consignee_document_type": "RUT", "consignee_document": "12345678-5"}
    answer = do(staff, "correct_consignee", guide, further="1", reason="The client called.", **values)
    form = reverse("admin:shipments_guide_correct_consignee", args=[other.pk])
    assert answer.redirect_chain[-1][0] == f"{form}?nth=2&of=2"
    assert "Correct the consignee · 2 of 2" in text_of(answer)
    guide.refresh_from_db()
    assert (guide.consignee_name, guide.needs_review) == ("Ana Soto", False)


def test_the_next_one_is_of_the_operators_country(ours: Company) -> None:
    browser = operator_of("CL")
    shipped(ours, 1, **{**INVALID, "country": "PE"})
    guide = shipped(ours, 1, **INVALID).guides.get()
    assert do(browser, "mark_reviewed", guide, further="1").redirect_chain[-1][0] == f"{GUIDES}?work=review"
