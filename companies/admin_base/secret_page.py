"""The page that shows a password or a secret once, to the session that made it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from unfold.admin import ModelAdmin

from companies.admin_base import shown_once


@dataclass(frozen=True, slots=True)
class SecretPage:
    """path: below the row's address. name: of the address, after the model's. context: what else the template shows.

    For operators who may add or change rows; later visits say how to get another secret.
    """

    path: str
    name: str
    title: str | Promise
    template: str
    context: Callable[[ModelAdmin, HttpRequest, Any], Mapping[str, Any]]

    def url(self, model_admin: ModelAdmin) -> URLPattern:
        """Return the page's address, for the admin's `get_urls`."""

        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            return self._answer(model_admin, request, object_id)

        return path(
            f"<path:object_id>/{self.path}/", model_admin.admin_site.admin_view(view), name=self._name(model_admin)
        )

    def show(self, model_admin: ModelAdmin, request: HttpRequest, row: Model, secret: str) -> HttpResponse:
        """Return the redirect to the page that shows `secret` once."""
        page = reverse(f"admin:{self._name(model_admin)}", args=[row.pk])
        response = HttpResponseRedirect(page)
        shown_once.hand_over(request, response, secret, page=page)
        return response

    def _answer(self, model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
        if not (model_admin.has_change_permission(request) or model_admin.has_add_permission(request)):
            raise PermissionDenied
        if request.method != "GET":
            return HttpResponseNotAllowed(["GET"])
        row = model_admin.get_object(request, object_id)
        if row is None:
            raise Http404
        if not (model_admin.has_change_permission(request, row) or model_admin.has_add_permission(request)):
            raise PermissionDenied
        context = {
            **model_admin.admin_site.each_context(request),
            "opts": model_admin.opts,
            "original": row,
            "title": self.title,
            "secret": shown_once.take(request),
            **self.context(model_admin, request, row),
        }
        response = TemplateResponse(request, self.template, context)
        shown_once.forget(request, response)
        return response

    def _name(self, model_admin: ModelAdmin) -> str:
        return f"{model_admin.opts.app_label}_{model_admin.opts.model_name}_{self.name}"
