from django.urls import re_path

from shipments.v1 import guide_views, layout_views, me, validation_views, views

urlpatterns = [
    re_path(r"^upload/?$", views.UploadView.as_view(), name="upload"),
    # The most frequent read, early. The upload stays first: documents show the errors of the first route that has them.
    re_path(r"^guides/(?P<tracking_code>[^/]+)/?$", guide_views.GuideView.as_view(), name="guide-detail"),
    re_path(r"^guides/?$", guide_views.GuideListView.as_view(), name="guide-list"),
    re_path(r"^guides/(?P<tracking_code>[^/]+)/cancel/?$", guide_views.GuideCancelView.as_view(), name="guide-cancel"),
    re_path(r"^process-pre-alert-json/?$", views.JsonPreAlertView.as_view(), name="process-pre-alert-json"),
    re_path(r"^upload/validate/?$", validation_views.UploadValidationView.as_view(), name="upload-validate"),
    re_path(
        r"^process-pre-alert-json/validate/?$",
        validation_views.JsonValidationView.as_view(),
        name="process-pre-alert-json-validate",
    ),
    re_path(r"^me/?$", me.MeView.as_view(), name="me"),
    re_path(r"^layouts/?$", layout_views.LayoutListView.as_view(), name="layout-list"),
    re_path(r"^layouts/(?P<layout>[^/]+)/answers/?$", layout_views.LayoutAnswersView.as_view(), name="layout-answers"),
    re_path(r"^jobs/(?P<job>[^/]+)/?$", views.JobView.as_view(), name="job"),
    re_path(r"^mawbs/?$", views.MawbListView.as_view(), name="mawb-list"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/?$", views.MawbDetailView.as_view(), name="mawb-detail"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/void/?$", guide_views.MawbVoidView.as_view(), name="mawb-void"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/guides/?$", views.MawbGuidesView.as_view(), name="mawb-guides"),
    re_path(r"^mawbs/(?P<mawb>[^/]+)/findings/?$", views.MawbFindingsView.as_view(), name="mawb-findings"),
]
