"""Every confirmed action of the admin: who may not, may not; another country's row is not found; twice is once.

The actions are those that are registered, so that a new one is here by itself. A table says how each is repeated.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from auditlog.context import disable_auditlog
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from base.admin.confirmed_action import ConfirmedAction
from base.admin.scoped_admin import ScopedAdmin
from companies.models import Mail, MailKind, OperatorAccess, OperatorProfile
from shipments.models import Carrier, Guide, GuideEvent
from tests.country_scope.operators import OWN_MARKUP, rows_of
from tests.factories import ClientFactory
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db

assert get_resolver().url_patterns  # the pages are registered when the routes are loaded
ACTIONS = [
    pytest.param(admin, action, id=f"{admin.opts.model_name}.{action.name}")
    for admin in site._registry.values()
    for action in getattr(admin, "confirmed_actions", ())
]
_every_action = pytest.mark.parametrize(("admin", "action"), ACTIONS)


REASON = {"reason": "The client asked for it."}
MOVE = {"status": "in_transit", "source": "operator", "zone": "America/Santiago", "which": "all"}
NOW = timezone.now()
FAILED = {"state": "failed", "claimed_at": NOW, "attempted_at": NOW, "finished_at": NOW, "http_status": 503}

Prepared = tuple[Mapping[str, Any], Mapping[str, str]]
"""What the row has to be before the action fits, and what the operator enters."""

PREPARED: Mapping[str, Prepared] = {
    "carriercode.choose_meaning": ({}, {"meaning": "ignore"}),
    "carrierevent.assign_guide": ({"code": "X1", "folded": "x1", "occurred_at": NOW}, {"tracking_code": "{code}"}),
    "company.activate": ({"is_active": False}, {}),
    "company.deactivate": ({}, {}),
    "delivery.resend": (FAILED, REASON),
    "delivery.resend_failed": (FAILED, REASON),
    "guide.correct_consignee": ({}, {"consignee_name": "Ana Rojas", **REASON}),
    "guide.enter_carrier_number": ({}, {"number": "77", "carrier": "{carrier}"}),
    "guide.lift_retention": ({"retention_required": True}, REASON),
    "guide.mark_reviewed": ({"needs_review": True}, {}),
    "guide.review_again": ({"reviewed_at": NOW, "reviewed_by": "olga"}, {}),
    "guide.take": ({}, {}),
    "inboundbatch.close": ({}, {}),
    "mail.send_again": ({"state": "failed", "error": "550 no such user"}, {}),
    "manifest.void": ({}, {"typed": "{mawb}", **REASON}),
    "operatoraccess.end": ({}, {}),
    "subscription.disable": ({}, {}),
    "subscription.enable": ({"is_active": False}, {}),
}
ON_PURPOSE: Mapping[str, Mapping[str, str]] = {
    "carrier.rotate_secret": {"secret": "", "overlap_hours": "24"},
    "carrierreceipt.repeat": {},
    "company.rotate_api_password": {"old_works_for": "24"},
    "guide.add_note": {"text": "Called."},
    "manifest.add_note": {"text": "Called."},
    "operatoraccess.rotate_secret": {},
    "subscription.rotate_secret": {},
    "subscription.send_test_event": {},
}
"""Wanted twice, these are done twice: another secret, another note, another test."""
NEEDS_MORE = {
    "company.end_old_password": "two passwords: tests/companies/test_password_pages.py",
    "delivery.replay": "version 2: tests/webhooks/admin/test_version_2.py",
    "delivery.send_again": "the same",
    "guide.advance": "its own page runs it: tests/shipments/admin/test_advance_actions.py",
    "guide.release": "somebody who took it: tests/shipments/admin/test_taking.py",
    "guide.take_back": "its own page runs it: tests/shipments/admin/test_take_back_actions.py",
    "inboundbatch.advance_missing": "a closed batch: tests/shipments/admin/test_inbound_batches.py",
    "manifest.advance_guides": "its own page runs it: tests/shipments/admin/test_advance_actions.py",
    "manifest.attach_invoice": "a file: tests/shipments/admin/test_manifest_actions.py",
    "subscription.replay_range": "version 2: tests/webhooks/admin/test_version_2.py",
    "subscription.send_again": "the same",
    "user.invite": "mail, and an address: tests/companies/operators/test_invitations.py",
    "user.reset_second_factor": "a second factor: tests/companies/operators",
}


def name_of(admin: Any, action: type[ConfirmedAction[Any]]) -> str:
    return f"{admin.opts.model_name}.{action.name}"


def row_of(admin: Any, guide: Guide) -> Any:
    """A row of the admin's model: of the guide's country, or one that concerns the whole service."""
    found = rows_of(guide, ClientFactory.create(allowed_countries=[guide.manifest.country]))
    label = f"{admin.opts.app_label}_{admin.opts.model_name}"
    if label in found:
        return found[label]
    user = User.objects.create_user("access:counter" if label == "companies_operatoraccess" else "rita", is_staff=True)
    if label == "auth_user":
        return user
    if label == "companies_mail":
        return Mail.objects.create(kind=MailKind.INVITATION, operator=user)
    return OperatorAccess.objects.create(
        user=user, name="counter", secret_set_at=NOW, expires_at=NOW + timedelta(days=30)
    )


def entered_for(admin: Any, action: type[ConfirmedAction[Any]], guide: Guide) -> Mapping[str, str]:
    name = name_of(admin, action)
    entered = PREPARED[name][1] if name in PREPARED else ON_PURPOSE.get(name, MOVE)
    known = {"code": guide.tracking_code, "mawb": guide.manifest.mawb, "carrier": Carrier.objects.latest("pk").pk}
    return {key: value.format_map(known) for key, value in entered.items()}


def press(
    browser: Client,
    admin: Any,
    action: type[ConfirmedAction[Any]],
    row: Any,
    entered: Mapping[str, Any],
    step: str = "run",
) -> Any:
    sent = {**entered, "step": step}
    if action.has_page:
        return browser.post(admin.address(action.name, row), sent)
    return browser.post(
        admin.address("changelist"), {**sent, "action": action.list_name, "_selected_action": [str(row.pk)]}
    )


@_every_action
def test_no_question_and_no_preview_shows_markup(home: Guide, admin: Any, action: type[ConfirmedAction[Any]]) -> None:
    row, browser = row_of(admin, home), everyone("", username="root")
    type(row)._default_manager.filter(pk=row.pk).update(**PREPARED.get(name_of(admin, action), ({}, {}))[0])
    for step in ("", "preview"):
        response = press(browser, admin, action, row, entered_for(admin, action, home), step)
        assert not OWN_MARKUP.search(response.content.decode())


def effects() -> tuple[int, ...]:
    """What leaves a trace: entries of the log, events of guides, deliveries."""
    return tuple(model.objects.count() for model in (LogEntry, GuideEvent, Delivery))


def everyone(*verbs: str, username: str) -> Client:
    """An operator of all countries with every permission that begins so; a superuser if nothing is said."""
    user = User.objects.create_user(username, is_staff=True, is_superuser=not all(verbs))
    OperatorProfile.objects.create(user=user, countries=["all"])
    with disable_auditlog():
        user.user_permissions.set([one for one in Permission.objects.all() if one.codename.startswith(verbs)])
    browser = Client()
    browser.force_login(user)
    return browser


@_every_action
def test_whoever_may_only_look_may_not_do_it(home: Guide, admin: Any, action: type[ConfirmedAction[Any]]) -> None:
    row, browser = row_of(admin, home), everyone("view", username="lea")
    if action.has_page:
        assert admin.address(action.name, row) not in browser.get(admin.address("change", row)).content.decode()
    before = effects()
    response = press(browser, admin, action, row, entered_for(admin, action, home))
    assert response.status_code in ({403} if action.has_page else {200, 302})
    assert effects() == before


@pytest.mark.parametrize(("admin", "action"), [each for each in ACTIONS if isinstance(each.values[0], ScopedAdmin)])
def test_another_countrys_row_is_not_found(
    staff: Client, abroad: Guide, admin: Any, action: type[ConfirmedAction[Any]]
) -> None:
    row = row_of(admin, abroad)
    before = effects()
    response = press(staff, admin, action, row, entered_for(admin, action, abroad))
    is_for_superusers = action.permission == "take_back"
    assert response.status_code == (403 if is_for_superusers else 404 if action.has_page else 302)
    assert effects() == before


@_every_action
def test_a_repeated_click_does_nothing_twice(home: Guide, admin: Any, action: type[ConfirmedAction[Any]]) -> None:
    name = name_of(admin, action)
    row, browser = row_of(admin, home), everyone("", username="root")
    type(row)._default_manager.filter(pk=row.pk).update(**PREPARED.get(name, ({}, {}))[0])
    entered = entered_for(admin, action, home)
    before = effects()
    assert press(browser, admin, action, row, entered).status_code < 400
    once = effects()
    assert press(browser, admin, action, row, entered).status_code in {200, 302, 404}
    assert (effects() != once) == (name in ON_PURPOSE)
    assert (once != before) == (name in PREPARED or name in ON_PURPOSE)


def test_each_action_says_how_it_is_repeated() -> None:
    named = [str(each.id) for each in ACTIONS]
    assert sorted(named) == sorted([*PREPARED, *ON_PURPOSE, *NEEDS_MORE])
