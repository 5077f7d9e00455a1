"""Two operators, one row: whoever saves the form that was opened earlier is told, and overwrites nothing."""

from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, Permission, User
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from base.admin.confirmed_action import RUN, STEP
from companies.models import Company, OperatorProfile
from shipments.models import Guide
from tests.country_scope.operators import operator_of, rows_of, text_of
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages
NOTHING_STORED = "Your changes were not saved."


@pytest.fixture
def ana() -> Client:
    return operator_of(username="ana")


@pytest.fixture
def luis() -> Client:
    return operator_of(username="luis")


@pytest.fixture
def guide() -> Guide:
    company = ClientFactory.create(client_code="ACME", contact_phone="+56 2 1111", contact_name="Eva")
    ClientFactory.create(client_code="RIVAL", contact_phone="+56 2 9999")
    return Guide.objects.get(manifest=shipped(company, 1))


def opened(browser: Client, address: str) -> dict[str, Any]:
    """What the browser would send of the form at this address, as it is shown."""
    context: Any = browser.get(address).context
    form = context["adminform"].form if "adminform" in context else context["form"]
    values = {field.html_name: field.value() for field in form if not field.field.disabled}
    shown = {name: "on" if value is True else value for name, value in values.items()}
    return {name: value for name, value in shown.items() if value is not None and value is not False}


def change_page(row: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def test_every_change_form_of_the_admin_carries_what_was_seen(admin_client: Client, guide: Guide) -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.get(is_superuser=True)
    rows = rows_of(guide, guide.manifest.company) | {"auth_user": request.user, "auth_group": Group.objects.first()}
    changed = [admin for admin in site._registry.values() if admin.has_change_permission(request)]
    assert len(changed) >= 5
    for admin in changed:
        row = rows[f"{admin.opts.app_label}_{admin.opts.model_name}"]
        assert 'name="seen"' in text_of(admin_client.get(change_page(row)))
        assert not admin.get_inline_instances(request)  # which would need tokens of their own


def test_a_stale_form_names_who_saved_shows_the_value_of_now_and_stores_nothing(
    ana: Client, luis: Client, guide: Guide
) -> None:
    page = change_page(guide.manifest.company)
    stale = opened(luis, page)
    ana.post(page, opened(ana, page) | {"contact_phone": "+56 2 2222", "contact_name": "Rosa"})
    answer = text_of(luis.post(page, stale | {"contact_name": "Iris", "contact_email": "iris@acme.cl"}))
    assert NOTHING_STORED in answer
    assert "by: ana, " in answer
    assert "the current value is: Rosa" in answer
    assert 'value="Iris"' in answer
    assert 'value="iris@acme.cl"' in answer
    assert 'value="+56 2 2222"' in answer  # which luis had not touched
    company = Company.objects.get(client_code="ACME")
    assert (company.contact_name, company.contact_phone, company.contact_email) == ("Rosa", "+56 2 2222", "")
    assert Company.objects.get(client_code="RIVAL").contact_phone == "+56 2 9999"


def test_saved_again_in_knowledge_of_it_what_was_entered_is_stored_beside_the_others_change(
    ana: Client, luis: Client, guide: Guide
) -> None:
    page = change_page(guide.manifest.company)
    stale = opened(luis, page)
    ana.post(page, opened(ana, page) | {"contact_phone": "+56 2 2222"})
    form: Any = luis.post(page, stale | {"contact_name": "Iris"}).context["adminform"].form
    again = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    assert luis.post(page, again).status_code == 302
    company = Company.objects.get(client_code="ACME")
    assert (company.contact_name, company.contact_phone) == ("Iris", "+56 2 2222")


def test_the_same_form_sent_twice_and_what_forms_do_not_change_are_no_conflict(luis: Client, guide: Guide) -> None:
    page = change_page(guide.manifest.company)
    form = opened(luis, page) | {"contact_name": "Iris"}
    Company.objects.filter(client_code="ACME").update(is_active=False, api_password_hint="pa_live_x")
    assert [luis.post(page, form).status_code for _time in range(2)] == [302, 302]


def test_a_leaver_is_not_brought_back_by_a_tab_that_was_open(admin_client: Client, ana: Client) -> None:
    leaver = User.objects.create_user("rita", is_staff=True)
    OperatorProfile.objects.create(user=leaver, countries=["CL"])
    page = change_page(leaver)
    stale = opened(admin_client, page)
    ana.post(page, {name: value for name, value in opened(ana, page).items() if name != "is_active"})
    assert not User.objects.get(username="rita").is_active
    answer = text_of(admin_client.post(page, stale | {"first_name": "Rita"}))
    assert "this is the current value: no" in answer
    leaver.refresh_from_db()
    assert (leaver.is_active, leaver.first_name) == (False, "")


def test_countries_and_permissions_are_compared_too(admin_client: Client, ana: Client) -> None:
    colleague, group = User.objects.create_user("rita", is_staff=True), Group.objects.create(name="Desk")
    OperatorProfile.objects.create(user=colleague, countries=["CL"])
    for page, wider in (
        (change_page(colleague), {"countries": ["PE"]}),
        (change_page(group), {"permissions": [Permission.objects.order_by("pk").values_list("pk", flat=True)[0]]}),
    ):
        stale = opened(admin_client, page)
        assert ana.post(page, opened(ana, page) | wider).status_code == 302
        assert NOTHING_STORED in text_of(admin_client.post(page, stale))
    assert OperatorProfile.objects.get(user=colleague).countries == ["PE"]
    assert group.permissions.count() == 1


def test_a_stale_correction_empties_no_phone(ana: Client, luis: Client, guide: Guide) -> None:
    page = reverse("admin:shipments_guide_correct_consignee", args=[guide.pk])
    sent = {STEP: RUN, "reason": "The client asked for it."}
    stale = opened(luis, page) | sent
    ana.post(page, opened(ana, page) | sent | {"consignee_phone": "+56 9 1234"})
    Guide.objects.filter(pk=guide.pk).update(status="in_transit")  # an event of a carrier
    answer = text_of(luis.post(page, stale | {"consignee_phone": "", "consignee_name": "Eva Soto"}))
    assert "by: ana, " in answer
    assert "+56 9 1234" in answer
    guide.refresh_from_db()
    assert guide.consignee_phone == "+56 9 1234"
    assert guide.consignee_name != "Eva Soto"
    fresh = opened(luis, page) | sent
    Guide.objects.filter(pk=guide.pk).update(status="customs_processing")
    assert luis.post(page, fresh | {"consignee_name": "Eva Soto"}).status_code == 302


def test_a_stale_meaning_of_a_code_is_not_stored(ana: Client, luis: Client, guide: Guide) -> None:
    code = rows_of(guide, guide.manifest.company)["shipments_carriercode"]
    page = reverse("admin:shipments_carriercode_choose_meaning", args=[code.pk])
    stale = opened(luis, page)
    assert ana.post(page, opened(ana, page) | {"meaning": "ignore", STEP: RUN}).status_code == 302
    assert NOTHING_STORED in text_of(luis.post(page, stale | {"meaning": "in_transit", STEP: RUN}))
    code.refresh_from_db()
    assert code.action == "ignore"
