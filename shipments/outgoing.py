"""Papers out: the guides of a manifest in the columns of a broker's own spreadsheet. A file, and no filing."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from decimal import ROUND_HALF_UP, Decimal
from operator import itemgetter
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext as _

from base.admin.activity import log_act
from base.admin.spreadsheets import CSV_CONTENT_TYPE, XLSX_CONTENT_TYPE, Formatted, Value, csv_chunks, xlsx_file
from base.errors import ValidationFailed
from companies.countries import SERVED
from shipments.activity import BROKER_FILE_DOWNLOADED
from shipments.manifests.field_kinds import EXACT
from shipments.manifests.guide_fields import FIELD_NAMES, MONEY
from shipments.manifests.sheets.account import key_of
from shipments.manifests.words import WORDS
from shipments.manifests.words.amounts import UNITS
from shipments.manifests.words.headings import read_heading
from shipments.manifests.words.levels import Level, level_of
from shipments.models import Guide, ListedGuides, Manifest, OutgoingLayout
from shipments.statuses import GuideStatus

OF_GUIDE = (*(name for name in FIELD_NAMES if name not in {"products", "extra_data"}), "tracking_code")
OF_MANIFEST = (
    "manifest__mawb", "manifest__country", "manifest__eta", "manifest__total_guides", "manifest__total_pieces",
    "manifest__total_weight_kg", "manifest__total_fob_usd", "manifest__flight__flight_number",
    "manifest__flight__origin_airport", "manifest__flight__origin_country", "manifest__flight__destination_airport",
    "manifest__flight__scheduled_departure",
)  # fmt: skip
OF_COMPANY = ("company__name", "company__client_code")
EXTRA_KEYS = tuple(WORDS["kept"])
"""The keys under which the reader keeps what workbooks have besides."""
FIELDS = frozenset((*OF_GUIDE, *OF_MANIFEST, *OF_COMPANY))
CONSTANT = "constant"
_READ_AS = {
    "consignee_country": "manifest__country", "mawb": "manifest__mawb", "scheduled_arrival": "manifest__eta",
    "scheduled_departure": "manifest__flight__scheduled_departure", "origin": "manifest__flight__origin_airport",
    "destination": "manifest__flight__destination_airport", "flight_number": "manifest__flight__flight_number",
}  # fmt: skip
"""Field of the reader -> ours, where that is not of the same name."""
_ALWAYS = {"currency": "USD", "weight_unit": "KG"}

_WEIGHTS = ("weight_kg", "manifest__total_weight_kg")
_NUMBERS = (*_WEIGHTS, *MONEY, "manifest__total_fob_usd")
TAKES: Mapping[str, Sequence[str]] = {
    "unit": _WEIGHTS, "decimals": _NUMBERS, "decimal_mark": _NUMBERS,
    "date_form": ("manifest__eta", "manifest__flight__scheduled_departure"),
}  # fmt: skip
"""The form of a value -> the fields that can have it."""
DATE_FORMS: Mapping[str, str] = {
    "YYYY-MM-DD HH:MM": "%Y-%m-%d %H:%M", "YYYY-MM-DD": "%Y-%m-%d", "DD-MM-YYYY HH:MM": "%d-%m-%Y %H:%M",
    "DD-MM-YYYY": "%d-%m-%Y", "DD/MM/YYYY HH:MM": "%d/%m/%Y %H:%M", "DD/MM/YYYY": "%d/%m/%Y", "YYYYMMDD": "%Y%m%d",
}  # fmt: skip
"""Form of a time by the destination's clock -> as `strftime` has it. The first counts where none is said."""


def suggest_columns(headings: Sequence[str]) -> list[dict[str, str]]:
    """Return a column for each heading, with the field that its words name; of two, only the clearer one has it."""
    form = dict.fromkeys(("field", "value", "decimals", "decimal_mark", "date_form", "unit"), "")
    proposals = [_proposal(heading) for heading in headings]
    clearest = {said["field"]: rank for rank, said in sorted(proposals, key=itemgetter(0), reverse=True)}
    return [
        {**form, **(said if rank == clearest[said["field"]] else {}), "heading": heading}
        for heading, (rank, said) in zip(headings, proposals, strict=True)
    ]


