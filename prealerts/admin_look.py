"""How unfold's pages look and where the sidebar leads; used by the settings.

A link is shown only to operators who may open its page.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _


def _link(title: Any, icon: str, view: str, *permissions: str, **query: str) -> dict[str, Any]:  # noqa: ANN401  # lazy
    """Return a link for operators with one of the permissions; for all, if there are none."""

    def may_open(request: HttpRequest) -> bool:
        return not permissions or any(map(request.user.has_perm, permissions))

    return {"title": title, "icon": icon, "link": reverse_lazy(view, query=query or None), "permission": may_open}


def _list(title: Any, icon: str, model: str, **query: str) -> dict[str, Any]:  # noqa: ANN401  # as above
    """Return a link to the list of `model`, such as `shipments.guide`."""
    app, name = model.split(".")
    return _link(title, icon, f"admin:{app}_{name}_changelist", f"{app}.view_{name}", **query)


def _everywhere(link: dict[str, Any], permission: str) -> dict[str, Any]:
    """Return the link, only for operators with the permission who see every country."""

    def may_open(request: HttpRequest) -> bool:
        from companies.scope import scope_of  # noqa: PLC0415  # needs the models, which the settings come before

        return scope_of(request.user).is_everywhere and request.user.has_perm(permission)

    return {**link, "permission": may_open}


def _where_mail_is_on(link: dict[str, Any]) -> dict[str, Any]:
    return {**link, "permission": lambda request: bool(settings.MAIL) and link["permission"](request)}


def _add_count(link: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the link with the count of what waits there. what: a function of `prealerts.dashboard.menu`."""
    return {**link, "badge": f"prealerts.dashboard.menu.{what}"}


_SHIPMENTS = [
    _list(_("Manifests"), "inventory_2", "shipments.manifest"),
    _list(_("Guides"), "package_2", "shipments.guide"),
    _link(_("Receive"), "qr_code_scanner", "receive", "shipments.add_inboundbatch"),
    _add_count(_list(_("Inbound batches"), "barcode_scanner", "shipments.inboundbatch"), "batches"),
    _list(_("Flights"), "flight", "shipments.flight"),
    _link(_("Reports"), "bar_chart", "reports", "shipments.view_manifest"),
    _link(_("Rules in force"), "gavel", "rules-in-force", "shipments.view_manifest"),
    _link(_("Upload a manifest"), "note_add", "enter-manifest", "shipments.change_manifest"),
    _link(_("Import events"), "upload_file", "import-events", "shipments.change_guide"),
    _add_count(
        _link(_("Bulk moves"), "moving", "admin:shipments_bulkmove_changelist", "shipments.change_guide"), "moves"
    ),
]
_CLIENTS = [
    _list(_("Companies"), "apartment", "companies.company"),
    _add_count(_list(_("Layouts"), "view_column", "shipments.layout"), "layouts"),
    _list(_("Outgoing layouts"), "table_view", "shipments.outgoinglayout"),
    _link(_("Personal data"), "policy", "privacy", "shipments.export_person", "shipments.erase_person"),
    _list(_("Refused requests"), "block", "shipments.refusedrequest"),
    _list(_("Upload jobs"), "hourglass_top", "shipments.uploadjob"),
]
_CARRIERS = [
    _add_count(_list(_("Carriers"), "local_shipping", "shipments.carrier"), "carriers"),
    _add_count(_list(_("Codes"), "rule", "shipments.carriercode"), "codes"),
    _list(_("Parked events"), "local_parking", "shipments.carrierevent", outcome__exact="parked"),
    _list(_("Receipts"), "receipt_long", "shipments.carrierreceipt"),
]
_WEBHOOKS = [
    _list(_("Subscriptions"), "webhook", "webhooks.subscription"),
    _list(_("Deliveries"), "outgoing_mail", "webhooks.delivery"),
]
_OPERATORS = [
    _everywhere(_list(_("Users"), "person", "auth.user"), "auth.view_user"),
    _everywhere(_list(_("Accesses"), "smart_toy", "companies.operatoraccess"), "auth.view_user"),
    _everywhere(_list(_("Groups"), "group", "auth.group"), "auth.view_group"),
    _everywhere(_list(_("Activity log"), "history", "admin.logentry"), "admin.view_logentry"),
    _everywhere(_list(_("Configuration changes"), "difference", "auditlog.logentry"), "auditlog.view_logentry"),
]
_UPKEEP = [
    _where_mail_is_on(_everywhere(_list(_("Mails"), "outgoing_mail", "companies.mail"), "auth.view_user")),
    _everywhere(_list(_("Chores"), "handyman", "shipments.chore"), "shipments.view_chore"),
]
"""In the account's menu: the other one is as long as a window is high."""


def _site_name(_request: HttpRequest) -> str:
    return str(settings.SITE_NAME)


def _account(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the links of the account's menu."""
    return [
        {"title": _("Clock"), "link": reverse_lazy("clock")},
        *([{"title": _("My notifications"), "link": reverse_lazy("notifications")}] if settings.MAIL else []),
        {"title": _("Change password"), "link": reverse_lazy("admin:password_change")},
        {"title": _("Second factor"), "link": reverse_lazy("second-factor")},
        *({"title": each["title"], "link": each["link"]} for each in _UPKEEP if each["permission"](request)),
    ]


UNFOLD = {
    "SITE_TITLE": _site_name,
    "SITE_HEADER": _site_name,
    "SITE_SUBHEADER": _("Inbound air manifests"),
    "SITE_URL": None,  # the admin is all there is: a link to a site would lead back here
    "SITE_SYMBOL": "flight_land",
    "SITE_FAVICONS": [
        # Without one, browsers request /favicon.ico.
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("prealerts/icon.svg")},  # noqa: ARG005  # the signature is unfold's
    ],
    "ENVIRONMENT_TITLE_PREFIX": "prealerts.sandbox.title_prefix",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_LANGUAGES": True,
    "ACCOUNT": {"navigation": _account},
    "DASHBOARD_CALLBACK": "prealerts.dashboard.start_page",
    "STYLES": [
        lambda request: static("base/lists.css"),  # noqa: ARG005  # the signature is unfold's
        lambda request: static("shipments/admin.css"),  # noqa: ARG005  # as above
        lambda request: static("prealerts/admin.css"),  # noqa: ARG005  # as above
        lambda request: static("base/saved_views.css"),  # noqa: ARG005  # as above
    ],
    "SCRIPTS": [
        lambda request: static("prealerts/names.js"),  # noqa: ARG005  # as above
        lambda request: static("prealerts/once.js"),  # noqa: ARG005  # as above
        lambda request: static("prealerts/typed.js"),  # noqa: ARG005  # as above
        lambda request: static("prealerts/swaps.js"),  # noqa: ARG005  # as above
    ],
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {"title": "", "items": [_link(_("Start page"), "today", "admin:index")]},
            {"title": _("Shipments"), "items": _SHIPMENTS},
            {"title": _("Clients"), "items": _CLIENTS},
            {"title": _("Carriers"), "items": _CARRIERS},
            {"title": _("Webhooks"), "items": _WEBHOOKS},
            {"title": _("Operators"), "items": _OPERATORS},
        ],
    },
}
