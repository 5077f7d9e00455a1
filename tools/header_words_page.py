"""The published list of header words: `python -m tools.header_words_page` writes it again."""

from pathlib import Path

from shipments.manifests.headings.guide_words import Words
from shipments.manifests.headings.header_words import CONTRACT_NAMES, VOCABULARY

PATH = Path(__file__).parents[1] / "docs" / "header-words.md"

_TITLES = {
    "mawb": "MAWB",
    "hawb": "HAWB",
    "consignee_name": "Consignee: whole name",
    "given_name": "Consignee: given names, beside surnames",
    "middle_name": "Consignee: second given name",
    "surname": "Consignee: surname",
    "second_surname": "Consignee: second surname",
    "consignee_document": "Consignee: RUT or other document",
    "check_digit": "Check digit of the RUT, in a column of its own",
    "consignee_document_type": "Kind of document",
    "consignee_address": "Consignee: address",
    "address_number": "Number in the street, joined to the address",
    "address_more": "What else belongs to the address",
    "consignee_city": "Consignee: commune or city",
    "consignee_region": "Consignee: region",
    "consignee_country": "Consignee: country (understood, not kept)",
    "consignee_postal_code": "Consignee: postal code",
    "consignee_phone": "Consignee: phone",
    "consignee_email": "Consignee: e-mail",
    "shipper_name": "Shipper",
    "description_original": "Description of the goods",
    "hs_code": "HS code",
    "weight_kg": "Weight",
    "weight_unit": "Unit of the weight, row by row",
    "packages_count": "Packages",
    "fob_usd": "FOB value in US dollars",
    "currency": "Currency, row by row",
    "product_value": "Value of the product",
    "flight_number": "Flight number",
    "origin": "Origin",
    "destination": "Destination",
    "scheduled_departure": "Scheduled departure",
    "scheduled_arrival": "Scheduled arrival (ETA)",
    "unused": "Understood, and never read into a guide",
}

_INTRODUCTION = """\
# Header words

The words over a column, or beside a cell, that the workbook reader knows. This page is the list in
`shipments/manifests/headings/header_words.py` and `guide_words.py`, written by `python -m tools.header_words_page`;
a test compares the two.

How a heading is matched:

- Case, accents, punctuation, line breaks, `*` and what stands in brackets do not count. `N°`, `Nº`, `No.`, `Nro.`,
  `#`, `number` and `número` are one word, and where a word is listed without it, it may be there: `guia` covers
  `N° GUÍA`. Units (`kg`, `lb`) and `USD` may be added to any word. `camelCase` and `snake_case` are taken apart.
- The whole heading counts before its beginning, the longest word wins, and words of three letters or fewer count only
  whole.
- A heading that names a person is about that person: `RUT del embarcador` is the shipper's and is not read,
  `Consignee address` is the consignee's. So is a group heading above (`CONSIGNATARIO` over `NOMBRE`, `RUT`).
- Where several columns serve one field, the best row of its table wins; an empty column loses. `volumétrico`, `CIF`,
  `unitario`, `flete`, `seguro` or another currency anywhere in a heading make the column one that is never read.
- `awb` and `guia` are the house where another column is the master or their values differ, else the master.
- Names written `like_this` at the end are those of the API; they are understood as headings too.
"""


def page() -> str:
    """The page as it has to be."""
    parts = [_INTRODUCTION]
    for field, title in _TITLES.items():
        groups = sorted((words for words in VOCABULARY if words.field == field), key=lambda words: words.rank)
        parts.append(f"## {title}\n\n{_table(groups)}")
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
