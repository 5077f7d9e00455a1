from django.urls import re_path

from shipments.v1 import views

urlpatterns = [
    re_path(r"^upload/?$", views.UploadView.as_view(), name="upload"),
    re_path(r"^process-pre-alert-json/?$", views.JsonPreAlertView.as_view(), name="process-pre-alert-json"),
    re_path(r"^mawbs/?$", views.MawbListView.as_view(), name="mawb-list"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/?$", views.MawbDetailView.as_view(), name="mawb-detail"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/findings/?$", views.MawbFindingsView.as_view(), name="mawb-findings"),
    re_path(r"^guides/(?P<tracking_code>[^/]+)/?$", views.GuideView.as_view(), name="guide-detail"),
]
