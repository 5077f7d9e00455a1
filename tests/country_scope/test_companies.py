"""Companies, their subscriptions and their log, where a company ships to more countries than the operator's."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from companies.models import Company, OperatorProfile
from tests.country_scope.operators import URL, operator_of, text_of
from tests.factories import ClientFactory, CourierFactory
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db


def test_a_company_that_ships_elsewhere_too_is_read_and_left_alone(staff: Client, both: Company) -> None:
    digest = Company.objects.get(pk=both.pk).api_password_digest
    page = reverse("admin:companies_company_change", args=[both.pk])
    assert both.name in text_of(staff.get(page))
    assert staff.post(page, {"name": "Mine now", "tracking_prefix": "X"}).status_code == 403
    for name in ("rotate_api_password", "deactivate"):
        assert (
            staff.post(reverse(f"admin:companies_company_{name}", args=[both.pk]), {"step": "run"}).status_code == 403
        )
    ticked = {"action": "deactivate_selected", "_selected_action": [both.pk], "step": "run"}
    answer: Any = staff.post(reverse("admin:companies_company_changelist"), ticked, follow=True)
    assert "ship to countries outside yours" in text_of(answer)
    both.refresh_from_db()
    assert (both.is_active, both.api_password_digest) == (True, digest)


def test_of_a_company_that_ships_elsewhere_too_the_endpoint_is_not_seen(staff: Client, both: Company) -> None:
    subscription, _secret = register(both, URL)
    response: Any = staff.get(reverse("admin:webhooks_subscription_changelist"))
    assert list(response.context["cl"].result_list) == []
    page = reverse("admin:webhooks_subscription_change", args=[subscription.pk])
    assert staff.get(page).status_code == 404
    form = {"company": both.pk, "url": f"{URL}/mine", "secret": "x" * 20}
    assert "Select a valid choice" in text_of(staff.post(reverse("admin:webhooks_subscription_add"), form))


@pytest.mark.parametrize(
    ("countries", "posts_for", "seen", "managed"),
    [
        (["CL"], [], True, True),
        (["CL", "PE"], [], True, False),
        (["PE"], [], False, False),
        ([], [], False, False),
        ([], ["CL"], True, True),
        ([], ["CL", "PE"], True, False),
        ([], ["PE"], False, False),
        (["CL"], ["PE"], True, False),
    ],
)
def test_which_companies_an_operator_of_chile_sees_and_governs(
    countries: list[str],
    posts_for: list[str],
    seen: bool,  # noqa: FBT001  # a table
    managed: bool,  # noqa: FBT001  # a table
) -> None:
    clients = [ClientFactory.create(allowed_countries=[country]) for country in posts_for]
    maker = CourierFactory if posts_for else ClientFactory
    company = maker.create(allowed_countries=countries, posts_for=clients)
    user = User.objects.create_user("camila", is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["CL"])
    assert Company.objects.visible_to(user).filter(pk=company.pk).exists() is seen
    assert Company.objects.managed_by(user).filter(pk=company.pk).exists() is managed


def test_a_company_is_onboarded_for_ones_own_countries_alone(staff: Client) -> None:
    def onboard(**fields: Any) -> str:
        form = {"name": "Nueva", "client_code": "NUEVA", "kind": "client", "tracking_prefix": "", **fields}
        return text_of(staff.post(reverse("admin:companies_company_add"), form, follow=True))

    assert "Select a valid choice" in onboard(allowed_countries=["CL", "PE"])
    assert "Choose at least one of your countries" in onboard()
    assert not Company.objects.filter(client_code="NUEVA").exists()
    assert "pa_live_" in onboard(allowed_countries=["CL"])


def test_an_operators_only_country_is_chosen_already() -> None:
    add = reverse("admin:companies_company_add")
    for countries, chosen in (("PE", ["PE"]), ("CL,PE", [])):
        shown: Any = operator_of(*countries.split(","), username=countries).get(add)
        assert (shown.context["adminform"].form["allowed_countries"].value() or []) == chosen
