"""Generate the published list of header words: `python -m tools.header_words_page`."""

from pathlib import Path

from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.words.guide_words import Words
from shipments.manifests.words.header_words import CONTRACT_NAMES, VOCABULARY

PATH = Path(__file__).parents[1] / "docs" / "header-words.md"

_LABELS = {
    field.name: f"Consignee: {field.label}"
    if field.personal == "consignee"
    else field.label[:1].upper() + field.label[1:]
    for field in GUIDE_FIELDS
}
_TITLES = _LABELS | {
    "mawb": "MAWB",
    "consignee_name": "Consignee: whole name",
    "given_name": "Consignee: given names, if surnames are separate",
    "middle_name": "Consignee: second given name",
    "surname": "Consignee: surname",
    "second_surname": "Consignee: second surname",
    "consignee_document": "Consignee: RUT or other document",
    "check_digit": "Check digit of the RUT, in a column of its own",
    "consignee_document_type": "Kind of document",
    "address_number": "Number in the street, joined to the address",
    "address_more": "What else belongs to the address",
    "consignee_city": "Consignee: commune or city",
    "consignee_country": "Consignee: country (understood, not kept)",
    "description_original": "Description of the goods",
    "weight_kg": "Weight",
    "weight_unit": "Unit of the weight, row by row",
    "fob_usd": "FOB value in US dollars",
    "currency": "Currency, row by row",
    "product_value": "Value of the product",
    "flight_number": "Flight number",
    "origin": "Origin",
    "destination": "Destination",
    "scheduled_departure": "Scheduled departure",
    "scheduled_arrival": "Scheduled arrival (ETA)",
    "unused": "Understood, but never stored in a guide",
}

_INTRODUCTION = """\
# Header words

The column headings and cell labels that the workbook reader recognises. This page is generated from
`shipments/manifests/words/header_words.py` and `guide_words.py` by `python -m tools.header_words_page`;
a test compares the two.

How a heading is matched:

- Case, accents, punctuation, line breaks, `*` and text in brackets are ignored. `N°`, `Nº`, `No.`, `Nro.`,
  `#`, `number` and `número` are the same word, and may be added to any listed word: `guia` covers
  `N° GUÍA`. Units (`kg`, `lb`) and `USD` may be added to any word. `camelCase` and `snake_case` are split.
- The whole heading is matched before its beginning, the longest word wins, and words of three letters or
  fewer only match whole.
- A heading that names a party refers to that party: `RUT del embarcador` is the shipper's and is not read,
  `Consignee address` is the consignee's. So is a group heading above (`CONSIGNATARIO` over `NOMBRE`, `RUT`).
- If no listed word matches, the noun decides: weight, peso, masa; value, valor, monto; packages, bultos, cartons;
  description, contents, goods. Words that change nothing (`declared`, `total`, `of shipment`) may be around it.
- Units and currencies are read, never assumed: a weight or value heading with two of them, or with an unknown
  word, is not read, and a notice quotes it. `PESO` alone is kilograms, `VALOR` alone US dollars, unless
  a column beside it or a remark above or below the guides (`Unidad: LB`, `Valores expresados en CLP`) says otherwise.
- If several columns match one field, the first row of its table wins; an empty column loses, and values of the
  parcel come before values of an item. Two equal headings with different values are not read, with a notice.
  `volumétrico`, `CIF`, `unitario`, `flete` or `seguro` anywhere in a heading exclude the column.
- Values count too: addresses and numbers are not names, and a column without a known heading is the RUT if its values
  are RUTs with valid check digits. A quantity beside a unit price counts goods, not packages.
- `awb` and `guia` are the HAWB if another column is the MAWB or their values differ, otherwise the MAWB.
- The names `like_this` at the end are the API's; they are also understood as headings.

The response to an upload has a notice `column_not_understood` for each column whose heading is not recognised,
and `field_without_column` for each field that was not found. To propose a word, send us the heading as quoted in
that notice, its field, and two or three made-up values. CONTRIBUTING, "A header word", has the steps in the code.
"""


def page() -> str:
    """The generated page."""
    parts = [_INTRODUCTION]
    for field in dict.fromkeys(words.field for words in VOCABULARY):
        groups = sorted((words for words in VOCABULARY if words.field == field), key=lambda words: words.rank)
        parts.append(f"## {_TITLES[field]}\n\n{_table(groups)}")
    names = "\n".join(f"- `{name}`: {_TITLES[field]}" for name, field in CONTRACT_NAMES.items())
    parts.append(f"## Names of the API\n\n{names}\n")
    return "\n".join(parts)


def _table(groups: list[Words]) -> str:
    if len({words.rank for words in groups}) == 1:
        return "\n\n".join(", ".join(words.listed()) for words in groups) + "\n"
    rows = "\n".join(f"| {words.rank + 1} | {', '.join(words.listed())} |" for words in groups)
    return f"| | words |\n|---|---|\n{rows}\n"


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
