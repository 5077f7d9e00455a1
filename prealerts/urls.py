"""All routes. Both spellings of each API route answer, with and without the slash at the end; nothing redirects."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from companies import second_factor_pages
from prealerts import health
from prealerts.reference import views as reference
from shipments import event_pages
from shipments.views import manifest_template

admin.autodiscover()  # here and not when Django starts: see `prealerts.apps.DeskConfig`

urlpatterns = [
    path("api/public/pre-alerts/v1/", include("shipments.urls")),
    path("api/public/pre-alerts/v1/webhooks/", include("webhooks.v1.urls")),
    re_path(r"^health/ready/?$", health.ready, name="ready"),
    re_path(r"^docs/?$", reference.reference, name="api-reference"),
    path("docs/openapi.json", reference.openapi, name="openapi"),
    path("docs/templates/manifest-CL.xlsx", manifest_template, name="manifest-template"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/events/import/", include(event_pages.urls())),
    path("admin/second-factor/", include(second_factor_pages.urls())),
    path("admin/", admin.site.urls),
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
]

handler400 = "prealerts.api.bad_request"
handler403 = "prealerts.api.forbidden"
handler404 = "prealerts.api.not_found"
handler500 = "prealerts.api.server_error"
