"""Argentina: exceeding the limits of the courier regime is reported, never refused."""

import pytest

from tests.shipments.manifests.payloads import guide, read


def warned(**changes: object) -> list[tuple[str, str]]:
    return [(warning.field, warning.code) for warning in read(guide("AR", **changes), country="AR").warnings]


@pytest.mark.parametrize(
    ("fob_usd", "weight_kg", "packages", "fields"),
    [
        ("2999.99", 1, 1, []),
        ("3000", 1, 1, []),
        ("3000.01", 1, 1, ["fob_usd"]),
        ("10", "50", 1, []),
        ("10", "50.001", 1, ["weight_kg"]),
        ("10", "100", 2, []),
        ("10", "100.001", 2, ["weight_kg"]),
        ("10", "50.001", None, ["weight_kg"]),
        ("3000.01", "50.001", 1, ["weight_kg", "fob_usd"]),
    ],
)
def test_what_exceeds_the_courier_regime_is_warned_of(
    fob_usd: str, weight_kg: object, packages: object, fields: list[str]
) -> None:
    found = warned(fob_usd=fob_usd, weight_kg=weight_kg, packages_count=packages)
    assert found == [(field, "courier_limit_exceeded") for field in fields]


def test_elsewhere_the_weight_is_not_a_warning() -> None:
    assert read(guide("CL", fob_usd="3000", weight_kg="50.001")).warnings == ()


def test_a_cdi_is_a_document_beside_cuit_and_cuil() -> None:
    manifest = read(guide("AR", consignee_document_type="cdi", consignee_document="20-12345678-6"), country="AR")
    (stored,) = manifest.guides
    assert (stored.consignee_document_type, stored.consignee_document) == ("CDI", "20123456786")