def _proposal(heading: str) -> tuple[int, dict[str, str]]:
    """Return the rank of what a heading names, 0 for the best, and what is said of its column."""
    read, key = read_heading(heading), key_of(heading, 0)
    for meaning in sorted(read.meanings, key=lambda each: (each.rank, each.field not in OF_GUIDE)):
        name = _READ_AS.get(meaning.field, meaning.field)
        if name in _ALWAYS:
            return 0, {"field": CONSTANT, "value": _ALWAYS[name]}
        is_clear = level_of(read, meaning, heading).level >= Level.KNOWN and not (name == "hawb" and meaning.rank > 2)
        if is_clear and name in FIELDS and read.currency in {"", "USD"} and read.unit in {"", *UNITS}:
            return meaning.rank, {"field": name, "unit": read.unit if name in _WEIGHTS else ""}
    return 0, {"field": f"+{key}" if key in EXTRA_KEYS else ""}


def rows_of(layout: OutgoingLayout, manifest: Manifest) -> list[list[Any]]:
    """Return of each guide that was not cancelled its id, and the stored value of each column.

    Raises `ValidationFailed` with the name of an unknown field.
    """
    fields = {column["field"] for column in layout.columns} - {CONSTANT, ""}
    lookups = {"extra_data" if name.startswith("+") else name for name in fields}
    if unknown := lookups - FIELDS - {"extra_data"}:
        raise ValidationFailed(details={"layout": [_("There is no field %s.") % name for name in sorted(unknown)]})
    guides = Guide.objects.filter(manifest=manifest).exclude(status=GuideStatus.CANCELLED).order_by("pk")
    rows = guides.values("pk", *lookups).iterator(chunk_size=2_000)
    return [[row["pk"], *(_get_value(row, column) for column in layout.columns)] for row in rows]


def _get_value(row: Mapping[str, Any], column: Mapping[str, str]) -> Any:  # noqa: ANN401  # of any field
    name = column["field"]
    if name.startswith("+"):
        found = (row["extra_data"] or {}).get(name[1:])
        return found if found is None or isinstance(found, bool | int | float) else str(found)
    return column["value"] if name == CONSTANT else row.get(name)


def empty_columns(layout: OutgoingLayout, rows: Sequence[Sequence[Any]]) -> list[tuple[str, int]]:
    """Return each heading without a value in some guides, and in how many."""
    headings = enumerate((column["heading"] for column in layout.columns), start=1)
    counts = [(heading, sum(row[number] in {None, ""} for row in rows)) for number, heading in headings]
    return [(heading, count) for heading, count in counts if heading and count]


def download(
    request: HttpRequest, layout: OutgoingLayout, manifest: Manifest, rows: Sequence[Sequence[Any]], kind: str
) -> HttpResponseBase:
    """Return the file, `xlsx` or `csv`, and log whose data went out. It is stored nowhere. rows: of `rows_of`."""
    params = {"layout": layout.name, "kind": kind.upper(), "guides": len(rows)}
    entry = log_act(request, manifest, BROKER_FILE_DOWNLOADED, **params)
    ListedGuides.objects.create(entry=entry, guides=[row[0] for row in rows])
    headings, clock = [column["heading"] for column in layout.columns], SERVED[manifest.country].clock
    cells = ([_cell(*each, clock, kind) for each in zip(row[1:], layout.columns, strict=True)] for row in rows)
    name = f"{manifest.mawb}-{slugify(layout.name) or 'broker'}.{kind}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    if kind == "xlsx":
        file = xlsx_file(headings, cells, title=layout.sheet, keeps_lines=True)
        return FileResponse(file, content_type=XLSX_CONTENT_TYPE, headers=headers)
    separator = ";" if any(column["decimal_mark"] == "," for column in layout.columns) else ","
    chunks = csv_chunks(headings, cells, separator=separator, is_exact=True)
    return StreamingHttpResponse(chunks, content_type=CSV_CONTENT_TYPE, headers=headers)


def _cell(value: Any, column: Mapping[str, str], clock: tzinfo, kind: str) -> Value:  # noqa: ANN401  # as above
    """Return a value as the layout has it. In an XLSX numbers and dates stay what they are, and only show so."""
    if isinstance(value, datetime):
        form, local = column["date_form"] or next(iter(DATE_FORMS)), value.astimezone(clock).replace(tzinfo=None)
        if kind == "csv":
            return local.strftime(DATE_FORMS[form])
        return Formatted(local if "HH" in form else local.date(), form.lower())
    if isinstance(value, Decimal):
        if column["unit"] or column["decimals"]:
            places = int(column["decimals"] or 3)  # grams, at least nearly
            converted = EXACT.divide(value, UNITS[column["unit"] or "kg"])
            value = converted.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, EXACT)
        if kind == "csv":
            return f"{value:f}".replace(".", column["decimal_mark"] or ".")
        return Formatted(value, f"0.{'0' * int(column['decimals'])}".rstrip(".")) if column["decimals"] else value
    return value  # type: ignore[no-any-return]  # text, a count, yes or no, or nothing
