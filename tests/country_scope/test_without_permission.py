"""A user of the admin who was given no permission at all sees nothing, at any address."""

from typing import Any

import pytest
from auditlog.models import LogEntry as Change
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse
from django.utils import timezone

from companies.models import Company, Mail, MailKind, OperatorAccess, OperatorProfile
from shipments.models import Chore, Guide
from tests.country_scope.addresses import addresses, models_address
from tests.country_scope.operators import CHILEAN, URL, rows_of, undone
from tests.factories import ClientFactory

pytestmark = pytest.mark.django_db

OPEN = {
    "admin:index", "admin:login", "login", "admin:password_change", "admin:password_change_done", "admin:jsi18n",
    "admin:search", "clock", "own-password", "search", "second-factor", "second-factor-verify", "second-factor-enrol",
    "second-factor-qr", "second-factor-recovery-codes", "sso-login", "sso-callback", "sso-logout", "manual",
    "manual-chapter", "manual-picture",
    "notifications", "forgotten-password", "new-password", "invitation",
}  # fmt: skip
"""Whoever is logged in has these: the start page, empty, the manual, and what concerns the user alone."""

ARGUMENTS = {"kind": "manifest", "app_label": "companies", "content_type_id": "1", "url": "nothing", "object_id": "1",
             "number": 1, "alarm_id": 1, "session": "1", "company_id": 1, "batch": "ib_1",
             "slug": "morning", "picture": "morning", "uidb64": "MQ", "token": "a-b"}  # fmt: skip
_OWN_FILES = {"draft_id", "file_id"}


@pytest.fixture
def nobody() -> Client:
    """Staff, of every country, without a permission."""
    browser = Client()
    user = User.objects.create_user("nadie", is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["all"])
    browser.force_login(user)
    return browser


def other_rows(guide: Guide) -> dict[str, Any]:
    """A row of each model that concerns the whole service."""
    user = User.objects.get(username="nadie")
    act = LogEntry.objects.create(
        user=user, content_type=ContentType.objects.get_for_model(Guide), object_id=str(guide.pk),
        object_repr=guide.tracking_code, action_flag=CHANGE, change_message="Opened.",
    )  # fmt: skip
    return {
        "auth_user": user,
        "companies_operatoraccess": OperatorAccess.objects.create(
            user=User.objects.create_user("access:counter"),
            name="counter",
            secret_set_at=timezone.now(),
            expires_at=timezone.now(),
        ),
        "shipments_chore": Chore.objects.create(name="prune_upload_jobs"),
        "companies_mail": Mail.objects.create(kind=MailKind.INVITATION, operator=user),
        "auth_group": Group.objects.earliest("pk"),
        "admin_logentry": act,
        "auditlog_logentry": Change.objects.earliest("pk"),
    }


def address_of(name: str, pattern: URLPattern, rows: dict[str, Any]) -> str:
    """The address, about the row of its model if it has one."""
    row = rows.get(str(models_address(name)))
    arguments = {key: ARGUMENTS.get(key, "") for key in pattern.pattern.converters}
    if row is None and "move_id" in arguments:  # an operator's own question about a file
        row = rows["shipments_bulkmove"]
    if row is not None:
        arguments |= {key: row.pk for key in arguments if key not in {"kind", "number", "alarm_id", "session"}}
    arguments |= {key: "00000000-0000-0000-0000-000000000000" for key in arguments if key in _OWN_FILES}
    try:
        return reverse(name, kwargs=arguments)
    except NoReverseMatch:
        return reverse(name, args=[*arguments.values()] or ["companies"])


@pytest.mark.usefixtures("plain_refusals")
@pytest.mark.parametrize("method", ["get", "post"])
def test_no_address_shows_anything_without_a_permission(nobody: Client, home: Guide, method: str) -> None:
    company: Company = ClientFactory.create(name="Importadora Andes", client_code="ANDES", allowed_countries=["CL"])
    rows = rows_of(home, company) | other_rows(home)
    for name, _route, pattern in addresses():
        if name in {"admin:logout", "logout", "admin:"}:
            continue
        address = address_of(name, pattern, rows)
        with undone():
            response: Any = getattr(nobody, method)(address)
            text = response.getvalue() if response.streaming else response.content
        for marker in ("ANDES", "Andes", home.tracking_code, home.manifest.mawb, CHILEAN, URL, "evt_"):
            assert marker not in text.decode(errors="replace"), name
        if name in OPEN:
            assert response.status_code in {200, 204, 302, 404, 405}, name
        elif response.status_code == 302:
            assert response["Location"] == f"{reverse('admin:login')}?next={address}"
        elif name in {"admin:view_on_site", "admin:app_list"}:
            assert response.status_code == 404  # no model has a page elsewhere; no application shows a list
        else:
            assert response.status_code in {403, 405}, name


def test_the_secrets_page_is_for_those_who_may_register_or_rotate(home: Guide) -> None:
    reader, maker = User.objects.create_user("leo", is_staff=True), User.objects.create_user("mara", is_staff=True)
    reader.groups.set(Group.objects.filter(name="Read-only"))
    maker.groups.set(Group.objects.filter(name="Onboarding"))
    subscription = rows_of(home, ClientFactory.create())["webhooks_subscription"]
    for user, status in ((reader, 403), (maker, 200)):
        OperatorProfile.objects.create(user=user, countries=["all"])
        browser = Client()
        browser.force_login(user)
        page = reverse("admin:webhooks_subscription_secret", args=[subscription.pk])
        assert browser.get(page).status_code == status
