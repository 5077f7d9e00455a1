"""Who changed what: kept without secrets."""

from typing import Any

import pytest
from auditlog.models import LogEntry as Change
from django.contrib.admin.models import LogEntry as Act
from django.contrib.auth.models import Group, Permission, User
from django.core import serializers
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companies.models import OperatorProfile
from prealerts.audit import HIDDEN
from tests.books import workbook_bytes
from tests.companies.admin_pages import text_of
from tests.conftest import Caller
from tests.factories import ClientFactory, password_of
from tests.shipments.shipping import shipped, tell
from webhooks.models import Subscription
from webhooks.subscriptions import register, register_signed, remove

pytestmark = pytest.mark.django_db

ACTS, CHANGES = reverse("admin:admin_logentry_changelist"), reverse("admin:auditlog_logentry_changelist")
SECRET = "a-secret-of-the-client-1234"


def changes_of(row: Any) -> list[Any]:
    entries = Change.objects.get_for_object(row)  # type: ignore[no-untyped-call]  # auditlog ships no types
    return list(entries.exclude(action=Change.Action.ACCESS).order_by("pk"))


def test_a_change_is_kept_with_before_and_after_by_whom_and_from_where(admin_client: Client, admin_user: User) -> None:
    company = ClientFactory.create(client_code="ACME", name="Before SpA", allowed_countries=["CL"])
    form = {
        "name": "After SpA",
        "tracking_prefix": company.tracking_prefix,
        "allowed_countries": ["CL", "PE"],
        "may_correct": "on",
    }
    page = reverse("admin:companies_company_change", args=[company.pk])
    assert admin_client.post(page, form, headers={"x-forwarded-for": "6.6.6.6"}).status_code == 302
    change = changes_of(company)[-1]
    assert (change.actor, change.remote_addr) == (admin_user, "127.0.0.1")
    assert change.changes["name"] == ["Before SpA", "After SpA"]
    assert change.cid
    shown = text_of(admin_client.get(CHANGES))
    for words in ("Before SpA", "After SpA", "admin (127.0.0.1)"):
        assert words in shown


def test_a_command_changes_by_nobody(admin_client: Client) -> None:
    company = ClientFactory.create()
    call_command("deactivate_company", company.client_code)
    change = changes_of(company)[-1]
    assert (change.actor, change.changes) == (None, {"is_active": ["True", "False"]})
    assert "a command" in text_of(admin_client.get(CHANGES))


