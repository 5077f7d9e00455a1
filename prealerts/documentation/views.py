"""`/docs/<page>/`, `/docs/examples/` and the sample files below it."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from prealerts.documentation.pages import PAGES, SAMPLES, archives
from shipments.manifests.mapped.house.house_layouts import LAYOUTS


def require_docs() -> None:
    """Raise `Http404` where the documentation is switched off."""
    if not settings.API_DOCS:
        raise Http404


@csrf_exempt  # there is no form, and other methods are a 405
@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """One of the guides, with this very service's address in its examples."""
    from prealerts.documentation.rendering import rendered  # noqa: PLC0415  # workers that are never asked do not load it

    require_docs()
    if slug not in PAGES:
        raise Http404
    shown = PAGES[slug]
    body, contents = rendered(shown, request.build_absolute_uri("/").rstrip("/"))
    context = {"title": shown.title, "here": slug, "pages": PAGES.values(), "body": body, "contents": contents}
    return render(request, "prealerts/guide.html", context)


@csrf_exempt  # as above
@require_safe
def samples(request: HttpRequest) -> HttpResponse:
    require_docs()
    context = {
        "title": "Downloads",
        "here": "examples",
        "pages": PAGES.values(),
        "samples": SAMPLES.values(),
        "templates": sorted(LAYOUTS),
        "clients": archives(),
        "root": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "prealerts/samples.html", context)


@csrf_exempt  # as above
@require_safe
def sample(_request: HttpRequest, name: str) -> HttpResponse:
    require_docs()
    if name in SAMPLES:
        return _download(name, SAMPLES[name].path.read_bytes(), SAMPLES[name].media_type)
    for archive in archives().values():
        if name == archive.lasting_name:
            return redirect("docs-sample", archive.name)
        if name == archive.name:
            return _download(name, archive.content, archive.media_type)
    raise Http404


def _download(name: str, content: bytes, media_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)
