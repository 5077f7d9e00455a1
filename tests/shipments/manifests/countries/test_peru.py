"""Peru: express categories 1 to 4 and what customs retains."""

import pytest

from shipments.manifests.countries.peru import derive_category
from shipments.wording.rendering import in_words
from tests.shipments.manifests.payloads import guide, problems, read

RUC = "20100070970"


@pytest.mark.parametrize(
    ("fob_usd", "category"),
    [("0", 2), ("200.004", 2), ("200.005", 3), ("2000.004", 3), ("2000.005", 4)],
)
def test_the_category_comes_from_the_fob_value_that_is_stored(fob_usd: str, category: int) -> None:
    stored = read(guide("PE", fob_usd=fob_usd), country="PE").guides[0]
    assert stored.fob_usd is not None
    assert derive_category(stored.fob_usd) == stored.category == category
    assert stored.retention_reason == ("retention_required" if category == 4 else "")


@pytest.mark.parametrize(
    ("claimed", "fob_usd", "stored"),
    [
        (2, "100", 2),
        (4, "0", 4),
        (" 3 ", "200.01", 3),
        (None, "5", 2),
        ("", "5", 2),
    ],
)
def test_a_claimed_category_may_be_higher(claimed: object, fob_usd: str, stored: int) -> None:
    assert read(guide("PE", category=claimed, fob_usd=fob_usd), country="PE").guides[0].category == stored


@pytest.mark.parametrize(
    ("claimed", "fob_usd"),
    [
        (2, "200.01"), (3, "10000.01"), (0, "0"), (5, "10"), (2.5, "10"), ("two", "10"), (True, "0"), ([], "10"),
    ],
)  # fmt: skip
def test_another_claim_is_refused(claimed: object, fob_usd: str) -> None:
    row = guide("PE", category=claimed, fob_usd=fob_usd)
    assert problems(row, country="PE") == [(0, "category", "invalid_category")]


@pytest.mark.parametrize("fob_usd", ["0", "2000"])
def test_documents_are_category_1_whatever_their_value_when_it_is_claimed(fob_usd: str) -> None:
    manifest = read(guide("PE", consignee_document=RUC, category=1, fob_usd=fob_usd), country="PE")
    assert (manifest.guides[0].category, manifest.warnings) == (1, ())


@pytest.mark.parametrize("fob_usd", ["2000.01", "10000"])
def test_a_claimed_category_3_reaches_10_000_with_a_warning(fob_usd: str) -> None:
    manifest = read(guide("PE", consignee_document=RUC, category=3, fob_usd=fob_usd), country="PE")
    assert manifest.guides[0].category == 3
    assert [warning.code for warning in manifest.warnings] == ["retention_required", "category_above_value"]


def test_a_second_guide_of_category_1_is_noticed_once() -> None:
    guides = [guide("PE", hawb=f"H{number}", category=1, fob_usd="0") for number in range(3)]
    manifest = read(*guides, country="PE")
    (notice,) = manifest.notices
    assert (notice.code, notice.row_index, notice.hawb) == ("category_repeated", 1, "H1")
    assert read(*guides[:1], country="PE").notices == ()


def test_a_category_means_nothing_elsewhere() -> None:
    assert read(guide("CL", category="nonsense")).guides[0].category is None
    assert read(guide("AR", category=1), country="AR").guides[0].category is None


def test_a_guide_above_2000_is_retained_with_its_reason_and_a_warning() -> None:
    manifest = read(guide("PE", consignee_document=RUC, fob_usd="2000.01"), country="PE")
    (warning,) = manifest.warnings
    assert (warning.row_index, warning.field, warning.code) == (0, "fob_usd", "retention_required")
    assert "2,000" in in_words(warning.reason.sentence, warning.reason.params)
