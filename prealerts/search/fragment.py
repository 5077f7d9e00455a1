"""The page fragment with the results of the header's search."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from prealerts.search.results import find


@require_POST
def search(request: HttpRequest) -> HttpResponse:
    """Show what was found. The text is posted, so that names and documents are in no address and no proxy's log."""
    text = request.POST.get("s", "")
    response = render(
        request, "prealerts/search_results.html", {"found": find(request, text), "is_asked": text.strip()}
    )
    response["Cache-Control"] = "no-store"
    return response
