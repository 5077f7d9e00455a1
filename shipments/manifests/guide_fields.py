"""The table of a guide's fields: what each accepts, and how each is used.

Readers, the JSON schema, COPY, exports, the guide endpoint, correction forms, anonymising, examples and benchmarks are
derived from it. Three things cannot be: the typed line of `manifest.GuideRow`, the column of `models.Guide`, and the
words of `words/words.toml`. Tests compare them with this table. CONTRIBUTING has the recipe "A guide field".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from shipments.manifests.field_kinds import (
    Count,
    Country,
    DecimalNumber,
    Document,
    DocumentType,
    Field,
    FieldKind,
    Hawb,
    Items,
    Text,
    YesNo,
)
from shipments.manifests.waybills import HAWB_LENGTH

Personal = Literal["", "consignee", "parcel"]
"""Whom a field is about, and so whether anonymising empties it.

`consignee`: who they are, and where. This includes city and region, because with a HAWB's date they identify people in
small places. `parcel`: its contents, sender and value.
"""

InWorkbook = Literal["", "text", "own"]
"""How a column of a workbook is read.

Either not at all, as text that is kept unchanged, or by separate rules in `sheets/`, as for numbers, documents and
values joined from several columns.
"""

Search = Literal["", "name", "email", "phone"]
"""How operators find a guide by this field: by any word of a name, or by the whole value. See `consignee_words.py`."""

Corrector = Literal["sender", "operator"]
"""Who corrects a guide: the client or courier that sent it, or an operator."""

Until = Literal["", "customs", "last_mile", "end"]
"""Until when a field may be corrected: never, until customs has the guide, until the last mile, while it is active."""

Export = Literal["", "parties", "goods", "figures"]
"""The part of an exported row that a field belongs to; empty when it is not exported."""

_EXPORTED: Sequence[Export] = ("parties", "goods", "figures")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideField(Field):
    """One field of a guide.

    label: in English and lower case, like the model's column, where it is marked for translation.
    example: a value of the published examples. unknown: what is stored when no value was sent.
    repeats: a vertically merged cell applies to each of its rows; money and counts apply once.
    is_content: a filled cell counts towards recognising a row as a guide.
    is_usual: nearly every manifest has it, so that its heading helps to find the row of headings.
    is_answered: `GET guides/:tracking_code` returns it. Only texts, amounts, counts, and yes or no.
    sender_until, operator_until: until when its sender and operators may correct it.
    search: its words are stored a second time, folded, in the column `WORDS_COLUMN`.
    """

    label: str
    example: object
    unknown: object = ""
    personal: Personal = ""
    in_workbook: InWorkbook = ""
    repeats: bool = False
    is_content: bool = False
    is_usual: bool = False
    export: Export = ""
    is_answered: bool = False
    sender_until: Until = "customs"
    operator_until: Until = ""
    search: Search = ""


WEIGHT_KG = DecimalNumber(places=3, minimum=Decimal("0.001"), maximum=Decimal("999999999.999"))
PACKAGES = Count(1, 1_000_000)
USD = DecimalNumber(places=2, maximum=Decimal("999999999999.99"))
DESCRIPTION = Text(2000)
HS_CODE = Text(255, takes_integers=True)
"""A guide's own columns, which its products also have."""

MAX_PRODUCTS = 1_000
"""The most products of one guide."""


def _of_consignee(
    name: str, kind: FieldKind, label: str, example: str, in_workbook: InWorkbook = "text", **options: Any  # noqa: ANN401  # of `GuideField`
) -> GuideField:  # fmt: skip
    """Return a field of who the consignee is, and where: on every row of a merged cell, and on a guide's label."""
    return GuideField(
        name, kind, label=label, example=example, personal="consignee", in_workbook=in_workbook, repeats=True,
        is_content=True, operator_until="end", export="parties", **options,
    )  # fmt: skip


