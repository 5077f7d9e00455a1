"""An operator of Chile sees Chile: in lists, searches, plots, exports and actions alike, and on every address."""

import csv
import io
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, Permission, User
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from companies.models import Company, OperatorProfile
from companies.scope import Scope, scope_of
from companies.scoped_admin import EverywhereAdmin, ScopedAdmin
from prealerts.roles import ROLES, fill_roles
from shipments.models import FileKind, Guide, GuideEvent, Manifest, ManifestFile
from tests.factories import ClientFactory, CourierFactory
from tests.shipments.shipping import shipped, tell
from webhooks.models import Delivery
from webhooks.outbox import send_test
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

PERUVIAN = "QUISPE"
CHILEAN = "SOTO"
URL = "https://203.0.114.5/hook"


def operator_of(*countries: str, username: str = "camila", role: str | None = None) -> Client:
    """A browser of an operator with these countries: with every permission, or a role's."""
    user = User.objects.create_user(username, is_staff=True)
    if role is None:
        user.user_permissions.set(Permission.objects.all())
    else:
        user.groups.set(Group.objects.filter(name=role))
    OperatorProfile.objects.create(user=user, countries=list(countries))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def desk() -> Client:
    """An operator of Chile who may do everything there."""
    return operator_of("CL")


@pytest.fixture
def both() -> Company:
    """A company that ships to Chile and to Peru."""
    return ClientFactory.create(client_code="BOTH", allowed_countries=["CL", "PE"])


@pytest.fixture
def home(both: Company) -> Guide:
    manifest = shipped(both, 2, country="CL", consignee_name=f"{CHILEAN} Ana")
    return manifest.guides.earliest("id")


@pytest.fixture
def abroad(both: Company) -> Guide:
    manifest = shipped(both, 2, country="PE", consignee_name=f"{PERUVIAN} Rosa")
    return manifest.guides.earliest("id")


