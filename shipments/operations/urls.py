from django.urls import re_path

from shipments.operations import views

urlpatterns = [
    re_path(r"^guides/?$", views.GuideByIdView.as_view(), name="operator-guide-by-id"),
    re_path(r"^guides/bulk-advance-status/?$", views.AdvanceView.as_view(), name="bulk-advance-status"),
    re_path(r"^guides/bulk-customs-status/?$", views.CustomsView.as_view(), name="bulk-customs-status"),
    re_path(r"^guides/(?P<id>[^/]+)/?$", views.GuideView.as_view(), name="operator-guide"),
    re_path(r"^guides/(?P<tracking_code>[^/]+)/refresh/?$", views.RefreshView.as_view(), name="operator-refresh"),
    re_path(r"^guides/(?P<tracking_code>[^/]+)/consignee/?$", views.ConsigneeView.as_view(), name="operator-consignee"),
]
