"""All routes. Each API route is available with and without a trailing slash; nothing redirects."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from base.admin.autocompletion import Choices
from companies.company_actions import PICTURES
from companies.operators import second_factor_pages
from companies.operators.clock_page import ClockPage
from companies.operators.invitations import InvitationPage
from companies.operators.logins import login_page, logout_page
from companies.operators.new_password import ForgottenPasswordPage, NewPasswordPage
from companies.operators.notifications_page import NotificationsPage
from companies.operators.password_gate import own_password_page
from companies.sso import pages as sso_pages
from prealerts.dashboard.client import client_picture
from prealerts.documentation import manual, views as documentation
from prealerts.reference import views as reference
from prealerts.search.results import search
from prealerts.serving import admission
from shipments.admin import entry, event_files, moving_in, privacy_pages, receive_pages, rules_page
from shipments.admin.reports import report_pages
from shipments.manifests.house.house_layouts import LAYOUTS
from shipments.v1.views import manifest_template

admin.autodiscover()  # here and not when Django starts: see `prealerts.apps.LazyAdminConfig`
PICTURES[:] = [client_picture]

urlpatterns = [
    path("api/public/pre-alerts/v1/", include("shipments.v1.urls")),
    path("api/public/pre-alerts/v1/webhooks/", include("webhooks.v1.urls")),
    path("api/operators/v1/", include("companies.operators.tokens.urls")),
    path("api/operators/v1/", include("shipments.operations.urls")),
    path("api/operators/v1/", include("shipments.inbound.urls")),
    path("api/carriers/", include("shipments.carriers.urls")),
    path("internal/password", admission.PasswordView.as_view(), name="admission-password"),
    path("internal/token", admission.TokenView.as_view(), name="admission-token"),
    path("internal/operator", admission.operator, name="admission-operator"),
    re_path(r"^docs/?$", reference.reference, name="api-reference"),
    path("docs/operators.json", reference.operators, name="operators-openapi"),
    path("docs/openapi.json", reference.openapi, name="openapi"),
    re_path(r"^docs/examples/?$", documentation.samples, name="docs-samples"),
    path("docs/examples/<str:name>", documentation.sample, name="docs-sample"),
    path("docs/templates/manifest-CL.xlsx", manifest_template, {"country": "CL"}, name="manifest-template"),
    *(
        path(
            f"docs/templates/manifest-{country}.xlsx",
            manifest_template,
            {"country": country},
            name=f"template-{country}",
        )
        for country in LAYOUTS
    ),
    path("docs/llms.txt", documentation.llms, name="docs-llms"),
    re_path(r"^docs/(?P<slug>[a-z-]+)/?$", documentation.page, name="docs-page"),
    re_path(r"^docs/(?P<slug>[a-z-]+)(?P<extension>\.md)$", documentation.page),
    re_path(r"^docs/(?P<language>en|es)/(?P<slug>[a-z-]+)(?:(?P<extension>\.md)|/)?$", documentation.page),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/events/import/", include(event_files.urls())),
    path("admin/reports/", include(report_pages.urls())),
    path("admin/rules/", include(rules_page.urls())),
    path("admin/manifests/enter/", include(entry.urls())),
    path("admin/companies/company/", include(moving_in.urls())),
    path("admin/privacy/", include(privacy_pages.urls())),
    path("admin/receive/", include(receive_pages.urls())),
    path("admin/help/", include(manual.urls())),
    path("admin/notifications/", admin.site.admin_view(NotificationsPage.as_view()), name="notifications"),
    path("admin/forgotten-password/", ForgottenPasswordPage.as_view(), name="forgotten-password"),
    path("admin/new-password/<str:uidb64>/<str:token>/", NewPasswordPage.as_view(), name="new-password"),
    path("admin/invitation/<str:uidb64>/<str:token>/", InvitationPage.as_view(), name="invitation"),
    path("admin/clock/", admin.site.admin_view(ClockPage.as_view()), name="clock"),
    path("admin/second-factor/", include(second_factor_pages.urls())),
    path("admin/sso/", include(sso_pages.urls())),
    # These five take precedence over Django's and unfold's own, which are part of the admin's URLs.
    path("admin/autocomplete/", admin.site.admin_view(Choices.as_view(admin_site=admin.site)), name="autocomplete"),
    path("admin/login/", login_page, name="login"),
    path("admin/logout/", logout_page, name="logout"),
    path("admin/password_change/", admin.site.admin_view(own_password_page), name="own-password"),
    path("admin/search/", admin.site.admin_view(search), name="search"),
    path("admin/", admin.site.urls),
    path("", documentation.home),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
]

handler400 = "prealerts.answers.bad_request"
handler403 = "prealerts.answers.forbidden"
handler404 = "prealerts.answers.not_found"
handler500 = "prealerts.answers.server_error"
