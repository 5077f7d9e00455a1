"""What a list without rows says, and where it leads."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from tests.country_scope.operators import operator_of, text_of

pytestmark = pytest.mark.django_db


def test_an_empty_list_links_what_makes_its_first_row(admin_client: Client) -> None:
    page = text_of(admin_client.get(reverse("admin:companies_company_changelist")))
    assert f'<a href="{reverse("admin:companies_company_add")}">Add a company</a>' in page


def test_an_empty_list_links_nothing_that_the_operator_may_not_open() -> None:
    reader = operator_of("PE", role="Read-only")
    page = text_of(reader.get(reverse("admin:shipments_refusedrequest_changelist")))
    assert "Nothing has been refused" in page
    assert reverse("enter-manifest") not in page


def test_a_list_with_filters_offers_itself_without_them(admin_client: Client) -> None:
    page = text_of(admin_client.get(reverse("admin:shipments_guide_changelist"), {"country": "CL"}))
    assert "Show the whole list" in page
    assert "What clients send appears here by itself" not in page


def test_every_first_step_is_a_page_with_a_real_permission(admin_client: Client) -> None:
    """A superuser has any permission, so a misspelt one would hide a link from everybody else in silence."""

    known = {f"{app}.{name}" for app, name in Permission.objects.values_list("content_type__app_label", "codename")}
    steps = [step for each in admin.site._registry.values() for step in getattr(each, "first_steps", ())]
    assert {permission for _label, _view, permission in steps} <= known
    assert {admin_client.get(reverse(view)).status_code for _label, view, _permission in steps} == {200}
