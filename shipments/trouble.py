"""Error pages for operators when something is not found or unavailable, in their language and with a link."""

import errno
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec

import structlog
from django.contrib import admin
from django.db import InterfaceError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template import loader
from django.utils.translation import gettext

from shipments.errors import StorageUnavailable

log = structlog.get_logger(__name__)

_RETRY_AFTER_SECONDS = 30
_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM, errno.ENOTDIR}

_Arguments = ParamSpec("_Arguments")


def trouble_page(request: HttpRequest, title: str, *texts: str, status: int) -> HttpResponse:
    """Render an error page that says what is wrong and what to do. texts: the paragraphs.

    The page has the sidebar if the operator is logged in.
    """
    is_inside = admin.site.has_permission(request)
    frame = "admin/base_site.html" if is_inside else "unfold/layouts/unauthenticated.html"
    context = {**admin.site.each_context(request), "title": title, "texts": texts, "frame": frame}
    content = loader.render_to_string("shipments/trouble.html", context, request)
    response = HttpResponse(content, status=status)
    response["Cache-Control"] = "no-store"
    if status == 503:
        response["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return response


def broken_page(request: HttpRequest) -> HttpResponse:
    """Render the page of an internal error without a query, since what failed may be the database.

    It has the sidebar if the operator is known to be logged in and the permissions were read before the error;
    otherwise it is a page that depends on nothing.
    """
    request_id: str = getattr(request, "request_id", "")
    request.is_broken = True  # type: ignore[attr-defined]  # read by the counts in the menu
    try:
        with connection.execute_wrapper(_refuse_query):
            if admin.site.has_permission(request):
                return trouble_page(
                    request,
                    gettext("Something went wrong on our side"),
                    gettext("Try again in a moment. If it happens again, give an administrator this number: %s")
                    % request_id,
                    status=500,
                )
    except Exception as error:  # noqa: BLE001  # whatever breaks this page has a simpler page
        log.warning("error_page_without_frame", error=type(error).__name__)
    content = loader.render_to_string("prealerts/broken.html", {"request_id": request_id})
    return HttpResponse(content, status=500)


def _refuse_query(*_arguments: object) -> NoReturn:
    raise InterfaceError("No queries on the page of an internal error.")


def reports_missing_files(view: Callable[_Arguments, HttpResponseBase]) -> Callable[_Arguments, HttpResponseBase]:
    """Decorate an admin view that uses stored files: show an error page when the storage is unavailable."""

    @wraps(view)
    def inner(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> HttpResponseBase:
        (request,) = (each for each in arguments if isinstance(each, HttpRequest))
        try:
            return view(*arguments, **named)
        except StorageUnavailable:  # the storage has logged the cause
            return _storage_unavailable_page(request)
        except FileNotFoundError:
            log.exception("stored_file_missing")
            return trouble_page(
                request,
                gettext("The stored file is missing"),
                gettext("The file is registered, but it is no longer in the file storage."),
                gettext("Contact an administrator: the command check_files lists all missing or damaged files."),
                status=404,
            )
        except OSError as error:
            if error.errno not in _DISK_ERRORS:
                raise
            log.exception("storage_unavailable", code=errno.errorcode[error.errno])
            return _storage_unavailable_page(request)

    return inner


def _storage_unavailable_page(request: HttpRequest) -> HttpResponse:
    return trouble_page(
        request,
        gettext("The stored files cannot be reached"),
        gettext("The file storage does not respond, is full, or refuses access."),
        gettext("Try again in a moment. If the problem remains, contact an administrator. Saved data is not affected."),
        status=503,
    )
