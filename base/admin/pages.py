"""Pages of the admin that are not a model's list or form: one frame, one permission, one form."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.mixins import PermissionRequiredMixin
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _
from django.views.generic import FormView
from django.views.generic.base import ContextMixin, TemplateResponseMixin, View

from base.admin.confirmed_action import NoForm, blame
from base.errors import DomainError, TemporarilyUnavailable


class AdminPage(PermissionRequiredMixin, TemplateResponseMixin, ContextMixin, View):
    """A page in the admin's frame, never cached, because it may show personal data.

    title: of the page. permission_required, template_name: as Django's. Its address is made with
    `admin.site.admin_view(Page.as_view())`.
    """

    title: str | Promise = ""
    http_method_names = ["get", "head", "post"]  # Django's
    raise_exception = True

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        frame = {**admin.site.each_context(self.request), "title": self.title}
        return super().get_context_data(**{**frame, **context})

    def render_to_response(self, context: dict[str, Any], **options: Any) -> TemplateResponse:  # noqa: ANN401  # as above
        """Render the page: 400 if its form is invalid, unless `status` says otherwise."""
        form = context.get("form")
        options.setdefault("status", 400 if form is not None and form.is_bound and form.errors else 200)
        response = TemplateResponse(self.request, self.get_template_names(), context, **options)
        response["Cache-Control"] = "no-store"
        return response


class FormPage(AdminPage, FormView):  # type: ignore[type-arg]  # generic in the stubs alone
    """A page with one form. `save` does what it asks; a refusal by the domain is shown on the form."""

    form_class: type[forms.Form] = NoForm

    def form_valid(self, form: Any) -> HttpResponse:  # noqa: ANN401  # the form of each page
        try:
            return self.save(form)
        except TemporarilyUnavailable:
            raise
        except DomainError as refused:
            return self.refuse(form, refused)

    def save(self, form: Any) -> HttpResponse:  # noqa: ANN401  # as above
        """Do what the form asks, and return where to go. Raises `DomainError`."""
        raise NotImplementedError

    def refuse(self, form: Any, refused: DomainError) -> HttpResponse:  # noqa: ANN401  # as above
        blame(form, refused)
        return self.form_invalid(form)


class UploadField(forms.FileField):
    """A file of at most `MAX_FILE_BYTES`.

    A larger one arrives empty, and so does one that could not be stored: see `BoundedUploadHandler`. The CSRF check
    has read the body by then, so that no page needs an exemption. Raises the `OSError` of the storage, for the page.
    """

    default_error_messages = {"required": _("Choose the file first."), "empty": _("The file is empty.")}  # Django's

    def to_python(self, data: Any) -> Any:  # noqa: ANN401  # Django's signature
        trouble: OSError | None = getattr(data, "trouble", None)
        if trouble is not None:
            raise trouble
        if getattr(data, "is_too_large", False):
            text = gettext("The file is larger than %d MB.")
            raise forms.ValidationError(text % (settings.MAX_FILE_BYTES // 1024**2))
        return super().to_python(data)
