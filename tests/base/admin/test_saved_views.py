"""An operator saves views of a list: only the operator's own, only parameters of the list, never more than is seen."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.models import MOST_VIEWS, SavedView
from shipments.models import Guide
from tests.companies.admin_pages import messages_of, operator, text_of
from tests.country_scope.operators import PERUVIAN, operator_of
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

LISTS = ["shipments_guide", "shipments_manifest", "webhooks_delivery"]
GUIDES = reverse("admin:shipments_guide_changelist")
VIEWS = reverse("admin:shipments_guide_views")
SAVE = {"step": "save"}
PASTED = "A list of pasted codes is kept for this session only"


@pytest.fixture
def staff() -> Client:
    return operator("view_guide", "view_manifest", "view_delivery")


def saved(client: Client, name: str = "Aduana", query: str = "status__exact=customs_held") -> Any:
    return client.post(f"{VIEWS}?{query}", {**SAVE, "name": name}, follow=True)


@pytest.mark.parametrize("model", LISTS)
def test_a_list_offers_to_save_what_is_set_and_shows_the_view_above_it(staff: Client, model: str) -> None:
    page, views = reverse(f"admin:{model}_changelist"), reverse(f"admin:{model}_views")
    assert f'action="{views}?q=ana"' not in text_of(staff.get(page))
    assert f'action="{views}?q=ana"' in text_of(staff.get(page, {"q": "ana"}))
    answer: Any = staff.post(f"{views}?q=ana", {**SAVE, "name": "Ana's"}, follow=True)
    assert answer.redirect_chain == [(f"{page}?q=ana", 302)]
    assert '<a href="?q=ana" aria-current="page">Ana&#x27;s</a>' in text_of(answer)
    assert '<a href="?q=ana">Ana&#x27;s</a>' in text_of(staff.get(page))
    others = [reverse(f"admin:{each}_changelist") for each in LISTS if each != model]
    assert [each for each in others if "?q=ana" in text_of(staff.get(each))] == []


def test_a_view_keeps_filters_search_and_order_and_drops_the_page(staff: Client) -> None:
    shipped(ClientFactory.create(client_code="OURS"), 60, consignee_name="Ana Soto")
    saved(staff, query="q=ana&p=2&o=7&country=&company=OURS")
    assert SavedView.objects.get().query == "company=OURS&o=7&q=ana"
    listed: Any = staff.get(f"{GUIDES}?{SavedView.objects.get().query}")
    assert listed.context["cl"].result_count == 60


def test_a_colleague_neither_sees_nor_changes_a_view(staff: Client) -> None:
    saved(staff)
    view = SavedView.objects.get()
    colleague = operator("view_guide", username="rita")
    assert "Aduana" not in text_of(colleague.get(GUIDES)) + text_of(colleague.get(VIEWS))
    for step in ("rename", "delete"):
        answer = colleague.post(VIEWS, {"step": step, "view": view.pk, "name": "Mine"}, follow=True)
        assert messages_of(answer) == ["This view does not exist."]
    assert SavedView.objects.get().name == "Aduana"


def test_a_view_is_renamed_and_deleted(staff: Client) -> None:
    saved(staff)
    view = SavedView.objects.get()
    staff.post(VIEWS, {"step": "rename", "view": view.pk, "name": "Held"})
    assert ">Held</a>" in text_of(staff.get(GUIDES))
    staff.post(VIEWS, {"step": "delete", "view": view.pk})
    assert ">Held</a>" not in text_of(staff.get(GUIDES))
    assert "No views yet." in text_of(staff.get(VIEWS))


def test_a_name_occurs_once_for_an_operator_and_a_list(staff: Client) -> None:
    saved(staff)
    assert messages_of(saved(staff, query="q=x")) == ["You have a view of this name already: Aduana."]
    assert SavedView.objects.get().query == "status__exact=customs_held"
    saved(staff, "Other")
    other = SavedView.objects.get(name="Other")
    answer = staff.post(VIEWS, {"step": "rename", "view": other.pk, "name": "Aduana"}, follow=True)
    assert messages_of(answer) == ["You have a view of this name already: Aduana."]
    assert messages_of(saved(operator("view_guide", username="rita"))) == ["Saved: Aduana."]
    manifests = reverse("admin:shipments_manifest_views")
    assert messages_of(staff.post(f"{manifests}?q=x", {**SAVE, "name": "Aduana"}, follow=True)) == ["Saved: Aduana."]


def test_a_list_has_no_more_views_than_fit(staff: Client) -> None:
    own: dict[str, Any] = {"operator": User.objects.get(), "list_name": "shipments.guide", "query": "q=x"}
    SavedView.objects.bulk_create(SavedView(name=f"View {number}", **own) for number in range(MOST_VIEWS))
    assert messages_of(saved(staff, "One more")) == ["A list can have 20 views; delete one first."]
    assert SavedView.objects.count() == MOST_VIEWS


@pytest.mark.parametrize(
    ("name", "query", "message"),
    [
        ("Empty", "", "Set filters, a search or an order first."),
        ("Empty", "p=1&country=", "Set filters, a search or an order first."),
        ("", "q=x", "A view needs a name."),
        ("x" * 61, "q=x", "A name can have at most 60 characters."),
        ("Null\0", "q=x", "Null characters are not allowed."),
        ("Long", f"q={'x' * 2000}", "This search is too long for a view."),
        (
            "Pasted",
            "pasted=ab12",
            "A list of pasted codes is kept for this session only, and cannot be saved as a view.",
        ),
    ],
)
def test_what_is_no_view_is_refused_with_its_reason(staff: Client, name: str, query: str, message: str) -> None:
    assert messages_of(saved(staff, name, query)) == [message]
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    "query",
    ["consignee_name__startswith=Soto", "manifest__company__api_password_digest__startswith=a", "e=1"],
)
def test_parameters_that_the_list_does_not_have_are_refused(staff: Client, query: str) -> None:
    assert saved(staff, query=query).status_code == 400
    assert not SavedView.objects.exists()


@pytest.mark.parametrize("key", ["", "0", "abc", "9" * 30, "1\0"])
def test_a_view_that_does_not_exist_is_not_found(staff: Client, key: str) -> None:
    assert messages_of(staff.post(VIEWS, {"step": "delete", "view": key}, follow=True)) == ["This view does not exist."]


def test_a_view_shows_no_more_than_its_operator_may_see() -> None:
    both = ClientFactory.create(client_code="BOTH", allowed_countries=["CL", "PE"])
    home, abroad = shipped(both, 1, country="CL"), shipped(both, 1, country="PE", consignee_name=f"{PERUVIAN} Rosa")
    camila = operator_of("CL")
    for query in ("country=PE", "company=BOTH", f"manifest__id__exact={abroad.pk}", f"q={PERUVIAN}"):
        saved(camila, query, query)
        listed: Any = camila.get(f"{GUIDES}?{SavedView.objects.get(name=query).query}")
        assert {guide.manifest for guide in listed.context["cl"].result_list} <= {home}
        assert "Rosa" not in text_of(listed)
    assert Guide.objects.count() == 2


def test_a_view_whose_filter_was_removed_since_is_a_400(staff: Client) -> None:
    user = User.objects.get(username="olga")
    SavedView.objects.create(operator=user, list_name="shipments.guide", name="Old", query="colour__exact=red")
    assert "?colour__exact=red" in text_of(staff.get(GUIDES))
    assert staff.get(f"{GUIDES}?colour__exact=red").status_code == 400


def test_age_deletes_views_that_search_and_no_others(staff: Client, capsys: pytest.CaptureFixture[str]) -> None:
    saved(staff, "Person", "country=CL&q=rosa")
    saved(staff, "Person too", "q=rosa")
    saved(staff, "Filter")
    SavedView.objects.update(created_at=timezone.now() - timedelta(days=40))
    saved(staff, "New", "q=ana")
    call_command("anonymise", "--older-than", "30", "--dry-run")
    assert "Saved views that search for something to delete: 2." in capsys.readouterr().out
    assert SavedView.objects.count() == 4
    call_command("anonymise", "--older-than", "30")
    assert set(SavedView.objects.values_list("name", flat=True)) == {"Filter", "New"}