def test_no_secret_is_in_the_log_nor_what_is_made_of_one() -> None:
    company = ClientFactory.create()
    old = password_of(company)
    new = company.set_new_password()
    subscription, _secret = register(company, "https://203.0.114.5/hook", SECRET)
    user = User.objects.create_user("olga", password="correct-horse-battery")
    user.set_password("another-horse-battery")
    user.save()
    kept = serializers.serialize("json", [*Change.objects.all(), *Act.objects.all()])
    company.refresh_from_db()
    secrets = [old, new, SECRET, str(company.api_password_digest), company.api_password_hint, user.password]
    secrets += [subscription.sealed_secret, user.password[len(user.password) // 2 :], "horse"]
    assert [secret for secret in secrets if secret in kept] == []


def test_that_a_secret_was_changed_is_reported() -> None:
    company = ClientFactory.create()
    company.set_new_password()
    user = User.objects.create_user("olga", password="correct-horse-battery")
    user.set_password("another-horse-battery")
    user.save()
    assert list(changes_of(company)[-1].changes) == ["api_password_set_at"]
    assert changes_of(user)[-1].changes == {"password": [HIDDEN, HIDDEN]}


def test_rights_and_scopes_are_among_what_is_kept() -> None:
    user = User.objects.create_user("olga", is_staff=True)
    user.groups.add(Group.objects.get(name="Operations"))
    profile = OperatorProfile.objects.create(user=user, countries=["CL"])
    profile.countries = ["CL", "PE"]
    profile.save()
    group = Group.objects.create(name="Night shift")
    group.permissions.add(Permission.objects.get(codename="view_guide"))
    assert changes_of(user)[-1].changes["groups"]["objects"] == ["Operations"]
    assert changes_of(profile)[-1].changes["countries"] == ['["CL"]', '["CL", "PE"]']
    assert changes_of(group)[-1].changes["permissions"]["operation"] == "add"


def test_changes_are_read_in_the_operators_words(admin_client: Client) -> None:
    user = User.objects.create_user("nora", is_staff=True)
    user.groups.add(Group.objects.create(name="Turno de noche"))
    user.groups.add(Group.objects.get(name="Operations"))
    Group.objects.get(name="Read-only").permissions.add(Permission.objects.get(codename="export_person"))
    page = admin_client.get(CHANGES, headers={"accept-language": "es"}).content.decode()
    for words in (
        "Solo lectura",
        "Envíos · borrado: exportar los datos de una persona",
        "<b>grupos</b>: se agregó Turno de noche",
        "<b>grupos</b>: se agregó Operaciones",
        "<b>puede entrar al admin</b>: – → sí",
        "<b>estado de superusuario</b>: – → no",
    ):
        assert words in page


def test_rows_lists_and_moments_are_read_in_words_and_what_stayed_empty_not_at_all(admin_client: Client) -> None:
    company = ClientFactory.create()
    subscription, _secret = register_signed(company, "https://203.0.114.5/hook", event_types=["guide.exception"])
    page = admin_client.get(CHANGES).content.decode()
    set_at = f"{subscription.secret_set_at.day} {subscription.secret_set_at:%b %H:%M}"
    for words in (f"<b>company</b>: – → {company}", f"<b>secret set at</b>: – → {set_at}</div>", "Guide in exception"):
        assert words in page
    assert "– → –" not in page
    assert "&quot;" not in page.partition("result_list")[2].partition("</table>")[0]


def test_links_of_a_courier_and_endpoints_are_kept() -> None:
    company = ClientFactory.create()
    subscription, _secret = register(company, "https://203.0.114.5/hook", SECRET)
    assert changes_of(subscription)[0].action == Change.Action.CREATE
    pk = subscription.pk
    remove(subscription)
    change = changes_of(subscription)[-1]
    assert {"is_active", "deleted_at"} == change.changes_dict.keys()
    Subscription.everyone.get(pk=pk).delete()
    assert Change.objects.filter(object_id=pk, action=Change.Action.DELETE).exists()
    assert not Subscription.objects.exists()


def test_logins_are_kept_and_reported_without_a_name(caplog: pytest.LogCaptureFixture) -> None:
    user = User.objects.create_superuser("olga", password="correct-horse-battery")
    login = reverse("admin:login")
    Client().post(login, {"username": "secret-as-name", "password": "x"})
    Client().post(login, {"username": "olga", "password": "correct-horse-battery"})
    entry = Change.objects.get(action=Change.Action.ACCESS)
    assert (entry.actor, entry.remote_addr, entry.additional_data) == (user, "127.0.0.1", {"event": "login"})
    assert "operator_turned_away" in caplog.text
    assert "operator_logged_in" in caplog.text
    assert "secret-as-name" not in caplog.text


def test_opening_exporting_and_downloading_are_kept(admin_client: Client, acme: Caller) -> None:
    acme.upload(workbook_bytes())
    manifest = acme.company.manifests.get()
    guide = manifest.guides.earliest("id")
    admin_client.get(reverse("admin:shipments_guide_change", args=[guide.pk]))
    for name, arguments in (("guide_export_csv", []), ("manifest_download", [manifest.pk, "manifest"])):
        response: Any = admin_client.get(reverse(f"admin:shipments_{name}", args=arguments))
        assert response.status_code == 200
        assert response.getvalue()
    shown = text_of(admin_client.get(ACTS))
    for words in ("Opened.", "Exported as CSV", "Downloaded a file: Manifest.", guide.tracking_code, manifest.mawb):
        assert words in shown


def test_an_operator_who_left_is_not_deleted_with_the_traces(admin_client: Client) -> None:
    left = User.objects.create_user("left", is_staff=True)
    assert admin_client.post(reverse("admin:auth_user_delete", args=[left.pk]), {"post": "yes"}).status_code == 403
    ticked = {"action": "delete_selected", "_selected_action": [left.pk], "post": "yes"}
    admin_client.post(reverse("admin:auth_user_changelist"), ticked)
    assert User.objects.filter(pk=left.pk).exists()


def test_bulk_paths_write_nothing_into_the_log_of_changes(acme: Caller) -> None:
    before = Change.objects.count()
    manifest = shipped(acme.company, 50)
    tell(manifest.guides.earliest("id"), "in_transit")
    acme.upload(workbook_bytes())
    assert Change.objects.count() == before


def test_a_read_of_the_api_costs_no_query_more_and_knows_no_session(acme: Caller) -> None:
    acme.get("/mawbs")
    with CaptureQueriesContext(
        connection,
    ) as captured:
        answer = acme.get("/mawbs")
    assert not [query["sql"] for query in captured if "session" in query["sql"] or "auditlog" in query["sql"]]
    assert "Cookie" not in answer.get("Vary", "")
