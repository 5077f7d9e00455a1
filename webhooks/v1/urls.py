from django.urls import re_path

from webhooks.v1 import views

_SUBSCRIPTION = r"^subscriptions/(?P<subscription_id>[^/]+)"
_DELIVERY = r"^deliveries/(?P<delivery_id>[^/]+)"

urlpatterns = [
    re_path(r"^event-types/?$", views.EventTypesView.as_view(), name="webhook-event-types"),
    re_path(r"^subscriptions/?$", views.SubscriptionsView.as_view(), name="webhook-subscriptions"),
    re_path(rf"{_SUBSCRIPTION}/?$", views.SubscriptionView.as_view(), name="webhook-subscription"),
    re_path(rf"{_SUBSCRIPTION}/rotate-secret/?$", views.RotateSecretView.as_view(), name="webhook-rotate-secret"),
    re_path(rf"{_SUBSCRIPTION}/test/?$", views.TestView.as_view(), name="webhook-test"),
    re_path(rf"{_SUBSCRIPTION}/replay/?$", views.ReplayRangeView.as_view(), name="webhook-replay-range"),
    re_path(r"^deliveries/?$", views.DeliveriesView.as_view(), name="webhook-deliveries"),
    re_path(rf"{_DELIVERY}/?$", views.DeliveryView.as_view(), name="webhook-delivery"),
    re_path(rf"{_DELIVERY}/replay/?$", views.ReplayView.as_view(), name="webhook-replay"),
]
