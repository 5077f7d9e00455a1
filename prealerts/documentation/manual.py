"""`/admin/help/`: the operators' manual, for whoever is logged in. Each page of the admin links to its chapter."""

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from base.admin.pages import AdminPage
from prealerts.documentation.chapters import reading_language
from prealerts.documentation.pages import CHAPTERS

TITLE = _("Operations manual")


def urls() -> list[URLPattern]:
    page = admin.site.admin_view(ManualPage.as_view())
    return [
        path("", page, name="manual"),
        path("<slug:slug>/", page, name="manual-chapter"),
        path("<slug:slug>/<slug:picture>.webp", admin.site.admin_view(picture), name="manual-picture"),
    ]


class ManualPage(AdminPage):
    """A chapter, or the list of all of them."""

    permission_required = ()
    template_name = "prealerts/manual.html"
    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, slug: str = "") -> HttpResponseBase:
        from prealerts.documentation.rendering import render_page  # noqa: PLC0415  # as for the guides

        spoken = reading_language()
        context: dict[str, Any] = {"title": TITLE, "here": slug, "manual": TITLE}
        if slug:
            chapter = CHAPTERS.get(slug)
            if chapter is None:
                raise Http404
            context["title"] = chapter.title_in(spoken)
            context["body"], _contents = render_page(chapter, spoken, request.build_absolute_uri("/").rstrip("/"))
        context["chapters"] = [(each, each.title_in(spoken), each.occasion(spoken)) for each in CHAPTERS.values()]
        return self.render_to_response(self.get_context_data(**context))


def picture(_request: HttpRequest, slug: str, picture: str) -> HttpResponse:
    """A picture as the chapter names it: relative to its own address, in the reader's language."""
    if slug not in CHAPTERS or picture not in CHAPTERS:
        raise Http404
    kept = CHAPTERS[picture].path(reading_language()).with_suffix(".webp")
    return HttpResponse(kept.read_bytes(), content_type="image/webp")
