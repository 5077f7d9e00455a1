from django.urls import re_path

from shipments.sandbox import views

urlpatterns = [
    re_path(r"^advance/?$", views.AdvanceView.as_view(), name="sandbox-advance"),
    re_path(r"^events/?$", views.EventsView.as_view(), name="sandbox-events"),
    re_path(r"^reset/?$", views.ResetView.as_view(), name="sandbox-reset"),
]
