"""`/docs/<page>/`, `/docs/examples/` and the sample files below it."""

import io
import zipfile
from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from prealerts.documentation.pages import CLIENT_ARCHIVE, PAGES, ROOT, SAMPLES


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
    made = rendered(shown, request.build_absolute_uri("/").rstrip("/"))
    context = {"title": shown.title, "here": slug, "pages": PAGES.values(), "rendered": made}
    return render(request, "prealerts/guide.html", context)


@csrf_exempt  # as above
@require_safe
def integration(_request: HttpRequest) -> HttpResponse:
    """The one page that the others were once: clients have its address."""
    require_docs()
    return redirect("/docs/quickstart/", permanent=True)


@csrf_exempt  # as above
@require_safe
def samples(request: HttpRequest) -> HttpResponse:
    """The list of sample files."""
    require_docs()
    context = {
        "title": "Examples",
        "here": "examples",
        "pages": PAGES.values(),
        "samples": SAMPLES.values(),
        "archive": CLIENT_ARCHIVE,
    }
    context["root"] = request.build_absolute_uri("/").rstrip("/")
    return render(request, "prealerts/samples.html", context)


@csrf_exempt  # as above
@require_safe
def sample(_request: HttpRequest, name: str) -> HttpResponse:
    """A sample file or the Python client, to be saved."""
    require_docs()
    if name == CLIENT_ARCHIVE:
        return _download(name, client_archive(), "application/zip")
    if name not in SAMPLES:
        raise Http404
    return _download(name, SAMPLES[name].path.read_bytes(), SAMPLES[name].media_type)


def _download(name: str, content: bytes, media_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)


SOURCE = ROOT / "clients" / "python"
_PATTERNS = ("pyproject.toml", "README.md", "src/prealerts_client/*")


@cache
def client_archive() -> bytes:
    """A zip of the package's sources, the same bytes each time."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for pattern in _PATTERNS for path in SOURCE.glob(pattern) if path.is_file()):
            entry = zipfile.ZipInfo(f"prealerts-client/{path.relative_to(SOURCE).as_posix()}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return written.getvalue()
