"""Text files of what happened, in which ids, codes, secrets and times are masked."""

import csv
import io
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

BEGINNING = datetime(2026, 11, 12, 12, tzinfo=UTC)

_MASKS = (
    ("time", re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")),
    ("uuid", re.compile(r"(?<![0-9a-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")),
    ("code", re.compile(r"\b(?:ACM|RIV|T\d+Z)[0-9A-Z]{11}\b")),
    ("secret", re.compile(r"(?:whsec_|msg_|\b[a-z]{2,6}_(?:live|test)_)[\w+/=-]{16,}|\b[0-9a-f]{32,64}\b")),
    ("secret", re.compile(r"\b(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}\b|\b[0-9a-f]{16}…")),
    ("secret", re.compile(r"(?<![\w/.-])(?=[\w:=-]*\d)(?=[\w:=-]*[a-z])(?=[\w:=-]*[A-Z])[\w:=-]{28,}")),
)
_ID = re.compile(r'("(?:id|[a-z_]+_id)": )\d+')
_SILENT = {"script", "style", "svg", "template", "noscript"}
_FIELDS = {"input", "select", "textarea", "option", "button", "form"}
_SHOWN = ("type", "name", "value", "method", "required", "checked", "selected", "disabled", "readonly", "maxlength")
_HEADERS = ("Content-Type", "Content-Disposition", "Location", "Retry-After", "Allow", "WWW-Authenticate")


def masked(text: str) -> str:
    """Replace what differs from run to run. What was equal within the text stays equal."""
    for name, pattern in _MASKS:
        seen: dict[str, int] = {}

        def mask(match: re.Match[str], name: str = name, seen: dict[str, int] = seen) -> str:
            zone = f" {match[1] or 'without zone'}" if name == "time" else ""
            return f"<{name} {seen.setdefault(match[0], len(seen) + 1)}{zone}>"

        text = pattern.sub(mask, text)
    return _ID.sub(r"\1<id>", text)


class _Page(HTMLParser):
    """The title, the visible text and the fields of forms, a line each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in _SILENT
        shown = {name: value or "" for name, value in attrs if name in _SHOWN}
        if tag in _FIELDS and shown.get("name") != "csrfmiddlewaretoken":
            self.lines.append(f"[{tag} {' '.join(f'{name}={shown[name]}' for name in _SHOWN if name in shown)}]")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in _SILENT

    def handle_data(self, data: str) -> None:
        if not self.silent and (text := " ".join(data.split())):
            self.lines.append(text)


def head_of(answer: Any) -> str:
    """Return the status and the headers that say something of an answer."""
    return "\n".join([str(answer.status_code), *(f"{name}: {answer[name]}" for name in _HEADERS if name in answer)])


def content_of(answer: Any) -> str:
    """Return what an answer says: JSON indented, a page as its text and fields, a workbook and a CSV by rows."""
    kind = answer.get("Content-Type", "").partition(";")[0]
    content = answer.getvalue() if answer.streaming else answer.content
    if kind.endswith("json"):
        return json.dumps(json.loads(content), ensure_ascii=False, indent=1)
    if kind.endswith("spreadsheetml.sheet") and content.startswith(b"PK"):  # of rows made up, it is no workbook
        book = load_workbook(io.BytesIO(content))
        rows = ([*row] for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))
        return "\n".join([", ".join(book.sheetnames), *map(repr, rows)])
    if kind == "text/html":
        page = _Page()
        page.feed(content.decode())
        return "\n".join(page.lines)
    if kind == "text/csv":
        return "\n".join(map(repr, csv.reader(io.StringIO(content.decode("utf-8-sig")))))
    return content.decode() if kind.startswith("text/") else f"{len(content)} bytes"


class Journal:
    """One file, written entry by entry."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("w", encoding="utf-8")

    def write(self, title: str, *parts: str) -> None:
        self.file.write(f"=== {masked(title)}\n")
        self.file.writelines(masked(part).rstrip() + "\n" for part in parts if part)
        self.file.flush()

    def write_answer(self, title: str, answer: Any, *more: str) -> None:
        self.write(title, head_of(answer), content_of(answer), *more)
