from django.urls import re_path

from shipments.operations import feed_views, views

urlpatterns = [
    re_path(r"^guides/?$", views.GuidesView.as_view(), name="operator-guides"),
    re_path(r"^mawbs/?$", feed_views.ManifestsView.as_view(), name="operator-mawbs"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/?$", feed_views.ManifestView.as_view(), name="operator-mawb"),
    re_path(
        r"^mawbs/(?P<mawb>[^/]+)/files/(?P<id>[^/]+)/?$",
        feed_views.BrokerFileView.as_view(),
        name="operator-broker-file",
    ),
    re_path(r"^outgoing-layouts/?$", feed_views.OutgoingLayoutsView.as_view(), name="operator-outgoing-layouts"),
    re_path(r"^companies/?$", feed_views.CompaniesView.as_view(), name="operator-companies"),
    re_path(r"^guides/bulk-advance-status/?$", views.AdvanceView.as_view(), name="bulk-advance-status"),
    re_path(r"^guides/bulk-customs-status/?$", views.CustomsView.as_view(), name="bulk-customs-status"),
    re_path(r"^guides/(?P<id>[^/]+)/?$", views.GuideView.as_view(), name="operator-guide"),
    re_path(r"^guides/(?P<tracking_code>[^/]+)/refresh/?$", views.RefreshView.as_view(), name="operator-refresh"),
    re_path(r"^guides/(?P<tracking_code>[^/]+)/consignee/?$", views.ConsigneeView.as_view(), name="operator-consignee"),
]
