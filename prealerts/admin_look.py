"""How unfold's pages look and where the sidebar leads; used by the settings.

A link is shown only to operators who may open its page. For links that concern the whole service, the dotted name of
a function in `navigation.py` decides: the settings cannot import anything that needs the models.
"""

from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

UNFOLD = {
    "SITE_TITLE": "Pre-Alerts",
    "SITE_HEADER": "Pre-Alerts",
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
    "ACCOUNT": {
        "navigation": [
            {"title": _("Clock"), "link": reverse_lazy("clock")},
            {"title": _("Change password"), "link": reverse_lazy("admin:password_change")},
            {"title": _("Second factor"), "link": reverse_lazy("second-factor")},
        ]
    },
    "DASHBOARD_CALLBACK": "prealerts.dashboard.start_page",
    "STYLES": [
        lambda request: static("companies/lists.css"),  # noqa: ARG005  # the signature is unfold's
        lambda request: static("shipments/admin.css"),  # noqa: ARG005  # as above
        lambda request: static("prealerts/admin.css"),  # noqa: ARG005  # as above
        lambda request: static("companies/saved_views.css"),  # noqa: ARG005  # as above
    ],
    "SCRIPTS": [lambda request: static("prealerts/names.js")],  # noqa: ARG005  # as above
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {
                "title": _("Shipments"),
                "items": [
                    {
                        "title": _("Manifests"),
                        "icon": "inventory_2",
                        "link": reverse_lazy("admin:shipments_manifest_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_manifest"),
                    },
                    {
                        "title": _("Guides"),
                        "icon": "package_2",
                        "link": reverse_lazy("admin:shipments_guide_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_guide"),
                    },
                    {
                        "title": _("Inbound batches"),
                        "icon": "barcode_scanner",
                        "link": reverse_lazy("admin:shipments_inboundbatch_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_inboundbatch"),
                    },
                    {
                        "title": _("Flights"),
                        "icon": "flight",
                        "link": reverse_lazy("admin:shipments_flight_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_flight"),
                    },
                    {
                        "title": _("Reports"),
                        "icon": "bar_chart",
                        "link": reverse_lazy("reports"),
                        "permission": lambda request: request.user.has_perm("shipments.view_manifest"),
                    },
                    {
                        "title": _("Upload a manifest"),
                        "icon": "note_add",
                        "link": reverse_lazy("enter-manifest"),
                        "permission": lambda request: request.user.has_perm("shipments.change_manifest"),
                    },
                    {
                        "title": _("Import events"),
                        "icon": "upload_file",
                        "link": reverse_lazy("import-events"),
                        "permission": lambda request: request.user.has_perm("shipments.change_guide"),
                    },
                    *(
                        {"title": title, "icon": "download", "link": reverse_lazy(f"template-{country}")}
                        for country, title in (
                            ("CL", _("Workbook template (Chile)")),
                            ("PE", _("Workbook template (Peru)")),
                            ("AR", _("Workbook template (Argentina)")),
                        )
                    ),
                ],
            },
            {
                "title": _("Clients"),
                "items": [
                    {
                        "title": _("Companies"),
                        "icon": "apartment",
                        "link": reverse_lazy("admin:companies_company_changelist"),
                        "permission": lambda request: request.user.has_perm("companies.view_company"),
                    },
                    {
                        "title": _("Personal data"),
                        "icon": "policy",
                        "link": reverse_lazy("privacy"),
                        "permission": lambda request: (
                            request.user.has_perm("shipments.export_person")
                            or request.user.has_perm("shipments.erase_person")
                        ),
                    },
                    {
                        "title": _("Refused requests"),
                        "icon": "block",
                        "link": reverse_lazy("admin:shipments_refusedrequest_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_refusedrequest"),
                    },
                    {
                        "title": _("Upload jobs"),
                        "icon": "hourglass_top",
                        "link": reverse_lazy("admin:shipments_uploadjob_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_uploadjob"),
                    },
                    {
                        "title": _("Workbook formats"),
                        "icon": "table_view",
                        "link": reverse_lazy("admin:shipments_workbookformat_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_workbookformat"),
                    },
                ],
            },
            {
                "title": _("Carriers"),
                "items": [
                    {
                        "title": _("Carriers"),
                        "icon": "local_shipping",
                        "link": reverse_lazy("admin:shipments_carrier_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_carrier"),
                    },
                    {
                        "title": _("Codes"),
                        "icon": "rule",
                        "link": reverse_lazy("admin:shipments_carriercode_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_carriercode"),
                    },
                    {
                        "title": _("Parked events"),
                        "icon": "local_parking",
                        "link": reverse_lazy(
                            "admin:shipments_carrierevent_changelist", query={"outcome__exact": "parked"}
                        ),
                        "permission": lambda request: request.user.has_perm("shipments.view_carrierevent"),
                    },
                    {
                        "title": _("Receipts"),
                        "icon": "receipt_long",
                        "link": reverse_lazy("admin:shipments_carrierreceipt_changelist"),
                        "permission": lambda request: request.user.has_perm("shipments.view_carrierreceipt"),
                    },
                ],
            },
            {
                "title": _("Webhooks"),
                "items": [
                    {
                        "title": _("Subscriptions"),
                        "icon": "webhook",
                        "link": reverse_lazy("admin:webhooks_subscription_changelist"),
                        "permission": lambda request: request.user.has_perm("webhooks.view_subscription"),
                    },
                    {
                        "title": _("Deliveries"),
                        "icon": "outgoing_mail",
                        "link": reverse_lazy("admin:webhooks_delivery_changelist"),
                        "permission": lambda request: request.user.has_perm("webhooks.view_delivery"),
                    },
                ],
            },
            {
                "title": _("Operators"),
                "items": [
                    {
                        "title": _("Users"),
                        "icon": "person",
                        "link": reverse_lazy("admin:auth_user_changelist"),
                        "permission": "prealerts.navigation.users",
                    },
                    {
                        "title": _("Accesses"),
                        "icon": "smart_toy",
                        "link": reverse_lazy("admin:companies_operatoraccess_changelist"),
                        "permission": "prealerts.navigation.accesses",
                    },
                    {
                        "title": _("Groups"),
                        "icon": "group",
                        "link": reverse_lazy("admin:auth_group_changelist"),
                        "permission": "prealerts.navigation.groups",
                    },
                    {
                        "title": _("Locked out"),
                        "icon": "lock_person",
                        "link": reverse_lazy("admin:axes_accessattempt_changelist"),
                        "permission": "prealerts.navigation.lockouts",
                    },
                    {
                        "title": _("Activity log"),
                        "icon": "history",
                        "link": reverse_lazy("admin:admin_logentry_changelist"),
                        "permission": "prealerts.navigation.acts",
                    },
                    {
                        "title": _("Configuration changes"),
                        "icon": "difference",
                        "link": reverse_lazy("admin:auditlog_logentry_changelist"),
                        "permission": "prealerts.navigation.changes",
                    },
                ],
            },
        ],
    },
}
