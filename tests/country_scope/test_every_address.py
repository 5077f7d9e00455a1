"""Every address of the admin is scoped, or says why not; another country's row is not found."""

from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, reverse

from base.admin.scoped_admin import ScopedAdmin
from companies.everywhere_admin import EverywhereAdmin
from shipments.models import Guide
from tests.country_scope.addresses import addresses, models_address
from tests.country_scope.operators import OWN_MARKUP, PERUVIAN, operator_of, rows_of, text_of, undone
from tests.factories import ClientFactory

pytestmark = pytest.mark.django_db

BELONGS_TO_NO_COUNTRY = {
    "admin:index": "its figures are in test_lists.py",
    "admin:login": "before anybody is known",
    "login": "the same",
    "admin:logout": "behind ours",
    "logout": "",
    "sso-login": "before anybody is known",
    "sso-callback": "the same",
    "sso-logout": "the same",
    "admin:password_change": "the operator's own",
    "admin:password_change_done": "",
    "admin:autocomplete": "behind ours",
    "autocomplete": "what forms and filters take: test_naming_companies.py, test_lists.py",
    "admin:jsi18n": "words",
    "admin:view_on_site": "switched off: no model has an absolute URL",
    "admin:app_list": "names of models",
    "admin:search": "behind ours",
    "search": "what it finds: test_search.py",
    "admin:": "the catch-all",
    "admin:toggle_sidebar": "the look",
    "own-password": "the operator's own",
    "clock": "the operator's own",
    "notifications": "the operator's own: tests/companies/operators/test_notifications.py",
    "forgotten-password": "before anybody is known",
    "new-password": "the same",
    "invitation": "the same",
    "second-factor": "the operator's own",
    "second-factor-verify": "the same",
    "second-factor-enrol": "the same",
    "second-factor-qr": "the same",
    "second-factor-recovery-codes": "the same",
    "reports": "what it counts and names: tests/shipments/admin/reports",
    "reports-workbook": "the same",
    "rules-in-force": "whose rules it lists: tests/shipments/admin/test_rules_page.py",
    "manual": "no row of anybody's: tests/prealerts/documentation/test_manual.py",
    "manual-chapter": "the same",
    "manual-picture": "the same",
    "enter-manifest": "a form; the clients it offers are in test_acting.py",
    "enter-manifest-preview": "the operator's own file, for a client that is the operator's: test_acting.py",
    "enter-manifest-annotated": "the same file, found by the same query: test_entry_pages.py",
    "move-in": "whose clients and files: tests/shipments/admin/test_moving_in.py",
    "privacy": "a form; whose countries it takes: tests/shipments/privacy/test_pages.py",
    "receive": "what it offers and whose batches it takes: tests/shipments/admin/test_receive_pages.py",
    "receive-new": "the same",
    "receive-batch": "the same",
    "receive-scans": "the operators' API's own view: the same",
    "receive-bags": "the same",
    "receive-shell": "the same",
    "receive-worker": "a script: nothing of anybody's",
    "import-events": "a form: test_acting.py",
    "import-events-columns": "the operator's own file: tests/shipments/admin/test_event_columns.py",
    "import-events-template": "an empty workbook",
}


def nameless_of_a_model(route: str) -> bool:
    """Django's old way to an object's page, `<path:object_id>/`, which leads to the page proper."""
    return route.endswith("<path:object_id>/")


def test_every_address_of_the_admin_belongs_to_a_model_or_says_why_not() -> None:
    strangers = [
        (name, route)
        for name, route, _pattern in addresses()
        if name not in BELONGS_TO_NO_COUNTRY and models_address(name) is None and not nameless_of_a_model(route)
    ]
    assert strangers == []


def test_every_model_of_the_admin_is_scoped_or_for_those_who_see_everything() -> None:
    unscoped = [
        model for model, admin in site._registry.items() if not isinstance(admin, ScopedAdmin | EverywhereAdmin)
    ]
    assert unscoped == []


