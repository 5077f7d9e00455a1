"""Generate the parts of docs/integration.md that follow from the code: `python -m tools.integration_page`.

Each part is between `<!-- begin: name -->` and `<!-- end: name -->`; everything else is written by hand.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import django

import tests.environment  # noqa: F401  # invented secrets, for the settings below
from companies.countries import SERVED
from prealerts import settings
from shipments.manifests.cells import MAX_COLUMNS
from shipments.manifests.field_kinds import Field
from shipments.manifests.findings import MAX_REPORTED
from shipments.manifests.guide_fields import GUIDE_FIELDS, MAX_PRODUCTS
from shipments.manifests.manifest import MAX_GUIDES, FlightFields
from shipments.manifests.payload import MANIFEST_FIELDS, PRODUCT_FIELDS
from shipments.manifests.sheets.formats import reader_for
from shipments.manifests.sheets.survey import survey
from shipments.manifests.xlsx import opening
from tools import sample_with_mistakes
from tools.notice_examples import EXAMPLES as EXAMPLES_OF_NOTICES

DOCS = Path(__file__).parent.parent / "docs"
PATH = DOCS / "integration.md"
EXAMPLES = DOCS / "examples"

_LINE_LENGTH = 120
_BY_THE_RULES = "required; "
_PART = re.compile(r"<!-- begin: ([\w.' ]+) -->\n(.*?)<!-- end: \1 -->", re.DOTALL)


def parts(page: str) -> dict[str, str]:
    """Name -> text of every marked part of the page."""
    return {match[1]: match[2] for match in _PART.finditer(page)}


def generated() -> dict[str, str]:
    """The marked parts generated from the code and the example files."""
    manifest_rows = ((field.name, field.required, field.takes, "") for field in MANIFEST_FIELDS)
    return {
        "manifest fields": _fields(manifest_rows),
        "guide fields": _fields(map(_row, GUIDE_FIELDS)),
        "product fields": _fields(map(_row, PRODUCT_FIELDS)),
        **{f"example {country}": _example(country) for country in SERVED},
        "limits": _limits(),
        "error examples": _errors(),
        "notice examples": _notice_examples(),
        "example with mistakes": f"```json\n{_json(answered_with_mistakes())}\n```\n",
    }


def renewed(page: str, written: Mapping[str, str]) -> str:
    """The page with these parts replaced."""

    def part(match: re.Match[str]) -> str:
        return f"<!-- begin: {match[1]} -->\n{written.get(match[1], match[2])}<!-- end: {match[1]} -->"

    return _PART.sub(part, page)


def _row(field: Field) -> tuple[str, bool, str, str]:
    # A field required by a country's rules, which choose the error code if it is missing, says so in its note.
    note = field.note.removeprefix(_BY_THE_RULES)
    return field.name, field.required or note != field.note, field.kind.describe(), note


def _fields(rows: Iterable[tuple[str, bool, str, str]]) -> str:
    lines = ["| field | required | what it takes |", "|---|---|---|"]
    for name, is_required, takes, note in rows:
        lines.append(f"| `{name}` | {'yes' if is_required else 'no'} | {'; '.join(filter(None, (takes, note)))} |")
    return "\n".join(lines) + "\n"


def _example(country: str) -> str:
    return f"```json\n{(EXAMPLES / f'pre-alert-{country}.json').read_text(encoding='utf-8')}```\n"


def _limits() -> str:
    from shipments.v1 import queries  # noqa: PLC0415  # it needs Django set up, the rest does not

    limits = {
        "`manifest_file`, `invoice_file`": f"{_megabytes(settings.MAX_FILE_BYTES)}, each",
        "JSON body": _megabytes(settings.MAX_JSON_BYTES),
        "guides in a manifest": f"{MAX_GUIDES:,}",
        "warnings, notices, `invalid_rows` in an answer": f"{MAX_REPORTED:,} of each",
        "MAWBs in a page of the list": f"{queries.LARGEST_PAGE:,}",
        "guides in a page of a MAWB's guides": f"{queries.LARGEST_PAGE_OF_GUIDES:,}",
        "columns of a sheet": f"{MAX_COLUMNS:,}",
        "products of a guide": f"{MAX_PRODUCTS:,}",
    }
    return (
        "\n".join(["| limit | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in limits.items())])
        + "\n"
    )


def _errors() -> str:
    """Each code once, ordered by status, as in the OpenAPI document."""
    from prealerts.reference.document import document  # noqa: PLC0415  # it needs Django set up, the rest does not

    shown: dict[tuple[str, str], object] = {}
    for item in document()["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                for content in response.get("content", {}).values():
                    for code, example in content["examples"].items():
                        if example["value"].get("success") is False:
                            shown.setdefault((status, code), example["value"])
    blocks = [f"`{status} {code}`\n\n```json\n{_json(shown[status, code])}\n```\n" for status, code in sorted(shown)]
    return "\n" + "\n".join(blocks) + "\n"


def answered_with_mistakes() -> Mapping[str, object]:
    """What `GET /mawbs/:mawb/findings` answers for the sample with mistakes."""
    # They need Django set up, the rest does not.
    from shipments.intake.ingest import kept  # noqa: PLC0415
    from shipments.models import Manifest  # noqa: PLC0415
    from shipments.v1.answers import findings  # noqa: PLC0415

    with opening.reading(sample_with_mistakes.PATH) as book:
        parsed = reader_for("CL").read(survey(book), FlightFields())
    return findings(Manifest(**kept(parsed)))


def _notice_examples() -> str:
    from shipments.wording.rendering import in_words  # noqa: PLC0415  # as above

    lines = ["| `code` | an example |", "|---|---|"]
    lines += [f"| `{code}` | {in_words(said.sentence, said.params)} |" for code, said in EXAMPLES_OF_NOTICES.items()]
    return "\n".join(lines) + "\n"


def _json(value: object) -> str:
    """On one line if it fits."""
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= _LINE_LENGTH else json.dumps(value, ensure_ascii=False, indent=2)


def _megabytes(size: int) -> str:
    return f"{size // 2**20} MB ({size:,} bytes)"


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = settings.__name__
    django.setup()
    PATH.write_text(renewed(PATH.read_text(encoding="utf-8"), generated()), encoding="utf-8")
