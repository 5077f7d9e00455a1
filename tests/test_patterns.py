"""Every regular expression over clients' text takes time by the length of the text, never by its square."""

import re
from collections.abc import Callable, Mapping

import pytest

from shipments.manifests.words import labels
from tests.patterns import Pattern, uses

LENGTH = 500_000
"""Fifteen times the longest cell: a pattern that takes the square of a text takes ten minutes or more, and the time
limit ends its test. One that does not takes a second at most, so no time is measured."""

Worst = str | tuple[str, str, str]

WORST: Mapping[str, Worst] = {
    "base.admin.spreadsheets._FORMULA_START": " ",
    "base.admin.spreadsheets._INNER_FORMULA_START": "\t",
    "companies.authentication._BLANKS": (" ", " \t", "a"),
    "companies.models.contact.WithContact": ("", "1", "a"),
    "companies.models.operators.OperatorAccess": ("", "a", "/"),
    "shipments.admin.forms.find_named_guides": ",",
    "shipments.admin.guide_search._BETWEEN_CODES": "a ",
    "shipments.admin.guide_search._CODE": ("", "a", "1"),
    "shipments.admin.guide_search._DOCUMENT": ("", "1.", "a"),
    "shipments.admin.guide_search._FLIGHT": "1",
    "shipments.admin.guide_search._NOT_IN_A_FLIGHT": "- a",
    "shipments.admin.privacy_pages._documents_in": ",",
    "shipments.inbound.bodies.FACILITY": ("", "a", "/"),
    "shipments.manifests.consignee_words._NOT_A_DIGIT": ("", "a", "1"),
    "shipments.manifests.consignee_words._NOT_IN_A_WORD": ("", " ", "a"),
    "shipments.manifests.consignee_words._PHONE": ("", "1 ", "a"),
    "shipments.manifests.consignee_words._SEPARATORS": ("", "_", "a"),
    "shipments.manifests.countries.chile.RUT": "a",
    "shipments.manifests.destinations._CHINESE_WORDS": "A",
    "shipments.manifests.destinations._ROUTE": (" ", " ", "a"),
    "shipments.manifests.destinations._VIA": ("via", " ", "x"),
    "shipments.manifests.destinations._fold": "A",
    "shipments.manifests.destinations.place_country": "-",
    "shipments.manifests.documents.check_rut": ("", "1", "a"),
    "shipments.manifests.flights._WITHOUT_OFFSET": ("2026-11-20T", "1", "a"),
    "shipments.manifests.moments._ISO": ("2026-11-20 10:00", "1", "\n"),
    "shipments.manifests.moments._NUMBER_OR_WORD": "1",
    "shipments.manifests.moments._OFFSET": " ",
    "shipments.manifests.places._PARTS": "(",
    "shipments.manifests.sheets.candidates._FRACTION": ("", "1", "a"),
    "shipments.manifests.sheets.candidates._EMAIL": "a",
    "shipments.manifests.sheets.candidates._INSTRUCTION": "(",
    "shipments.manifests.sheets.candidates._PARTICIPLE": ("", "a", "1"),
    "shipments.manifests.sheets.candidates._PHONE": ("1", " ", "a"),
    "shipments.manifests.sheets.candidates._SPOILT": "1",
    "shipments.manifests.sheets.encodings._ODD_LETTERS": "é",
    "shipments.manifests.sheets.headers._PATH": ("", "aa.", "!"),
    "shipments.manifests.sheets.headers._STEP": (".", "1", "a"),
    "shipments.manifests.sheets.report._WORD": "a",
    "shipments.manifests.sheets.row_kinds._EXAMPLE": "(",
    "shipments.manifests.sheets.row_kinds._PLAIN_HAWB": ("", "a", "1:"),
    "shipments.manifests.sheets.row_kinds._SUMS": ("sub", "-", "a"),
    "shipments.manifests.sheets.row_kinds._TOTAL": ("sub", "-", "a"),
    "shipments.manifests.sheets.rows._SCIENTIFIC": ("1.", "1", "E"),
    "shipments.manifests.waybills._BARE_NUMBER": ("123456789.", "0", "1"),
    "shipments.manifests.waybills._MAWB_FIRST": "NO ",
    "shipments.manifests.words.amounts._GROUPED": ("1", ".111", "a"),
    "shipments.manifests.words.amounts._GROUPED_BY_BLANKS": ("1", " 111", "a"),
    "shipments.manifests.words.amounts._NUMBER": ("1", " ", "("),
    "shipments.manifests.words.headings._ENUMERATED": "(",
    "shipments.manifests.words.labels.FILLERS": (" ", ":", "a"),
    "shipments.manifests.words.labels._LABEL_AND_MAWB": ("a", " ", "x"),
    "shipments.manifests.words.labels._MASTER": "guia ",
    "shipments.manifests.words.labels._PLACE_FIRST": ("SCL", " ", "a"),
    "shipments.manifests.words.labels._pattern": ("guia", " ", "x"),
    "shipments.manifests.words.levels._PATH": ("", "aa.", "!"),
    "shipments.manifests.words.spelling.IN_BRACKETS": "(",
    "shipments.manifests.words.spelling._BOUND": ("max", " ", "a"),
    "shipments.manifests.words.spelling._MARKS": "\u00b2",
    "shipments.manifests.words.spelling._PLAUSIBLE": ("", "a", "\u0400"),
    "shipments.manifests.words.spelling._TOKEN": "a1",
    "shipments.manifests.xlsx.opening._QUOTED": ('"', "a", "`"),
    "shipments.manifests.xlsx.sheet_marks.Scanner": '<c r="A1"><f',
    "shipments.manifests.xlsx.sheet_marks._find_hidden": "<row",
    "shipments.manifests.xlsx.workbook_package._DOCTYPE": "a",
    "shipments.manifests.xlsx.workbook_package._MISC": "<!--",
    "shipments.manifests.xlsx.workbook_package._NUMBERED": "/workbook1",
    "shipments.manifests.xlsx.workbook_package._check_kind": "/workbook1",
    "shipments.models.carriers.Carrier": ("", "a", "_"),
    "shipments.carriers.forgetting._BETWEEN_WORDS": " ",
    "shipments.privacy.drafts._TAG": "<",
    "shipments.privacy.terms._NOT_A_DIGIT": "a",
    "shipments.privacy.terms._WORD": "a",
    "shipments.tracking.event_files.column_headings._OFFSET": ("utc+", " ", "a"),
    "shipments.v1.bodies._QUOTED": ('"', "a", "a"),
    "shipments.v1.views._RESPOND_ASYNC": ("respond-async", " ", "a"),
    "webhooks.destinations._A_NAME": "a.",
    "webhooks.subscriptions._CARRIED_BY_A_HEADER": ("a", " ", "\x00"),
}
"""The worst text of each pattern with an unbounded repetition: what is repeated, or what stands before and after it."""

