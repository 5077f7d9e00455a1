from django.urls import re_path

from shipments.carriers import views

urlpatterns = [re_path(r"^v1/(?P<slug>[^/]*)/events/?\Z", views.EventsView.as_view(), name="carrier-events")]
