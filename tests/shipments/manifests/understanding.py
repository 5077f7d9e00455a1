"""One case of the tables of layouts: its sheet, and what must be read from it.

A layout is a row of `heading=value` pairs between bars; a `@word` is that value of each of two guides. Where a
field's word is in the layout, the field must be read, unless the case says otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from shipments.manifests.cells import Cell
from tests.shipments.manifests.made_sheets import MAWB_LABEL

Kind = Literal["good", "wrong in silence", "empty in silence"]
"""What a case guards against. `good`: a usual layout, read in full, with one needless notice at most."""

GUIDES: tuple[dict[str, Cell], ...] = (
    {"hawb": "PA0000000001", "name": "Antonia Fuentes Rojas", "rut": "12345678-5", "desc": "Zapatillas deportivas",
     "pk": 2, "kg": 1.5, "fob": 59.9, "addr": "Avenida Los Leones 1280, depto 52", "city": "Providencia",
     "phone": "+56 9 5550 0101", "mail": "antonia@example.com", "ship": "Example Outlet Inc.",
     "shipaddr": "1200 NW 78th Ave, Doral", "zip": "7510000", "region": "Metropolitana", "hs": "640411",
     "given": "Antonia", "surname": "Fuentes Rojas", "nick": "antonia_f", "other": "Logistics Partner SA"},
    {"hawb": "PA0000000002", "name": "Comercial Cordillera SpA", "rut": "76543210-3", "desc": "Repuestos de bicicleta",
     "pk": 1, "kg": 4.8, "fob": 189.5, "addr": "Calle Prat 856, oficina 301", "city": "Valparaíso",
     "phone": "+56 32 555 0102", "mail": "compras@example.com", "ship": "Example Parts LLC",
     "shipaddr": "77 Harbor Road, Miami", "zip": "2340000", "region": "Valparaíso", "hs": "871499",
     "given": "Comercial", "surname": "Cordillera", "nick": "cordillera77", "other": "Second Broker Ltda"},
)  # fmt: skip

FIELDS = {
    "name": "consignee_name",
    "rut": "consignee_document",
    "desc": "description_original",
    "pk": "packages_count",
    "kg": "weight_kg",
    "fob": "fob_usd",
    "addr": "consignee_address",
    "city": "consignee_city",
    "region": "consignee_region",
    "phone": "consignee_phone",
    "mail": "consignee_email",
    "ship": "shipper_name",
    "hs": "hs_code",
}


@dataclass(frozen=True)
class Case:
    """One layout.

    want: field's word -> what the first guide must have, as text; empty when it must be unknown.
    said: codes of which one at least has to be among the notices and warnings.
    """

    kind: Kind
    name: str
    columns: tuple[tuple[str, str], ...]
    want: dict[str, str]
    said: tuple[str, ...] = ()
    above: tuple[tuple[Cell, ...], ...] = ()
    groups: tuple[str, ...] = ()

    def rows(self) -> list[list[Cell]]:
        """The cells of the sheet."""
        table: list[list[Cell]] = [[*MAWB_LABEL], *([*cells] for cells in self.above)]
        if self.groups:
            table.append([group or None for group in self.groups])
        table.append([heading or None for heading, _ in self.columns])
        table += [[_cell(value, guide) for _, value in self.columns] for guide in GUIDES]
        return table


def _cell(value: str, guide: dict[str, Cell]) -> Cell:
    if value.startswith("@"):
        return guide[value[1:]]
    if " ; " in value:
        value = value.split(" ; ")[GUIDES.index(guide)]
    if value == "~":
        return None
    if value.startswith("'"):
        return value[1:]
    try:
        return float(value)
    except ValueError:
        return value or None


def make_case(
    kind: Kind,
    title: str,
    layout: str,
    /,
    said: str = "",
    above: Iterable[tuple[Cell, ...]] = (),
    groups: str = "",
    **want: str,
) -> Case:
    columns = []
    for pair in layout.replace("\n", " ").split(" | "):
        heading, _, value = pair.strip().rpartition("=")
        columns.append((heading.strip(), value.strip()))
    given = {value[1:] for _, value in columns if value[1:] in FIELDS and value.startswith("@")}
    expected = {word: _expected(word) for word in FIELDS if word in given} | want
    spans = tuple(part.strip() for part in groups.split(" | ")) if groups else ()
    return Case(kind, title, tuple(columns), expected, tuple(said.split()), tuple(above), spans)


def _expected(word: str) -> str:
    value = GUIDES[0][word]
    if word == "kg":
        return f"{value:.3f}"
    return f"{value:.2f}" if word == "fob" else str(value)


def good(title: str, layout: str, /, groups: str = "", **want: str) -> Case:
    return make_case("good", title, layout, "", (), groups, **want)
