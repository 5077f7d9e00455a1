"""The routes of a sandbox: those of a live service, and its own. The settings choose (`SANDBOX`)."""

from django.urls import include, path

from prealerts import urls

urlpatterns = [path("api/public/pre-alerts/v1/sandbox/", include("shipments.sandbox.urls")), *urls.urlpatterns]
handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500