def with_a_row() -> list[tuple[str, URLPattern]]:
    """Addresses about one row, of each scoped model."""
    found = list(addresses())  # first: the pages are registered when the routes are loaded
    scoped = {model._meta.label_lower.replace(".", "_") for model, admin in site._registry.items()
              if isinstance(admin, ScopedAdmin)}  # fmt: skip
    return [
        (name, pattern)
        for name, _route, pattern in found
        if models_address(name) in scoped and pattern.pattern.converters
    ]


def status_of(browser: Client, method: str, name: str, pattern: URLPattern, key: Any) -> int:
    """What the address of that row is answered with, where its page says nothing that only we write."""
    arguments = dict.fromkeys(pattern.pattern.converters, key)
    if "kind" in arguments:
        arguments["kind"] = "manifest"
    arguments |= dict.fromkeys({"number", "alarm_id"} & arguments.keys(), 1)  # of the row's own versions and alarms
    with undone():
        response: Any = getattr(browser, method)(reverse(name, kwargs=arguments))
        content = response.getvalue() if response.streaming else response.content
    assert not OWN_MARKUP.search(content.decode(errors="replace")), name
    return int(response.status_code)


@pytest.mark.usefixtures("plain_refusals")
@pytest.mark.parametrize("method", ["get", "post"])
def test_another_countrys_row_is_not_found_and_ones_own_is(
    staff: Client, home: Guide, abroad: Guide, method: str
) -> None:
    mine = rows_of(home, ClientFactory.create(allowed_countries=["CL"]))
    theirs = rows_of(abroad, ClientFactory.create(allowed_countries=["PE"]))
    walked = with_a_row()
    assert len(walked) > 20
    for name, pattern in walked:
        label = str(models_address(name))
        key = theirs[label].pk
        refusal = status_of(staff, method, name, pattern, key)
        of_nobody = UUID(int=0) if isinstance(key, UUID) else 0
        assert refusal == status_of(staff, method, name, pattern, of_nobody), f"{name}: in one voice"
        assert refusal in {403, 404, 405}, name
        if status_of(staff, method, name, pattern, mine[label].pk) in {200, 302}:
            assert refusal == 404, name


def test_no_list_names_another_countrys_rows(staff: Client, abroad: Guide) -> None:
    theirs = rows_of(abroad, ClientFactory.create(name="Lejana SAC", client_code="LEJANA", allowed_countries=["PE"]))
    for name in (name for name, _route, _pattern in addresses() if name.endswith("_changelist")):
        response: Any = staff.get(reverse(name))
        label = str(models_address(name))
        if label not in theirs:
            assert response.status_code == 403, name  # for those who see everything
            continue
        text = text_of(response)
        for marker in ("LEJANA", "Lejana", abroad.tracking_code, abroad.manifest.mawb, PERUVIAN):
            assert marker not in text, name
        assert theirs[label] not in response.context["cl"].result_list, name


def test_pages_about_the_whole_service_are_closed_to_a_scoped_operator(staff: Client) -> None:
    colleague = User.objects.create_user("colleague", is_staff=True)
    for name in ("changelist", "add"):
        assert staff.get(reverse(f"admin:auth_user_{name}")).status_code == 403
    assert staff.get(reverse("admin:auth_user_change", args=[colleague.pk])).status_code == 403
    password = {"password1": "correct-horse-battery", "password2": "correct-horse-battery", "usable_password": "true"}
    assert staff.post(reverse("admin:auth_user_password_change", args=[colleague.pk]), password).status_code == 403


@pytest.mark.parametrize(("countries", "is_shown"), [(["CL"], False), ([], True)])
def test_the_sidebar_leads_nobody_to_a_page_that_is_closed(countries: list[str], is_shown: bool) -> None:  # noqa: FBT001  # a table
    page = text_of(operator_of(*countries).get(reverse("admin:index")))
    names = ("auth_user", "auth_group", "admin_logentry", "auditlog_logentry")
    links = [reverse(f"admin:{name}_changelist") for name in names]
    assert {f'href="{link}"' in page for link in links} == {is_shown}
