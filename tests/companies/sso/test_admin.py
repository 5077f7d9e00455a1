"""The operator's page: a superuser, and nobody else, says who the operator is at the provider."""

from typing import Any

import pytest
from auditlog.models import LogEntry as Change
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from companies.models import OperatorProfile
from tests.companies.admin_pages import operator
from tests.companies.operators.test_operators_admin import edited
from tests.companies.sso.logging_in import bound, said, who
from tests.companies.sso.lying import LyingProvider
from tests.companies.sso.test_lies import log_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana() -> User:
    user = User.objects.create_user("ana", is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["CL"])
    return user


def page(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def subject_of(user: User) -> tuple[str, str]:
    profile = OperatorProfile.objects.get(user=user)
    return profile.issuer, profile.subject


def test_a_superuser_binds_an_operator_who_then_logs_in_there(
    admin_client: Client, liar: LyingProvider, ana: User
) -> None:
    assert 'name="subject"' in said(admin_client.get(page(ana)))
    admin_client.post(page(ana), edited(ana, subject="u-1"))
    assert subject_of(ana) == (liar.issuer, "u-1")
    assert Change.objects.filter(changes__has_key="subject", actor__username="admin").exists()
    browser = Client()
    log_in(liar, browser)
    assert who(browser) == ana
    admin_client.post(page(ana), edited(ana, subject=""))
    assert subject_of(ana) == ("", "")
    log_in(liar, browser)
    assert who(browser) != ana


def test_an_identifier_is_of_one_operator_and_one_that_none_can_have_is_refused(
    admin_client: Client, liar: LyingProvider, ana: User
) -> None:
    bound("eva", "u-1", liar.issuer)
    for subject, words in (("u-1", "eva has this identifier."), ("a\u202eb", "invisible characters")):
        assert words in said(admin_client.post(page(ana), edited(ana, subject=subject)))
    assert subject_of(ana) == ("", "")


def test_whoever_manages_users_neither_sees_nor_changes_it(liar: LyingProvider) -> None:
    eva = bound("eva", "secret-sub", liar.issuer)
    manager = operator(*Permission.objects.filter(content_type__model="user").values_list("codename", flat=True))
    content = said(manager.get(page(eva)))
    assert "eva" in content
    assert "secret-sub" not in content
    manager.post(page(eva), edited(eva, subject="u-9", first_name="Eva"))
    assert User.objects.get(pk=eva.pk).first_name == "Eva"
    assert subject_of(eva) == (liar.issuer, "secret-sub")


def test_without_a_provider_the_page_asks_for_none(admin_client: Client, ana: User, settings: Any) -> None:
    settings.OIDC_ISSUER = ""
    assert 'name="subject"' not in said(admin_client.get(page(ana)))
