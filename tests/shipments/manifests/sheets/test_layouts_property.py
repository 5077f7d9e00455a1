"""Any manifest, written in any layout, reads back to the same guides."""

import random

from hypothesis import given, settings, strategies as st
from stdnum.cl import rut

from shipments.manifests.cells import tokens
from shipments.manifests.manifest import ParsedManifest
from tests.examples import examples
from tests.shipments.manifests.layouts import LAYOUTS, Layout, Written, write
from tests.shipments.manifests.made_sheets import read

WORDS = tokens(
    """Ana José Ñancupil Pérez Müller O'Higgins Araya de la Fuente Rojas-Soto Zúñiga Li Álvarez Toledo Peso Valor
    Santiago Libro Ropa Zapatillas Juguete 2XL USB-C niño Guía Total1 Bulto 45cm Flete Nº7 x3 Miami SCL Master"""
)
"""Names and goods, some of which are header words: inside the table they are content."""

words = st.sampled_from(sorted(WORDS))
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)
streets = st.sampled_from(["Calle", "Av.", "Pasaje", "Camino"]).flatmap(
    lambda kind: words.map(lambda name: f"{kind} {name}")
)


@st.composite
def mawbs(draw: st.DrawFn) -> str:
    """A MAWB with a valid check digit."""
    serial = draw(st.integers(0, 9_999_999))
    return f"{draw(st.integers(1, 999)):03}-{serial:07}{serial % 7}"


def guides(hawbs: st.SearchStrategy[str]) -> st.SearchStrategy[Written]:
    """One guide."""
    bodies = st.integers(1_000_000, 99_999_999).filter(lambda number: len(set(str(number))) > 1)
    return st.builds(
        Written,
        hawb=hawbs,
        names=st.tuples(words, words, words),
        rut=bodies.map(lambda body: (body, rut.calc_check_digit(str(body)))),
        street=streets,
        number=st.integers(1, 9999),
        city=words,
        description=phrases,
        packages=st.integers(1, 500),
        grams=st.integers(1, 3_000_000),
        cents=st.integers(0, 300_000),  # above US$ 3,000 a guide needs a customs agent, which is a warning
    )


def manifests(layout: Layout) -> st.SearchStrategy[list[Written]]:
    """Guides of one manifest, each with a HAWB of its own."""
    numeric = st.integers(1, 999_999_999_999_999).map(str)
    any_hawb = st.builds("{}{:03}".format, st.sampled_from(["", "H", "PA", "CLSCL", "MAWB"]), st.integers(0, 10**12))
    return st.lists(
        guides(numeric if layout.numeric_hawbs else any_hawb),
        min_size=1,
        max_size=5,
        unique_by=lambda guide: guide.hawb,
    )


def assert_reads_back(manifest: ParsedManifest, mawb: str, written: list[Written]) -> None:
    """Every guide came back as it was meant, in order, and nothing was said about it."""
    assert manifest.mawb == mawb
    assert [
        (
            guide.hawb,
            guide.consignee_name,
            guide.consignee_document,
            guide.consignee_address,
            guide.consignee_city,
            guide.description_original,
            guide.packages_count,
            guide.weight_kg,
            guide.fob_usd,
        )
        for guide in manifest.guides
    ] == [
        (
            guide.hawb,
            guide.name(),
            f"{guide.rut[0]}-{guide.rut[1]}",
            f"{guide.street} {guide.number}",
            guide.city,
            guide.description,
            guide.packages,
            guide.kilograms(),
            guide.dollars(),
        )
        for guide in written
    ]
    assert manifest.warnings == ()


layouts = st.builds(
    Layout,
    mawb=st.sampled_from(["beside", "below", "inside", "column", "numeric column", "cover", "footer"]),
    words=st.sampled_from(["spanish", "english", "api", "starred"]),
    rut=st.sampled_from(["hyphen", "dots", "two columns", "numeric"]),
    name=st.sampled_from(["whole", "three columns"]),
    address=st.sampled_from(["whole", "two columns"]),
    numbers=st.sampled_from(["numeric", "comma", "point"]),
    weight=st.sampled_from(["kg", "unit column"]),
    totals=st.booleans(),
    numeric_hawbs=st.booleans(),
    shuffled=st.booleans(),
    extra_columns=st.booleans(),
    repeated_headings=st.booleans(),
    instructions=st.booleans(),
    blank_rows=st.booleans(),
    rows_above=st.integers(0, 29),
)


@settings(max_examples=examples(150), deadline=None)
@given(layout=st.sampled_from([*LAYOUTS.values()]) | layouts, data=st.data())
def test_a_manifest_in_any_layout_reads_back_to_the_same_guides(layout: Layout, data: st.DataObject) -> None:
    mawb, written = data.draw(mawbs()), data.draw(manifests(layout))
    sheets = write(layout, mawb, written, random.Random(data.draw(st.integers(0, 1000))))  # noqa: S311 - no secret
    assert_reads_back(read(*sheets), mawb, written)
