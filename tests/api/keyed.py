"""Requests under an Idempotency-Key."""

from typing import Any

from tests.books import guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file
from tests.documents import manifest

KEY = "9f0c7c4e-3b9d-4a53-8a40-5f3c86a1a001"
BOOK = workbook_bytes([guide_row(1, RUT="1-1"), guide_row(2)])
"""One workbook for all: made twice, its bytes would differ by the time inside."""
OTHER_BOOK = workbook_bytes([guide_row(1, RUT="1-1"), guide_row(2, Contenido="Zapatos")])


def upload(caller: Caller, key: str = KEY, content: bytes = BOOK, **form: Any) -> Any:
    headers = {**caller.headers, "Idempotency-Key": key}
    return caller.client.post(f"{BASE}/upload", {"manifest_file": as_file(content), **form}, headers=headers)


def post(caller: Caller, key: str = KEY, body: Any = None) -> Any:
    return caller.post_json(manifest() if body is None else body, HTTP_IDEMPOTENCY_KEY=key)


def is_replay(answer: Any) -> bool:
    return bool(answer.headers.get("Idempotent-Replayed") == "true")


def assert_same(first: Any, again: Any) -> None:
    """The same success, said to be a repetition."""
    assert (first.status_code, again.status_code) == (201, 201)
    assert not is_replay(first)
    assert is_replay(again)
    assert again.content == first.content
