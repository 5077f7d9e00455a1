"""The canonical JSON document as a whole: who it is for, where it goes, which check comes first."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from base.errors import ValidationFailed
from shipments.errors import DestinationUnresolved, UnsupportedTransportMode
from shipments.manifests.manifest import MAX_GUIDES
from shipments.manifests.payload.body import client_code, destination, read_manifest
from shipments.manifests.payload.guides import marketplace_problems
from tests.shipments.manifests.payloads import ABSENT, body, guide, read


def bad_fields(**changes: Any) -> dict[str, list[str]]:
    with pytest.raises(ValidationFailed) as refused:
        read(**changes)
    return refused.value.details


# --- who it is for ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sent", "code"), [(" ACME ", "ACME"), ("  ", ""), (None, ""), (ABSENT, "")])
def test_no_client_code_is_the_same_as_an_empty_one(sent: object, code: str) -> None:
    assert client_code(body(client_code=sent)) == code


@pytest.mark.parametrize("sent", [5, False, [], "A" * 65])
def test_a_client_code_is_a_short_string(sent: object) -> None:
    with pytest.raises(ValidationFailed) as refused:
        client_code(body(client_code=sent))
    assert list(refused.value.details) == ["client_code"]


# --- where it goes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("airport", "country"), [("SCL", "CL"), (" lim ", "PE"), ("BUE", "AR")])
def test_by_air_the_airport_gives_the_country(airport: str, country: str) -> None:
    sent = body(destination_airport=airport, destination_country="US", country="US")
    assert destination(sent) == ("air", country)


@pytest.mark.parametrize("airport", [ABSENT, None, "", "MIA", "XXX", "Santiago", 5, ["SCL"]])
def test_by_air_another_airport_is_unresolved(airport: object) -> None:
    with pytest.raises(DestinationUnresolved, match="destination_airport"):
        destination(body(destination_airport=airport, destination_country="CL", country="CL"))


@pytest.mark.parametrize(("sent", "country"), [("PE", "PE"), (" pe ", "PE"), ("BO", "BO")])
def test_on_the_ground_the_country_is_reported(sent: str, country: str) -> None:
    assert destination(body(transport_mode="ground", destination_country=sent)) == ("ground", country)


@pytest.mark.parametrize("sent", [ABSENT, None, "", "XX", "PER", 5, ["PE"]])
def test_on_the_ground_another_country_is_unresolved(sent: object) -> None:
    with pytest.raises(DestinationUnresolved, match="destination_country"):
        destination(body(transport_mode="ground", destination_country=sent, country="PE"))


@pytest.mark.parametrize("mode", [ABSENT, None, "", "sea", "AIR", " air", 1, ["air"]])
def test_another_transport_mode_is_unsupported_whatever_the_destination(mode: object) -> None:
    with pytest.raises(UnsupportedTransportMode):
        destination(body(transport_mode=mode, destination_airport="nowhere"))


# --- the manifest -----------------------------------------------------------------------------------------------


def whole_body() -> Any:
    """A manifest with every field, two of them unknown."""
    return body(
        guide(
            hawb=" hawb-1 ",
            consignee_document_type="rut",
            consignee_document="12.345.678-5",
            consignee_address="Av. Apoquindo 3000",
            consignee_city="Santiago",
            consignee_region="RM",
            consignee_postal_code=7550000,
            consignee_phone=56912345678,
            consignee_email="maria@example.com",
            shipper_name="Acme Inc.",
            weight_kg=Decimal("1.5"),
            packages_count=2,
            product_value="30.5",
            fob_usd=25,
            hs_code=640399,
            platform_name="shop",
            extra_data={"order": 7, "rate": Decimal("0.1"), "tags": ["a", None, True]},
            unknown_key="is ignored",
        ),
        mawb=12312345675,
        flight_number="la 2369",
        scheduled_arrival="2026-11-21T10:15:00-03:00",
        company_id="is ignored",
    )


def test_a_manifest_is_read_whole() -> None:
    manifest = read_manifest(whole_body(), "air", "CL")
    assert (manifest.mawb, manifest.country, manifest.transport_mode) == ("123-12345675", "CL", "air")
    assert manifest.warnings == ()
    assert [notice.code for notice in manifest.notices] == ["unknown_field", "unknown_field"]
    assert (manifest.flight.flight_number, manifest.flight.destination_airport) == ("LA2369", "SCL")
    assert manifest.flight.scheduled_arrival == datetime(2026, 11, 21, 13, 15, tzinfo=UTC)
    (row,) = manifest.guides
    assert (row.row_index, row.hawb, row.consignee_name) == (0, "HAWB-1", "Maria Perez")
    assert (row.consignee_document_type, row.consignee_document) == ("RUT", "12345678-5")
    assert (row.consignee_address, row.consignee_city) == ("Av. Apoquindo 3000", "Santiago")
    assert (row.consignee_region, row.consignee_postal_code) == ("RM", "7550000")
    assert (row.consignee_phone, row.consignee_email) == ("56912345678", "maria@example.com")
    assert (row.shipper_name, row.description_original) == ("Acme Inc.", "Shoes")
    assert (row.weight_kg, row.packages_count) == (Decimal("1.5"), 2)
    assert (row.product_value, row.fob_usd, row.hs_code) == (Decimal("30.5"), Decimal(25), "640399")
    assert (row.platform_name, row.category, row.products) == ("shop", None, ())
    assert row.extra_data == {"order": 7, "rate": 0.1, "tags": ["a", None, True]}
    assert (row.review_reasons, row.retention_reason) == ((), "")


def test_what_is_left_out_is_empty() -> None:
    (row,) = read().guides
    assert (row.consignee_address, row.shipper_name, row.hs_code) == ("", "", "")
    assert (row.packages_count, row.product_value, row.platform_name, row.extra_data) == (1, None, None, {})


def test_a_wrong_check_digit_of_the_mawb_is_a_notice() -> None:
    manifest = read(mawb="123-12345678")
    assert manifest.mawb == "123-12345678"
    assert [notice.code for notice in manifest.notices] == ["mawb_check_digit_mismatch"]


@pytest.mark.parametrize("mawb", [ABSENT, None, "  ", "123-1234567", 5, 10**39, True, Decimal("1.5"), []])
def test_a_manifest_needs_its_mawb(mawb: object) -> None:
    assert list(bad_fields(mawb=mawb)) == ["mawb"]


@pytest.mark.parametrize("guides", [ABSENT, None, [], "text", {"0": {}}])
def test_a_manifest_needs_guides(guides: object) -> None:
    assert list(bad_fields(guides=guides)) == ["guides"]


def test_a_manifest_has_at_most_50_000_guides() -> None:
    (reason,) = bad_fields(guides=[{}] * (MAX_GUIDES + 1))["guides"]
    assert "50,000" in reason


def test_all_bad_fields_of_the_manifest_are_reported_at_once() -> None:
    details = bad_fields(
        mawb="nonsense",
        flight_number="LATAM Cargo",
        origin_airport="XXX",
        origin_country="XX",
        scheduled_departure="yesterday",
        scheduled_arrival=5,
        guides=[{}],  # not read before the manifest's own fields are right
    )
    assert list(details) == [
        "mawb", "flight_number", "origin_airport", "origin_country", "scheduled_departure", "scheduled_arrival",
    ]  # fmt: skip


def test_on_the_ground_an_airport_is_still_checked() -> None:
    sent = body(transport_mode="ground", destination_country="PE", destination_airport="XXX")
    with pytest.raises(ValidationFailed) as refused:
        read_manifest(sent, "ground", "PE")
    assert list(refused.value.details) == ["destination_airport"]


# --- the marketplace rule ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extra_data", "missing"),
    [
        ({"marketplace_cop_no": 1, "marketplace_waybill": "W1", "more": None}, []),
        ({"marketplace_cop_no": "C1"}, ["marketplace_waybill"]),
        ({"marketplace_cop_no": " ", "marketplace_waybill": None}, ["marketplace_cop_no", "marketplace_waybill"]),
        ({"marketplace_cop_no": ["C1"], "marketplace_waybill": True}, ["marketplace_cop_no", "marketplace_waybill"]),
        (None, ["marketplace_cop_no", "marketplace_waybill"]),
    ],
)
def test_the_marketplaces_client_sends_both_identifiers(extra_data: object, missing: list[str]) -> None:
    good = guide(hawb="1", extra_data={"marketplace_cop_no": "C1", "marketplace_waybill": "W1"})
    found, total = marketplace_problems(read(good, guide(extra_data=extra_data)), is_marketplace=True)
    assert total == len(found)
    assert [(row.row_index, row.hawb, row.finding.field, row.finding.code) for row in found] == [
        (1, "HAWB-1", f"extra_data.{key}", "required") for key in missing
    ]


@pytest.mark.parametrize(
    ("extra_data", "foreign"),
    [
        ({"order": 7}, []),
        ({"marketplace_cop_no": "", "marketplace_waybill": None}, []),
        ({"marketplace_cop_no": "  ", "marketplace_waybill": []}, []),
        ({"marketplace_waybill": 0}, ["marketplace_waybill"]),
        ({"marketplace_cop_no": False, "marketplace_waybill": [1]}, ["marketplace_cop_no", "marketplace_waybill"]),
    ],
)
def test_nobody_else_sends_either(extra_data: object, foreign: list[str]) -> None:
    found, total = marketplace_problems(read(guide(extra_data=extra_data)), is_marketplace=False)
    assert total == len(found)
    assert [(row.finding.field, row.finding.code) for row in found] == [
        (f"extra_data.{key}", "not_allowed") for key in foreign
    ]