GUIDE_FIELDS: Sequence[GuideField] = (
    GuideField(
        "hawb", Hawb(HAWB_LENGTH), required=True, note="unique within the manifest", label="HAWB",
        example="AND2612150101", in_workbook="own", repeats=True, export="parties", is_answered=True, sender_until="",
    ),
    _of_consignee(
        "consignee_name", Text(255), "consignee", "Antonia Fuentes Rojas", "own", required=True, is_usual=True,
        is_answered=True, search="name",
    ),
    _of_consignee(
        "consignee_document_type", DocumentType(16), "document type", "RUT", code="invalid_document_type",
        note="see the country's rules",
    ),
    _of_consignee(
        "consignee_document", Text(32, takes_integers=True), "document", "12.345.678-5", "own",
        note="required; see the country's rules", is_usual=True,
    ),
    _of_consignee(
        "consignee_address", Text(512), "address", "Avenida Los Leones 1280, depto. 52", "own", is_usual=True,
        sender_until="last_mile",
    ),
    _of_consignee("consignee_city", Text(128), "city", "Providencia", is_usual=True, sender_until="last_mile"),
    _of_consignee("consignee_region", Text(128), "region", "Metropolitana de Santiago", sender_until="last_mile"),
    _of_consignee(
        "consignee_postal_code", Text(32, takes_integers=True), "postal code", "7510000", sender_until="last_mile"
    ),
    _of_consignee(
        "consignee_phone", Text(64, takes_integers=True), "phone", "+56 9 5550 0101", is_usual=True, search="phone",
        sender_until="last_mile",
    ),
    _of_consignee(
        "consignee_email", Text(254), "e-mail", "antonia.fuentes@example.com", search="email", sender_until="last_mile"
    ),
    GuideField(
        # Private people send gifts, and a seller's name suggests what was bought.
        "shipper_name", Text(255), label="shipper", example="Example Outlet Inc.", personal="parcel",
        in_workbook="text", repeats=True, is_content=True, is_usual=True, export="parties",
    ),
    GuideField(
        "shipper_address", Text(512), label="shipper's address", example="1820 NW 79th Avenue, Doral",
        personal="parcel", in_workbook="text", repeats=True, export="parties", operator_until="end", sender_until="",
    ),
    GuideField(
        "shipper_city", Text(128), label="shipper's city", example="Miami", personal="parcel", in_workbook="text",
        repeats=True, export="parties", operator_until="end", sender_until="",
    ),
    GuideField(
        "shipper_country", Country(2), label="shipper's country", example="US",
        personal="parcel", in_workbook="own", repeats=True, export="parties", operator_until="end", sender_until="",
    ),
    GuideField(
        "weight_kg", WEIGHT_KG, required=True, note="of the whole guide, in kg", label="weight (kg)", example=1.25,
        unknown=None, in_workbook="own", repeats=True, is_content=True, is_usual=True, export="figures",
        is_answered=True,
    ),
    GuideField(
        "packages_count", PACKAGES, note="1 when it is left out", label="packages", example=1, unknown=1,
        in_workbook="own", is_content=True, is_usual=True, export="figures", is_answered=True,
    ),
    GuideField(
        "bag", Text(64, takes_integers=True), note="the bag or consolidation in which the parcel travels", label="bag",
        example="SCL-0412", in_workbook="text", repeats=True, export="figures", is_answered=True, operator_until="end",
    ),
    GuideField(
        "description_original", DESCRIPTION, required=True, label="description", example="Zapatillas deportivas",
        personal="parcel", in_workbook="text", is_content=True, is_usual=True, export="goods", is_answered=True,
    ),
    GuideField(
        "product_value", USD, note="US dollars", label="product value", example=59.9, unknown=None,
        personal="parcel", in_workbook="own", is_content=True,
    ),
    GuideField(
        "fob_usd", USD, required=True, note="US dollars", label="FOB (US$)", example=59.9, unknown=None,
        personal="parcel", in_workbook="own", is_content=True, is_usual=True, export="figures", is_answered=True,
    ),
    GuideField(
        "freight_usd", USD, note="US dollars; not part of the FOB value", label="freight (US$)", example=8.5,
        unknown=None, personal="parcel", in_workbook="own", export="figures", operator_until="end",
    ),
    GuideField(
        "insurance_usd", USD, note="US dollars; not part of the FOB value", label="insurance (US$)", example=1.2,
        unknown=None, personal="parcel", in_workbook="own", export="figures", operator_until="end", sender_until="",
    ),
    GuideField(
        "hs_code", HS_CODE, note="6 to 12 digits and at most one letter; another code is kept, with a warning",
        label="HS code", example="6404.11.00", personal="parcel",  # the description as a code
        in_workbook="own", is_content=True, is_usual=True, export="goods",
    ),
    GuideField(
        "goods_country", Country(2), note="where the goods were made; not the flight's `origin_country`", example="VN",
        label="goods made in", personal="parcel", in_workbook="own", repeats=True, export="goods", operator_until="end",
        sender_until="",
    ),
    GuideField(
        "category", Count(1, 4), code="invalid_category", note="Peru's express category; ignored elsewhere",
        label="express category", example=2, unknown=None, personal="parcel",  # a range of the value
        export="figures", sender_until="",
    ),
    GuideField(
        "platform_name", Text(64), note="marketplace or source of the order", label="platform",
        example="Example Shop", unknown=None,  # the contract distinguishes null and ""
        export="figures", sender_until="",
    ),
    GuideField(
        "vat_collected", YesNo(), note="whether VAT was charged at the sale; see Chile's rules",
        label="VAT charged at the sale", example=True, unknown=None, in_workbook="own", export="figures",
        is_answered=True,
    ),
    GuideField(
        "platform_tax_id", Text(32, takes_integers=True), label="platform's tax id", example="59123456-0",
        note="of the platform that charged it: its RUT, or another registration", unknown=None,
        personal="parcel",  # a seller may be a person
        in_workbook="text", repeats=True, export="figures", is_answered=True,
    ),
    GuideField(
        "sale_id", Text(64, takes_integers=True), note="the unique identifier of the sale", label="sale id",
        example="CL-20417-8", unknown=None, personal="parcel",  # the platform knows the buyer by it
        in_workbook="text", repeats=True, export="figures", is_answered=True,
    ),
    GuideField(
        "products", Items(MAX_PRODUCTS), label="products", unknown=[], personal="parcel",
        note="when there are any, the guide's weight, values, description and HS code come from them",
        example=[
            {"description": "Cadena", "quantity": 4, "unit_value": 18.75, "weight_kg": 1.2, "hs_code": "87149990"}
        ],
    ),
    GuideField(
        "extra_data", Document(max_bytes=16 * 1024, max_depth=8), note="stored as sent, its numbers as doubles",
        label="extra data", example={"order": "CL-20417"}, unknown={}, personal="parcel",  # arbitrary content
        sender_until="",
    ),
)  # fmt: skip
"""A row's keys in JSON, in the order in which problems are reported."""

