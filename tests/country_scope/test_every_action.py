"""Every confirmed action of the admin: who may not, may not; another country's row is not found; twice is once.

The actions are those that are registered, so that a new one is here by itself. A table says how each is repeated.
"""

from collections.abc import Iterator, Mapping
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
from tests.country_scope.operators import OWN_MARKUP, rows_of, undone
from tests.factories import ClientFactory
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db

assert get_resolver().url_patterns  # the pages are registered when the routes are loaded
ACTIONS = {
    f"{admin.opts.model_name}.{action.name}": (admin, action)
    for admin in site._registry.values()
    for action in getattr(admin, "confirmed_actions", ())
}
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


def all_rows(guide: Guide) -> dict[str, Any]:
    """A row of each model that has actions: of the guide's country, or one that concerns the whole service."""
    user, counter = (User.objects.create_user(name, is_staff=True) for name in ("rita", "access:counter"))
    return {
        **rows_of(guide, ClientFactory.create(allowed_countries=[guide.manifest.country])),
        "auth_user": user,
        "companies_mail": Mail.objects.create(kind=MailKind.INVITATION, operator=user),
        "companies_operatoraccess": OperatorAccess.objects.create(
            user=counter, name="counter", secret_set_at=NOW, expires_at=NOW + timedelta(days=30)
        ),
    }


def each_action(guide: Guide, *, prepare: bool = False) -> Iterator[tuple[str, Any, Any, Any, Mapping[str, str]]]:
    """(name, admin, action, row, what is entered) of every action; what it did is undone before the next."""
    rows = all_rows(guide)
    known = {"code": guide.tracking_code, "mawb": guide.manifest.mawb, "carrier": Carrier.objects.latest("pk").pk}
    for name, (admin, action) in ACTIONS.items():
        state, entered = PREPARED.get(name, ({}, ON_PURPOSE.get(name, MOVE)))
        with undone():
            row = rows[f"{admin.opts.app_label}_{admin.opts.model_name}"]
            if prepare:
                type(row)._default_manager.filter(pk=row.pk).update(**state)
            yield name, admin, action, row, {key: value.format_map(known) for key, value in entered.items()}


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


def test_no_question_and_no_preview_shows_markup(home: Guide) -> None:
    browser = everyone("", username="root")
    for name, admin, action, row, entered in each_action(home, prepare=True):
        for step in ("", "preview"):
            content = press(browser, admin, action, row, entered, step).content.decode()
            assert not OWN_MARKUP.search(content), name


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


@pytest.mark.usefixtures("plain_refusals")
def test_whoever_may_only_look_may_not_do_it(home: Guide) -> None:
    browser = everyone("view", username="lea")
    pages: dict[str, str] = {}
    for name, admin, action, row, entered in each_action(home):
        if action.has_page:
            page = admin.address("change", row)
            pages[page] = pages.get(page) or browser.get(page).content.decode()
            assert admin.address(action.name, row) not in pages[page], name
        before = effects()
        response = press(browser, admin, action, row, entered)
        assert response.status_code in ({403} if action.has_page else {200, 302}), name
        assert effects() == before, name


@pytest.mark.usefixtures("plain_refusals")
def test_another_countrys_row_is_not_found(staff: Client, abroad: Guide) -> None:
    for name, admin, action, row, entered in each_action(abroad):
        if not isinstance(admin, ScopedAdmin):
            continue
        before = effects()
        status = press(staff, admin, action, row, entered).status_code
        is_for_superusers = action.permission == "take_back"
        assert status == (403 if is_for_superusers else 404 if action.has_page else 302), name
        assert effects() == before, name


def test_a_repeated_click_does_nothing_twice(home: Guide) -> None:
    browser = everyone("", username="root")
    for name, admin, action, row, entered in each_action(home, prepare=True):
        before = effects()
        assert press(browser, admin, action, row, entered).status_code < 400, name
        once = effects()
        assert press(browser, admin, action, row, entered).status_code in {200, 302, 404}, name
        assert (effects() != once) == (name in ON_PURPOSE), name
        assert (once != before) == (name in PREPARED or name in ON_PURPOSE), name


def test_each_action_says_how_it_is_repeated() -> None:
    assert sorted(ACTIONS) == sorted([*PREPARED, *ON_PURPOSE, *NEEDS_MORE])
