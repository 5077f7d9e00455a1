"""The page of the words that headings may have, made from the reader's own list."""

from shipments.manifests.words.lexicon import TITLES, api_names, phrases

_INTRODUCTION = """\
# Header words

The column headings and cell labels that the workbook reader recognises.

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


def header_words() -> str:
    """The page, in Markdown."""
    parts = [_INTRODUCTION]
    parts += [f"## {title}\n\n{_table(phrases(field))}" for field, title in TITLES.items()]
    names = "\n".join(f"- `{name}`: {TITLES[field]}" for name, field in api_names())
    return "\n".join([*parts, f"## Names of the API\n\n{names}\n"])


def _table(ranks: list[tuple[str, ...]]) -> str:
    if len(ranks) == 1:
        return f"{', '.join(ranks[0])}\n"
    rows = "\n".join(f"| {rank} | {', '.join(listed)} |" for rank, listed in enumerate(ranks, start=1))
    return f"| rank | words |\n|---|---|\n{rows}\n"
