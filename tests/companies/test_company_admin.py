"""Companies in the admin: onboarding, changing, finding, and permissions."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companies.forms import CompanyForm
from companies.models import Company
from companies.onboarding import activate, deactivate
from tests.companies.admin_pages import ADD, LIST, form, messages_of, opens_for, operator, page, shown_password, text_of
from tests.factories import ClientFactory, CourierFactory, password_of

pytestmark = pytest.mark.django_db


def test_the_page_after_onboarding_shows_a_password_that_opens_the_api(staff: Client) -> None:
    other = ClientFactory.create()
    answer = staff.post(ADD, form(), follow=True)
    company = Company.objects.get(client_code="ACME")
    assert answer.redirect_chain == [(page("api_password", company), 302)]
    password = shown_password(answer)
    assert password is not None
    assert opens_for(password) == company != other
    assert "no-store" in answer["Cache-Control"]


def test_a_second_look_says_that_it_was_shown_and_how_to_get_another(staff: Client) -> None:
    first = staff.post(ADD, form(), follow=True)
    company = Company.objects.get()
    second = staff.get(page("api_password", company))
    assert shown_password(first) is not None
    assert shown_password(second) is None
    assert "has already been shown" in text_of(second)
    assert page("rotate_api_password", company) in text_of(second)


@pytest.mark.parametrize("button", ["_save", "_continue", "_addanother", "_popup"])
def test_whichever_button_saves_it_the_password_page_comes_next(staff: Client, button: str) -> None:
    answer = staff.post(ADD, form(**{button: "1"}))
    assert answer["Location"] == page("api_password", Company.objects.get())


def test_a_code_is_kept_in_capitals_and_countries_in_their_order(staff: Client) -> None:
    staff.post(ADD, form(client_code="acme", tracking_prefix="ac9", allowed_countries=["AR", "CL"]))
    company = Company.objects.get()
    assert (company.client_code, company.tracking_prefix) == ("ACME", "AC9")
    assert company.allowed_countries == ["CL", "AR"]


def test_an_empty_prefix_is_made_from_the_code_and_said(staff: Client) -> None:
    answer = staff.post(ADD, form(), follow=True)
    assert Company.objects.get().tracking_prefix == "ACM"
    assert any("ACM." in message for message in messages_of(answer))


def test_a_prefix_that_another_company_has_is_warned_of(staff: Client) -> None:
    ClientFactory.create(client_code="ACMARK", tracking_prefix="ACM")
    answer = staff.post(ADD, form(), follow=True)
    assert any("ACMARK" in message for message in messages_of(answer))


REFUSED = {
    "no name": ({"name": ""}, "name"),
    "a code that is taken": ({"client_code": "taken"}, "client_code"),
    "an unknown country": ({"allowed_countries": ["BR"]}, "allowed_countries"),
    "a code too short to make a prefix from": ({"client_code": "A-"}, "tracking_prefix"),
}


@pytest.mark.parametrize(("fields", "named"), REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_company_names_the_field_and_leaves_nothing(
    staff: Client, fields: dict[str, Any], named: str
) -> None:
    ClientFactory.create(client_code="TAKEN")
    answer = staff.post(ADD, form(**fields))
    assert answer.status_code == 200
    assert set(answer.context["adminform"].form.errors) == {named}
    assert Company.objects.count() == 1
    assert "shown_once" not in staff.cookies


def test_a_client_posts_for_nobody_and_a_courier_for_clients_only(staff: Client) -> None:
    client, courier = ClientFactory.create(), CourierFactory.create()
    for kind, linked in (("client", client), ("courier", courier)):
        answer = staff.post(ADD, form(kind=kind, posts_for=[linked.pk]))
        assert set(answer.context["adminform"].form.errors) == {"posts_for"}
    staff.post(ADD, form(kind="courier", posts_for=[client.pk]))
    assert list(Company.objects.get(client_code="ACME").posts_for.all()) == [client]


def test_a_reader_sees_the_company_and_adds_none() -> None:
    company = ClientFactory.create(allowed_countries=["CL", "AR"])
    reader = operator("view_company")
    html = text_of(reader.get(page("change", company)))
    assert company.api_password_hint in html
    assert "Chile, Argentina" in html
    assert reader.get(ADD).status_code == 403


def test_whoever_may_only_onboard_still_sees_the_password_once() -> None:
    answer = operator("add_company").post(ADD, form(), follow=True)
    assert shown_password(answer) is not None


@pytest.mark.parametrize("name", ["change", "rotate_api_password", "deactivate", "activate", "api_password"])
def test_a_stranger_is_led_to_the_login(name: str) -> None:
    answer = Client().get(page(name, ClientFactory.create()))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("admin:login"))


def test_deletion_is_not_offered_even_to_a_superuser(admin_client: Client) -> None:
    company = ClientFactory.create()
    address = reverse("admin:companies_company_delete", args=[company.pk])
    assert admin_client.get(address).status_code == 403
    assert admin_client.post(address, {"post": "yes"}).status_code == 403
    assert address not in text_of(admin_client.get(page("change", company)))
    assert "delete_selected" not in text_of(admin_client.get(LIST))
    assert Company.objects.filter(pk=company.pk).exists()


def test_what_was_decided_at_onboarding_cannot_be_changed_in_the_form(staff: Client) -> None:
    company = ClientFactory.create(client_code="ACME")
    changed = form(name="Acme SpA", client_code="OTHER", kind="courier", tracking_prefix="NEW")
    staff.post(page("change", company), {**changed, "is_active": "", "api_password_hint": "x"})
    company.refresh_from_db()
    assert (company.name, company.tracking_prefix, company.allowed_countries) == ("Acme SpA", "NEW", ["CL"])
    assert (company.client_code, company.kind, company.is_active) == ("ACME", "client", True)
    assert opens_for(password_of(company)) == company


def codes(answer: Any) -> list[str]:
    return [company.client_code for company in answer.context["cl"].result_list]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=andes", {"AND"}),
        ("q=RIV", {"RIVAL"}),
        ("country=CL", {"AND", "RIVAL"}),
        ("country=AR", {"RIVAL"}),
        ("country=XX", {"AND", "RIVAL", "BRISA"}),
        ("kind__exact=courier", {"BRISA"}),
        ("is_active__exact=0", {"RIVAL"}),
        ("is_marketplace__exact=1", {"AND"}),
    ],
)
def test_the_list_is_searched_and_filtered(staff: Client, query: str, found: Iterable[str]) -> None:
    ClientFactory.create(name="Andes Retail", client_code="AND", allowed_countries=["CL"], is_marketplace=True)
    ClientFactory.create(name="Rival", client_code="RIVAL", allowed_countries=["CL", "AR"], is_active=False)
    CourierFactory.create(name="Brisa", client_code="BRISA", allowed_countries=["PE"])
    assert set(codes(staff.get(f"{LIST}?{query}"))) == found


def test_sixty_companies_fill_two_pages_at_the_price_of_ten(staff: Client, django_assert_num_queries: Any) -> None:
    ClientFactory.create_batch(10)
    with CaptureQueriesContext(connection) as few:
        staff.get(LIST)
    ClientFactory.create_batch(50)
    with django_assert_num_queries(len(few)):
        first = staff.get(LIST)
    assert len(codes(first)) == 50
    assert len(codes(staff.get(f"{LIST}?p=2"))) == 10


def test_what_is_rotated_or_closed_while_a_company_is_edited_stays_so(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = ClientFactory.create(tracking_prefix="ACM")
    old = password_of(company)
    made: list[str] = []
    clean = CompanyForm.clean

    def meanwhile(self: CompanyForm) -> dict[str, Any]:
        """Between the reading of the row and its writing two colleagues act."""
        colleagues = Company.objects.get(pk=company.pk)
        made.append(colleagues.set_new_password())
        deactivate(colleagues)
        return clean(self)

    monkeypatch.setattr(CompanyForm, "clean", meanwhile)
    staff.post(page("change", company), form(name="Acme SpA", tracking_prefix="ACM"))
    company.refresh_from_db()
    assert (company.name, company.is_active) == ("Acme SpA", False)
    activate(company)
    (new,) = made
    assert opens_for(new) == company
    assert opens_for(old) is None