def text_of(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    return str((response.getvalue() if response.streaming else response.content).decode())


# --- every address of the admin -----------------------------------------------------------------------------------


def addresses(resolver: Any = None, prefix: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """(full name, route, pattern) of everything under admin/."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            namespace = f"{entry.namespace}:" if entry.namespace else ""
            for name, inner, pattern in addresses(entry, route):
                yield namespace + name, inner, pattern
        elif route.startswith("admin/"):
            yield str(entry.name or ""), route, entry


BELONGS_TO_NO_COUNTRY = {
    "admin:index": "its figures are tested below",
    "admin:login": "before anybody is known",
    "admin:logout": "",
    "admin:password_change": "the operator's own",
    "admin:password_change_done": "",
    "admin:autocomplete": "tested below: it asks the related admin's rows",
    "admin:jsi18n": "words",
    "admin:view_on_site": "switched off: no model has an absolute URL",
    "admin:app_list": "names of models",
    "admin:search": "names of models: unfold's search of rows is switched off",
    "admin:": "the catch-all",
    "admin:toggle_sidebar": "the look",
    "second-factor": "the operator's own",
    "second-factor-verify": "the same",
    "second-factor-enrol": "the same",
    "second-factor-qr": "the same",
    "second-factor-recovery-codes": "the same",
    "import-events": "a form; what it takes is tested below",
    "import-events-template": "an empty workbook",
    "import-events-file": "the operator's own file; its rows are tested below",
    "import-events-rows": "the same",
}


def models_address(name: str) -> str | None:
    """The model (`app_model`) of an address of the admin's, by its name."""
    labels = {f"{model._meta.app_label}_{model._meta.model_name}" for model in site._registry}
    return next((label for label in sorted(labels, key=len, reverse=True) if name.startswith(f"admin:{label}_")), None)


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


def rows_of(guide: Guide, company: Company) -> dict[str, Any]:
    """A row of each scoped model that belongs to the guide's country, or to a company that is only there."""
    subscription, _secret = register(company, f"{URL}/{company.pk}", "a-secret-of-its-own")
    delivery = send_test(subscription, "A test.")
    manifest = guide.manifest
    ManifestFile.objects.create(
        manifest=manifest,
        kind=FileKind.MANIFEST,
        file=ContentFile(b"x", name=f"{manifest.pk}.xlsx"),
        size_bytes=1,
        sha256="0" * 64,
    )
    return {
        "companies_company": company,
        "shipments_guide": guide,
        "shipments_manifest": manifest,
        "shipments_flight": manifest.flight,
        "webhooks_subscription": subscription,
        "webhooks_delivery": delivery,
    }


def with_a_row() -> list[Any]:
    """Addresses about one row, of each scoped model."""
    scoped = {f"{model._meta.app_label}_{model._meta.model_name}" for model in (
        model for model, admin in site._registry.items() if isinstance(admin, ScopedAdmin)
    )}  # fmt: skip
    return [
        pytest.param(name, pattern, id=name)
        for name, _route, pattern in addresses()
        if models_address(name) in scoped and pattern.pattern.converters
    ]


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(("name", "pattern"), with_a_row())
def test_another_countrys_row_is_not_found_and_ones_own_is(
    desk: Client, home: Guide, abroad: Guide, name: str, pattern: URLPattern, method: str
) -> None:
    label = str(models_address(name))
    mine = rows_of(home, ClientFactory.create(allowed_countries=["CL"]))[label]
    theirs = rows_of(abroad, ClientFactory.create(allowed_countries=["PE"]))[label]

    def answer(key: Any) -> int:
        arguments = dict.fromkeys(pattern.pattern.converters, key)
        if "kind" in arguments:
            arguments["kind"] = "manifest"
        response: Any = getattr(desk, method)(reverse(name, kwargs=arguments))
        if response.streaming:
            response.getvalue()
        return int(response.status_code)

    of_nobody = UUID(int=0) if isinstance(theirs.pk, UUID) else 0
    assert answer(theirs.pk) == answer(of_nobody)  # in one voice
    assert answer(theirs.pk) in {403, 404, 405}
    if answer(mine.pk) in {200, 302}:
        assert answer(theirs.pk) == 404


def test_there_are_addresses_with_rows_to_test() -> None:
    assert len(with_a_row()) > 20


@pytest.mark.parametrize(
    "name",
    [name for name, _route, _pattern in addresses() if name.endswith("_changelist")],
)
def test_no_list_names_another_countrys_rows(desk: Client, abroad: Guide, name: str) -> None:
    theirs = rows_of(abroad, ClientFactory.create(name="Lejana SAC", client_code="LEJANA", allowed_countries=["PE"]))
    response: Any = desk.get(reverse(name))
    label = str(models_address(name))
    if label not in theirs:
        assert response.status_code == 403  # for those who see everything
        return
    text = text_of(response)
    for marker in ("LEJANA", "Lejana", abroad.tracking_code, abroad.manifest.mawb, PERUVIAN):
        assert marker not in text
    assert theirs[label] not in response.context["cl"].result_list


def test_pages_about_the_whole_house_are_closed_to_a_scoped_operator(desk: Client) -> None:
    colleague = User.objects.create_user("colleague", is_staff=True)
    for name in ("changelist", "add"):
        assert desk.get(reverse(f"admin:auth_user_{name}")).status_code == 403
    assert desk.get(reverse("admin:auth_user_change", args=[colleague.pk])).status_code == 403
    password = {"password1": "correct-horse-battery", "password2": "correct-horse-battery", "usable_password": "true"}
    assert desk.post(reverse("admin:auth_user_password_change", args=[colleague.pk]), password).status_code == 403


@pytest.mark.parametrize(("countries", "is_shown"), [(["CL"], False), ([], True)])
def test_the_sidebar_leads_nobody_to_a_page_that_is_closed(countries: list[str], is_shown: bool) -> None:  # noqa: FBT001  # a table
    page = text_of(operator_of(*countries).get(reverse("admin:index")))
    links = [reverse(f"admin:{name}_changelist") for name in ("auth_user", "auth_group", "axes_accessattempt",
             "admin_logentry", "auditlog_logentry")]  # fmt: skip
    assert {f'href="{link}"' in page for link in links} == {is_shown}


# --- lists, searches, plots, exports ------------------------------------------------------------------------------


@pytest.mark.parametrize("searched", ["QUISPE", "mawb", "code", "hawb"])
def test_a_search_finds_nothing_abroad(desk: Client, home: Guide, abroad: Guide, searched: str) -> None:
    Guide.objects.filter(pk=abroad.pk).update(hawb="ABROAD1")
    words = {"mawb": abroad.manifest.mawb, "code": abroad.tracking_code, "hawb": "ABROAD1"}
    response: Any = desk.get(reverse("admin:shipments_guide_changelist"), {"q": words.get(searched, searched)})
    assert list(response.context["cl"].result_list) == []
    response = desk.get(reverse("admin:shipments_guide_changelist"), {"q": home.tracking_code})
    assert list(response.context["cl"].result_list) == [home]


@pytest.mark.parametrize("query", [{"country": "PE"}, {"company": "BOTH"}, {"manifest__id__exact": "abroad"}])
def test_a_filter_brings_nothing_in(desk: Client, home: Guide, abroad: Guide, query: dict[str, str]) -> None:
    query = {name: str(abroad.manifest_id) if value == "abroad" else value for name, value in query.items()}
    response: Any = desk.get(reverse("admin:shipments_guide_changelist"), query)
    assert {guide.manifest.country for guide in response.context["cl"].result_list} <= {"CL"}
    assert PERUVIAN not in text_of(response)
    assert home.manifest.country == "CL"


@pytest.mark.parametrize("field", ["company", "subscription"])
def test_a_filter_of_the_log_does_not_name_what_it_may_not_show(desk: Client, abroad: Guide, field: str) -> None:
    company = ClientFactory.create(name="Lejana SAC", allowed_countries=["PE"])
    theirs = rows_of(abroad, company)
    key = {"company": company, "subscription": theirs["webhooks_subscription"]}[field].pk
    page = text_of(desk.get(reverse("admin:webhooks_delivery_changelist"), {f"{field}__id__exact": key}))
    assert "Lejana" not in page
    assert URL not in page


@pytest.mark.parametrize(
    ("app", "model", "field"),
    [
        ("companies", "company", "posts_for"),
        ("webhooks", "subscription", "company"),
        ("webhooks", "delivery", "company"),
        ("webhooks", "delivery", "subscription"),
    ],
)
def test_autocompletion_offers_nothing_from_abroad(desk: Client, app: str, model: str, field: str) -> None:
    for country in ("CL", "PE"):
        register(ClientFactory.create(name=f"In {country}", allowed_countries=[country]), f"{URL}/{country}")
    wanted = {"app_label": app, "model_name": model, "field_name": field}
    offered = [each["text"] for each in desk.get(reverse("admin:autocomplete"), wanted).json()["results"]]
    assert len(offered) == 1
    assert "CL" in offered[0]


def test_the_start_page_counts_and_plots_ones_own_country(desk: Client, home: Guide, abroad: Guide) -> None:
    for guide in (home, abroad):
        tell(guide, "customs_held")
        Guide.objects.filter(pk=guide.pk).update(needs_review=True, retention_required=True)
    context: Any = desk.get(reverse("admin:index")).context
    assert context["exceptions"].guides.count == 1
    assert [each.guides.count for each in context["work_lists"]] == [1, 1]
    assert context["uploads"].mawbs.count == 1
    assert [country.country for day in context["arrivals"] for country in day.destinations] in ([], ["Chile"])


def test_an_arrival_abroad_is_not_on_the_start_page(desk: Client, home: Guide, abroad: Guide) -> None:
    from django.utils import timezone  # noqa: PLC0415  # kept beside its only use

    Manifest.objects.filter(pk__in=[home.manifest_id, abroad.manifest_id]).update(eta=timezone.now())
    page = text_of(desk.get(reverse("admin:index")))
    assert home.manifest.mawb in page
    assert abroad.manifest.mawb not in page


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_an_export_leaves_other_countries_out(desk: Client, home: Guide, abroad: Guide, ending: str) -> None:
    response: Any = desk.get(reverse(f"admin:shipments_guide_export_{ending}"))
    content = response.getvalue()
    if ending == "csv":
        codes = {row["tracking_code"] for row in csv.DictReader(io.StringIO(content.decode("utf-8-sig")))}
        assert home.tracking_code in codes
        assert abroad.tracking_code not in codes
    else:
        import openpyxl  # noqa: PLC0415  # kept beside its only use

        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).active
        cells = {str(cell) for row in sheet.iter_rows(values_only=True) for cell in row}  # type: ignore[union-attr]  # a workbook has one
        assert home.tracking_code in cells
        assert abroad.tracking_code not in cells


# --- acting -------------------------------------------------------------------------------------------------------


def everything_ticked(action: str, *guides: Guide) -> dict[str, Any]:
    return {"action": action, "select_across": "1", "_selected_action": [guide.pk for guide in guides]}


def test_an_action_on_everything_moves_nothing_abroad(desk: Client, home: Guide, abroad: Guide) -> None:
    told = {"status": "in_transit", "source": "operator", "zone": "America/Santiago", "step": "run"}
    page = reverse("admin:shipments_guide_changelist")
    assert desk.post(page, {**everything_ticked("advance_selected", home, abroad), **told}).status_code == 200
    assert set(Guide.objects.filter(status="in_transit")) == set(home.manifest.guides.all())
    assert GuideEvent.objects.filter(guide=abroad).count() == 1


@pytest.mark.parametrize("action", ["mark_selected_reviewed", "lift_retention_of_selected"])
def test_no_other_action_reaches_abroad_either(desk: Client, home: Guide, abroad: Guide, action: str) -> None:
    Guide.objects.update(needs_review=True, retention_required=True)
    data = {**everything_ticked(action, home, abroad), "step": "run", "reason": "asked"}
    desk.post(reverse("admin:shipments_guide_changelist"), data)
    flag = {"mark_selected_reviewed": "needs_review"}.get(action, "retention_required")
    assert {guide.manifest.country for guide in Guide.objects.filter(**{flag: True})} == {"PE"}


def test_an_export_of_ticked_guides_leaves_other_countries_out(desk: Client, home: Guide, abroad: Guide) -> None:
    data = {"action": "export_ticked_as_csv", "_selected_action": [home.pk, abroad.pk]}
    content = text_of(desk.post(reverse("admin:shipments_guide_changelist"), data))
    assert home.tracking_code in content
    assert abroad.tracking_code not in content


def test_an_import_of_events_finds_no_guide_abroad(desk: Client, home: Guide, abroad: Guide) -> None:
    rows = [
        "tracking_code,mawb,hawb,status",
        f"{home.tracking_code},,,in_transit",
        f"{abroad.tracking_code},,,in_transit",
        f",{abroad.manifest.mawb},{abroad.hawb},in_transit",
    ]
    file = SimpleUploadedFile("scans.csv", "\n".join(rows).encode())
    sent: Any = desk.post(reverse("import-events"), {"file": file})
    preview = text_of(desk.get(sent["Location"]))
    assert "No guide has this tracking code." in preview
    assert "No guide has this MAWB and HAWB." in preview
    assert "belongs to" not in preview
    desk.post(sent["Location"])
    assert list(Guide.objects.filter(status="in_transit")) == [home]


# --- companies, their subscriptions and their log -----------------------------------------------------------------


def test_a_company_that_ships_elsewhere_too_is_read_and_left_alone(desk: Client, both: Company) -> None:
    digest = Company.objects.get(pk=both.pk).api_password_digest
    page = reverse("admin:companies_company_change", args=[both.pk])
    assert both.name in text_of(desk.get(page))
    assert desk.post(page, {"name": "Mine now", "tracking_prefix": "X"}).status_code == 403
    for name in ("rotate_api_password", "deactivate"):
        assert (
            desk.post(reverse(f"admin:companies_company_{name}", args=[both.pk]), {"confirmed": "y"}).status_code == 403
        )
    ticked = {"action": "deactivate_selected", "_selected_action": [both.pk], "confirmed": "y"}
    answer: Any = desk.post(reverse("admin:companies_company_changelist"), ticked, follow=True)
    assert "ship to other countries than yours too" in text_of(answer)
    both.refresh_from_db()
    assert (both.is_active, both.api_password_digest) == (True, digest)


def test_of_a_company_that_ships_elsewhere_too_neither_endpoint_nor_deliveries_are_seen(
    desk: Client, both: Company, abroad: Guide
) -> None:
    register(both, URL)
    tell(abroad, "customs_processing")
    assert Delivery.objects.filter(company=both).exists()
    for name in ("subscription", "delivery"):
        response: Any = desk.get(reverse(f"admin:webhooks_{name}_changelist"))
        assert list(response.context["cl"].result_list) == []
    form = {"company": both.pk, "url": f"{URL}/mine", "secret": "x" * 20}
    assert "Select a valid choice" in text_of(desk.post(reverse("admin:webhooks_subscription_add"), form))


@pytest.mark.parametrize(
    ("countries", "posts_for", "seen", "governed"),
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
    governed: bool,  # noqa: FBT001  # a table
) -> None:
    clients = [ClientFactory.create(allowed_countries=[country]) for country in posts_for]
    maker = CourierFactory if posts_for else ClientFactory
    company = maker.create(allowed_countries=countries, posts_for=clients)
    user = User.objects.create_user("camila", is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["CL"])
    assert Company.objects.visible_to(user).filter(pk=company.pk).exists() is seen
    assert Company.objects.governed_by(user).filter(pk=company.pk).exists() is governed


def test_a_company_is_onboarded_for_ones_own_countries_alone(desk: Client) -> None:
    def onboard(**fields: Any) -> str:
        form = {"name": "Nueva", "client_code": "NUEVA", "kind": "client", "tracking_prefix": "", **fields}
        return text_of(desk.post(reverse("admin:companies_company_add"), form, follow=True))

    assert "Select a valid choice" in onboard(allowed_countries=["CL", "PE"])
    assert "Choose at least one of your countries" in onboard()
    assert not Company.objects.filter(client_code="NUEVA").exists()
    assert "pa_live_" in onboard(allowed_countries=["CL"])


# --- who sees what ------------------------------------------------------------------------------------------------


def test_without_countries_and_as_a_superuser_everything_is_seen(both: Company, home: Guide, abroad: Guide) -> None:
    everywhere = User.objects.create_user("elsa", is_staff=True)
    chief = User.objects.create_superuser("chief")
    OperatorProfile.objects.create(user=chief, countries=["CL"])
    for user in (everywhere, chief):
        assert set(Guide.objects.visible_to(user)) >= {home, abroad}
        assert both in Company.objects.governed_by(user)


def test_a_stranger_and_a_closed_account_see_nothing(home: Guide) -> None:
    from django.contrib.auth.models import AnonymousUser  # noqa: PLC0415  # kept beside its only use

    closed = User.objects.create_user("closed", is_staff=True, is_active=False)
    assert home.pk
    for user in (AnonymousUser(), closed):
        assert list(Guide.objects.visible_to(user)) == []
        assert list(Company.objects.visible_to(user)) == []
        assert list(Delivery.objects.visible_to(user)) == []


def test_the_scope_is_set_on_the_users_page_by_those_who_may(admin_client: Client) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    page = reverse("admin:auth_user_change", args=[clerk.pk])
    form = {"username": "clerk", "is_active": "on", "is_staff": "on", "countries": ["PE", "CL"]}
    assert admin_client.post(page, form).status_code == 302
    assert scope_of(User.objects.get(pk=clerk.pk)) == Scope(frozenset({"CL", "PE"}))
    assert OperatorProfile.objects.get().countries == ["CL", "PE"]


# --- roles --------------------------------------------------------------------------------------------------------


def test_a_migration_makes_the_roles_with_their_permissions() -> None:
    for name, permissions in ROLES.items():
        held = Group.objects.get(name=name).permissions.values_list("content_type__app_label", "codename")
        assert {f"{app}.{codename}" for app, codename in held} == set(permissions)


def test_what_an_administrator_added_to_a_role_stays_and_what_is_missing_comes_back() -> None:
    from django.apps import apps  # noqa: PLC0415  # kept beside its only use

    role = Group.objects.get(name="Read-only")
    role.permissions.remove(Permission.objects.get(codename="view_guide"))
    role.permissions.add(Permission.objects.get(codename="change_guide"))
    fill_roles(apps.get_app_config("prealerts"))
    codenames = set(role.permissions.values_list("codename", flat=True))
    assert {"view_guide", "change_guide"} <= codenames


@pytest.mark.parametrize(
    ("role", "may_move", "may_onboard"),
    [("Onboarding", False, True), ("Operations", True, False), ("Read-only", False, False)],
)
def test_what_each_role_may(
    home: Guide,
    role: str,
    may_move: bool,  # noqa: FBT001  # a table
    may_onboard: bool,  # noqa: FBT001  # a table
) -> None:
    desk = operator_of("CL", role=role)
    assert home.tracking_code in text_of(desk.get(reverse("admin:shipments_guide_changelist")))
    for name in ("company", "subscription", "delivery"):
        room = "companies" if name == "company" else "webhooks"
        assert desk.get(reverse(f"admin:{room}_{name}_changelist")).status_code == 200
    advance = desk.get(reverse("admin:shipments_guide_advance", args=[home.pk]))
    assert (advance.status_code == 200) is may_move
    assert (desk.get(reverse("admin:companies_company_add")).status_code == 200) is may_onboard
    assert desk.get(reverse("admin:auth_user_changelist")).status_code == 403
