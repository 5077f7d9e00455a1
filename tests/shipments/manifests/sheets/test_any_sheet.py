"""Any workbook is read or refused with a message, and all values fit the database."""

from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal

from hypothesis import given, settings, strategies as st

from base.errors import DomainError
from shipments.manifests.cells import Cell
from shipments.manifests.guide_fields import LONGEST, PACKAGES, USD, WEIGHT_KG
from shipments.manifests.manifest import GuideRow, ParsedManifest
from shipments.manifests.words.lexicon import TITLES, phrases
from tests.examples import examples
from tests.shipments.manifests.made_sheets import HEADINGS as HEADINGS_OF_A_ROW, MAWB_LABEL, read, row, sheet

HEADINGS = sorted(
    {listed[0] for field in TITLES for listed in phrases(field)}
    | {"HAWB", "MAWB", "RUT", "Peso", "Valor FOB", "Destino"}
)

cells: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.sampled_from(HEADINGS),
    st.sampled_from(
        ["045-12345675", 4512345675, "MAWB: 045-12345675", "12345678-5", "TOTAL", "SCL", "1.234,5", "H1", ":"]
    ),
    st.text(max_size=12),
    st.text(alphabet="0123456789.,-$ kgLBUSD\x00\ud800\u200b\n", max_size=12),
    st.integers(-(10**15), 10**17),
    st.floats(),
    st.booleans(),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)),  # noqa: DTZ001 - spreadsheets know no time zones
    st.dates(date(1, 1, 1), date(9999, 12, 31)),
    st.times(time(0, 0), time(23, 59)),
    st.text(min_size=1, max_size=3).map(lambda text: text * 1000),
)
rows = st.lists(st.lists(cells, max_size=9), max_size=8)


def assert_storable(guide: GuideRow) -> None:
    """The guide fits the columns that keep it."""
    assert guide.hawb
    for name, longest in LONGEST.items():
        text = getattr(guide, name) or ""  # a workbook has no platform, which is null
        assert len(text) <= longest, name
        assert "\x00" not in text, name
        text.encode()
    for amount, largest in (
        (guide.weight_kg, WEIGHT_KG.maximum),
        (guide.fob_usd, USD.maximum),
        (guide.product_value, USD.maximum),
    ):
        assert amount is None or Decimal(0) <= amount <= largest
    assert 1 <= guide.packages_count <= PACKAGES.maximum


def assert_consistent(manifest: ParsedManifest) -> None:
    """Every guide is unique, and each one without a RUT is reported exactly once."""
    assert len({guide.hawb for guide in manifest.guides}) == len(manifest.guides) > 0
    told = [warning.hawb for warning in manifest.warnings if warning.code == "rut_invalid_format"]
    assert sorted(told) == sorted(
        guide.hawb for guide in manifest.guides if "rut_invalid_format" in guide.review_reasons
    )


@settings(max_examples=examples(150), deadline=None)
@given(
    above=rows,
    headings=st.lists(st.sampled_from(HEADINGS), min_size=3, max_size=9, unique=True),
    below=rows,
    merged=st.lists(st.tuples(*[st.integers(0, 12)] * 4), max_size=3),
)
def test_any_sheet_is_read_or_refused_in_words(
    above: list[list[Cell]], headings: list[Cell], below: list[list[Cell]], merged: list[tuple[int, int, int, int]]
) -> None:
    try:
        manifest = read(sheet(*above, ["HAWB", *headings], *below, merged=merged), sheet(["MAWB", "045-12345675"]))
    except DomainError:
        return
    assert_consistent(manifest)
    account = manifest.rows
    assert account is not None
    assert account.in_table == account.guides + account.products + account.totals + account.left_out
    for guide in manifest.guides:
        assert_storable(guide)


def test_cells_as_long_as_a_spreadsheet_allows_are_read_in_time() -> None:
    """Where a pattern takes time by the square of a text, this takes minutes: the test would time out."""
    long = "1" * 32_767
    good = dict(zip(HEADINGS_OF_A_ROW, row(), strict=True))
    for spoilt in HEADINGS_OF_A_ROW:
        guides = [list({**good, "HAWB": f"H{number}", spoilt: long}.values()) for number in range(3)]
        with suppress(DomainError):
            read(sheet([*MAWB_LABEL], ["Destino", long], [*HEADINGS_OF_A_ROW, long], *guides, [long]))
