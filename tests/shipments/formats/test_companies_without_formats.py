"""Companies without formats: their uploads are answered as before there were formats, but for ids, codes and times."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Caller, make_caller
from tests.shipments.formats.plain_books import BOOKS, FORMS

pytestmark = pytest.mark.django_db

RECORDED = Path(__file__).with_name("answers_before_formats.json")
"""What the commit before formats answered (e607864), but for one sentence that was reworded later on purpose: that of
`no_parser_for_format`."""

_VARYING = [
    (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"), "<id>"),
    (re.compile(r"(?<=\"tracking_code\":\")[^\"]+"), "<code>"),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]{5})"), "<time>"),
]


def answers() -> dict[str, Any]:
    """Name of a case -> status and body, in its own order, with what varies replaced."""
    found = {}
    for number, (book, countries, form) in enumerate(FORMS):
        caller: Caller = make_caller(f"C{number:02d}X", allowed_countries=list(countries))
        response = caller.upload(BOOKS[book](), **form)
        body = response.content.decode()
        for pattern, replacement in _VARYING:
            body = pattern.sub(replacement, body)
        found[f"{book} {','.join(countries)} {json.dumps(form)}"] = [response.status_code, body]
    return found


def test_every_answer_is_as_it_was() -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    now = answers()
    assert list(now) == list(recorded)
    assert {case: now[case] for case, answer in recorded.items() if now[case] != answer} == {}
