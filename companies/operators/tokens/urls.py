from django.urls import re_path

from companies.operators.tokens import views

urlpatterns = [
    re_path(r"^tokens/?$", views.TokensView.as_view(), name="operator-tokens"),
    re_path(r"^tokens/current/?$", views.CurrentTokenView.as_view(), name="operator-current-token"),
    re_path(r"^me/?$", views.MeView.as_view(), name="operator-me"),
]
