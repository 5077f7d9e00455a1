"""All routes. Each API route is available with and without a trailing slash; nothing redirects."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from companies.operators import second_factor_pages
from companies.operators.autocompletion import Choices
from prealerts import health
from prealerts.reference import views as reference
from prealerts.serving import admission
from shipments.event_files import pages
from shipments.v1.views import manifest_template

admin.autodiscover()  # here and not when Django starts: see `prealerts.apps.LazyAdminConfig`

urlpatterns = [
    path("api/public/pre-alerts/v1/", include("shipments.v1.urls")),
    path("api/public/pre-alerts/v1/webhooks/", include("webhooks.v1.urls")),
    path("internal/password", admission.PasswordView.as_view(), name="admission-password"),
    path("internal/operator", admission.operator, name="admission-operator"),
    re_path(r"^health/ready/?$", health.ready, name="ready"),
    re_path(r"^docs/?$", reference.reference, name="api-reference"),
    path("docs/openapi.json", reference.openapi, name="openapi"),
    path("docs/templates/manifest-CL.xlsx", manifest_template, name="manifest-template"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/events/import/", include(pages.urls())),
    path("admin/second-factor/", include(second_factor_pages.urls())),
    # Takes precedence over Django's own, which is part of the admin's URLs.
    path("admin/autocomplete/", admin.site.admin_view(Choices.as_view(admin_site=admin.site)), name="autocomplete"),
    path("admin/", admin.site.urls),
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
]

handler400 = "prealerts.answers.bad_request"
handler403 = "prealerts.answers.forbidden"
handler404 = "prealerts.answers.not_found"
handler500 = "prealerts.answers.server_error"
