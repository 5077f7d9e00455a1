"""The operations, and a good request to each."""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

from tests.api.changing import cancel, patch, put_answers, void
from tests.books import MAWB, workbook_bytes
from tests.conftest import BASE, Caller, as_file, make_caller
from tests.documents import manifest

IDENTIFIERS = {"marketplace_cop_no": "C1", "marketplace_waybill": "W1"}


class Endpoint(NamedTuple):
    """One operation, and a good request to it."""

    name: str
    ask: Callable[[Caller], Any]


def validate_json(caller: Caller, body: Any = None, **changes: Any) -> Any:
    return caller.client.post(
        f"{BASE}/process-pre-alert-json/validate",
        body or manifest(**changes),
        content_type="application/json",
        headers=caller.headers,
    )


def validate_workbook(caller: Caller, book: bytes) -> Any:
    return caller.client.post(f"{BASE}/upload/validate", {"manifest_file": as_file(book)}, headers=caller.headers)


BOOK = workbook_bytes()  # made twice, its bytes would differ by the time inside
UPLOAD = Endpoint("uploadManifest", lambda caller: caller.upload(BOOK))
JSON = Endpoint("postManifest", lambda caller: caller.post_json(manifest()))
VALIDATED = Endpoint("validateWorkbook", lambda caller: validate_workbook(caller, BOOK))
VALIDATED_JSON = Endpoint("validateManifest", validate_json)
LIST = Endpoint("listMawbs", lambda caller: caller.get("/mawbs"))
MAWB_DETAIL = Endpoint("getMawb", lambda caller: caller.get(f"/mawbs/{MAWB}"))
GUIDES = Endpoint("listGuides", lambda caller: caller.get(f"/mawbs/{MAWB}/guides"))
FINDINGS = Endpoint("getFindings", lambda caller: caller.get(f"/mawbs/{MAWB}/findings"))
GUIDE = Endpoint("getGuide", lambda caller: caller.get("/guides/ACM0"))
JOB = Endpoint("getJob", lambda caller: caller.get("/jobs/none"))
CHANGES = Endpoint("guides", lambda caller: caller.get("/guides?hawb=H1"))
CORRECT = Endpoint("correct", lambda caller: patch(caller, "ACM0", {"consignee_city": "Arica"}))
CANCEL = Endpoint("cancel", lambda caller: cancel(caller, "ACM0"))
VOID = Endpoint("void", lambda caller: void(caller, MAWB))
OF_SENDERS = (CORRECT, CANCEL, VOID)
LAYOUTS = Endpoint("listLayouts", lambda caller: caller.get("/layouts"))
ANSWER = Endpoint("answerLayout", lambda caller: put_answers(caller, uuid4(), {"answers": []}))
ME = Endpoint("me", lambda caller: caller.get("/me"))
READ = (LIST, MAWB_DETAIL, GUIDES, FINDINGS, GUIDE, JOB, ME, CHANGES)
ENDPOINTS = (UPLOAD, JSON, VALIDATED, VALIDATED_JSON, LAYOUTS, ANSWER, *READ, *OF_SENDERS)


def acme() -> Caller:
    return make_caller("ACME")


def courier() -> Caller:
    return make_caller("SWIFT", kind="courier")


def form(**fields: Any) -> Any:
    return acme().upload(None, **fields)


def json_of(**changes: Any) -> Any:
    return acme().post_json(manifest(**changes))
