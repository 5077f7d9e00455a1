"""`/docs/<page>/`, `/docs/examples/` and the sample files below it."""

from itertools import groupby

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from prealerts.documentation.pages import LANGUAGES, PAGES, SAMPLES, Page, archives
from shipments.manifests.house.house_layouts import LAYOUTS


def require_docs() -> None:
    """Raise `Http404` where the documentation is switched off."""
    if not settings.API_DOCS:
        raise Http404


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """`/`: the documentation, or the admin for whoever is logged in or where there is none."""
    return redirect("admin:index" if request.user.is_authenticated or not settings.API_DOCS else "/docs/")


@csrf_exempt  # there is no form, and other methods are a 405
@require_safe
def page(request: HttpRequest, slug: str, language: str = "", extension: str = "") -> HttpResponse:
    """One of the guides, with this very service's address in its examples.

    language: chosen by the reader; otherwise the browser's. A page that does not exist in it is in English.
    extension: `.md` for the Markdown.
    """
    from prealerts.documentation.rendering import render_for_download, render_page  # noqa: PLC0415  # workers that are never asked do not load it

    require_docs()
    if slug not in PAGES:
        raise Http404
    shown, root = PAGES[slug], request.build_absolute_uri("/").rstrip("/")
    spoken = language or str(get_language())
    spoken = spoken if spoken in shown.languages else "en"
    if extension:
        content = render_for_download(shown, spoken, root)
        return HttpResponse(content, "text/markdown; charset=utf-8", headers={"Content-Language": spoken})
    prefix = f"/docs/{language}/" if language else "/docs/"
    body, contents = render_page(shown, spoken, root, prefix)
    around = list(PAGES.values())
    position = around.index(shown)
    context = {
        **navigation(spoken, prefix),
        "title": shown.title_in(spoken),
        "here": slug,
        "body": body,
        "contents": contents,
        "previous": _link(around[position - 1], spoken, prefix) if position else None,
        "next": _link(around[position + 1], spoken, prefix) if position + 1 < len(around) else None,
        "languages": [
            (code, name, f"/docs/{code}/{slug}/") for code, name in LANGUAGES.items() if code in shown.languages
        ],
    }
    with override(spoken):
        answer = render(request, "prealerts/guide.html", context)
    answer.headers["Content-Language"] = spoken
    return answer


def _link(page: Page, language: str, prefix: str) -> dict[str, str]:
    return {"slug": page.slug, "title": page.title_in(language), "address": f"{prefix}{page.slug}/"}


def navigation(language: str, prefix: str = "/docs/") -> dict[str, object]:
    """What the navigation lists: pages by those for whom they are."""
    grouped = groupby(PAGES.values(), key=lambda page: page.readers)
    return {
        "language": language,
        "groups": [(readers, [_link(page, language, prefix) for page in pages]) for readers, pages in grouped],
    }


@require_safe
def llms(request: HttpRequest) -> HttpResponse:
    """A list of the pages as Markdown, for language models (llmstxt.org)."""
    require_docs()
    root = request.build_absolute_uri("/docs/")
    lines = ["# Pre-Alerts API", "", f"- [OpenAPI document]({root}openapi.json)"]
    for page in PAGES.values():
        lines += [f"- [{page.title_in(each)}]({root}{each}/{page.slug}.md) ({each})" for each in page.languages]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@csrf_exempt  # as above
@require_safe
def samples(request: HttpRequest) -> HttpResponse:
    require_docs()
    context = {
        **navigation("en"),
        "title": "Downloads",
        "here": "examples",
        "samples": SAMPLES.values(),
        "templates": sorted(LAYOUTS),
        "clients": archives(),
        "wheel": archives()["python-wheel"],
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
        if archive.lasting_name and name == archive.lasting_name:
            return redirect("docs-sample", archive.name)
        if name == archive.name:
            return _download(name, archive.content, archive.media_type)
    raise Http404


def _download(name: str, content: bytes, media_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)