OURS = {
    "prealerts.documentation.rendering._COMMENT_LINES",
    "prealerts.documentation.rendering._LINK",
    "prealerts.documentation.rendering._address",
    "prealerts.metrics.directory.prepare",
    "shipments.intake.annotated_workbook._ROWS",
    "shipments.intake.annotated_workbook._SIZE",
    "shipments.wording._PARAMETER",
}
"""Patterns that only see text of our own."""

BUILT: Mapping[str, Callable[[], Pattern]] = {"shipments.manifests.words.labels._pattern": labels._pattern}
BOUNDED = {
    "shipments.privacy.terms.Terms",
    "shipments.privacy.terms._document_pattern",
    "shipments.manifests.documents.(RUC_SHAPE, CUIT_SHAPE)",
    "shipments.manifests.documents.digits_check",
    "shipments.operations.bodies.Customs",
}
"""Not written in one piece, and without an unbounded repetition."""

_UNBOUNDED = re.compile(r"(?<!\\)[*+](?![^\[]*\])|\{[0-9]+,\}")


def is_unbounded(pattern: Pattern | None) -> bool:
    if pattern is None:
        return True
    written = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return _UNBOUNDED.search(written) is not None


def test_every_pattern_that_repeats_without_bound_has_its_worst_text() -> None:
    unbounded = {name for name, found in uses().items() if any(is_unbounded(pattern) for _method, pattern in found)}
    assert unbounded - OURS - BOUNDED == WORST.keys()


@pytest.mark.parametrize("name", WORST)
def test_a_pattern_takes_no_square_of_its_worst_text(name: str) -> None:
    """Otherwise it would not end before the time limit."""
    worst = WORST[name]
    before, unit, after = ("", worst, "") if isinstance(worst, str) else worst
    text = before + unit * (LENGTH // len(unit)) + after
    for method, found in uses()[name]:
        pattern = BUILT[name]() if found is None else found
        given = text.encode() if isinstance(pattern.pattern, bytes) else text
        replacement = [given[:0]] if method == "sub" else []
        result = getattr(pattern, method or "findall")(*replacement, given)
        if method == "finditer":
            list(result)