LONGEST: Mapping[str, int] = {
    field.name: field.kind.max_length for field in GUIDE_FIELDS if isinstance(field.kind, Text)
}
"""The length to which each text is cut. A workbook's longer text is cut, with a warning."""

CONSIGNEE_FIELDS: Sequence[str] = tuple(field.name for field in GUIDE_FIELDS if field.personal == "consignee")
"""Who the consignee is, and where."""

CORRECTABLE: Mapping[Corrector, Mapping[str, GuideField]] = {
    "sender": {field.name: field for field in GUIDE_FIELDS if field.sender_until},
    "operator": {field.name: field for field in GUIDE_FIELDS if field.operator_until},
}
"""What each may correct."""

WORDS_COLUMN = "consignee_words"
"""The folded words of the fields with a `search`: derived from them, and as personal as they are."""

PERSONAL_VALUES: Mapping[str, object] = {
    **{field.name: field.unknown for field in GUIDE_FIELDS if field.personal},
    WORDS_COLUMN: None,
}
"""Personal field -> its value once it is anonymised."""

EXPORTED_FIELDS: Sequence[str] = tuple(
    field.name
    for field in sorted(
        (field for field in GUIDE_FIELDS if field.export), key=lambda each: _EXPORTED.index(each.export)
    )
)
"""In the order of an exported row."""

FIELD_NAMES: Sequence[str] = tuple(field.name for field in GUIDE_FIELDS)

MONEY: Sequence[str] = tuple(field.name for field in GUIDE_FIELDS if field.kind is USD)
"""Amounts of US dollars: the goods' values, and the charges beside them."""

CHARGES: Sequence[str] = ("freight_usd", "insurance_usd")

COUNTRIES: Sequence[str] = tuple(field.name for field in GUIDE_FIELDS if isinstance(field.kind, Country))

WORKBOOK_TEXTS: Sequence[str] = tuple(field.name for field in GUIDE_FIELDS if field.in_workbook == "text")
"""Fields whose cells are kept unchanged."""

ANSWERED_FIELDS: Sequence[GuideField] = tuple(
    field for field in GUIDE_FIELDS if field.is_answered and field.name != "hawb"
)
"""What the guide endpoint returns in addition to the codes that identify a guide: its HAWB, tracking code and MAWB."""
