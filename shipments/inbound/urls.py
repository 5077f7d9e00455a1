from django.urls import re_path

from shipments.inbound import views

urlpatterns = [
    re_path(r"^inbound-batches/?$", views.BatchesView.as_view(), name="inbound-batches"),
    re_path(r"^inbound-batches/(?P<batch>[^/]+)/?$", views.BatchView.as_view(), name="inbound-batch"),
    re_path(r"^inbound-batches/(?P<batch>[^/]+)/scans/?$", views.ScansView.as_view(), name="inbound-scans"),
    re_path(r"^inbound-batches/(?P<batch>[^/]+)/bags/?$", views.BagsView.as_view(), name="inbound-bags"),
    re_path(r"^inbound-batches/(?P<batch>[^/]+)/close/?$", views.CloseView.as_view(), name="inbound-close"),
]
