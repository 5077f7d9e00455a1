"""The sender, the charges, the bag and the goods' country of a parcel: on each way in, and corrected by an operator."""

from decimal import Decimal
from typing import Any

import pytest

from base.errors import ValidationFailed
from shipments.manifests.destinations import find_country
from shipments.models import Guide
from tests.conftest import Caller
from tests.shipments.manifests import payloads
from tests.shipments.manifests.made_sheets import MAWB_LABEL, read, sheet
from tests.shipments.shipping import correct_as_operator, shipped

HEADINGS = (
    "HAWB", "CONSIGNATARIO", "RUT", "DESCRIPCION", "PESO KG", "VALOR FOB USD", "FLETE USD", "SEGURO USD", "SACA",
    "PAIS DE ORIGEN", "REMITENTE", "DIRECCION REMITENTE", "CIUDAD REMITENTE", "PAIS REMITENTE",
)  # fmt: skip
CELLS = (
    "AB1234567", "Ana Soto Vidal", "7654321-6", "Zapatillas", 2.5, 77, 8.5, "1,2", "SCL-1", "China", "Example Inc.",
    "1 Main St", "Miami", "Estados Unidos",
)  # fmt: skip
READ = {
    "shipper_name": "Example Inc.", "shipper_address": "1 Main St", "shipper_city": "Miami", "shipper_country": "US",
    "freight_usd": Decimal("8.50"), "insurance_usd": Decimal("1.20"), "bag": "SCL-1", "goods_country": "CN",
}  # fmt: skip


def test_a_workbook_has_them_in_columns_and_the_flights_origin_above() -> None:
    manifest = read(sheet(MAWB_LABEL, ("Origin country", "US"), HEADINGS, CELLS))
    (guide,) = manifest.guides
    assert {name: getattr(guide, name) for name in READ} == READ
    assert (guide.fob_usd, manifest.flight.origin_country) == (Decimal(77), "US")
    assert (manifest.kept, manifest.questions, manifest.warnings) == ((), (), ())


def test_a_charge_without_a_currency_is_kept_and_no_value() -> None:
    plain = [heading.replace(" USD", "") for heading in HEADINGS]
    (guide,) = read(sheet(MAWB_LABEL, plain, CELLS)).guides
    assert (guide.fob_usd, guide.freight_usd, guide.insurance_usd) == (Decimal(77), None, None)
    assert guide.extra_data == {"x_flete": "8.5", "x_seguro": "1,2"}


def test_a_charge_on_each_row_of_a_guide_is_the_parcels() -> None:
    (guide,) = read(sheet(MAWB_LABEL, HEADINGS, CELLS, (*CELLS[:3], "Polera", *CELLS[4:]))).guides
    assert (guide.freight_usd, guide.insurance_usd) == (Decimal("8.50"), Decimal("1.20"))


def test_a_text_that_is_no_country_is_kept_with_a_warning() -> None:
    manifest = read(sheet(MAWB_LABEL, HEADINGS, [*CELLS[:-1], "Atlantis"]))
    assert manifest.guides[0].extra_data == {"shipper_country": "Atlantis"}
    assert [warning.code for warning in manifest.warnings] == ["shipper_country_invalid"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("us", "US"), ("CHN", "CN"), ("DEU", "DE"), ("Alemania", "DE"), ("germany", "DE"), ("EE.UU.", "US"),
        ("Atlantis", None), ("", None), ("x" * 101, None),
    ],
)  # fmt: skip
def test_countries_are_understood_by_code_and_name(text: str, code: str | None) -> None:
    assert find_country(text) == code


@pytest.mark.django_db
def test_json_takes_names_of_countries_and_refuses_what_is_none(acme: Caller) -> None:
    values = {"shipper_country": "Estados Unidos", "goods_country": "Viet Nam", "freight_usd": "8.5", "bag": 412}
    assert acme.post_json(payloads.body(payloads.guide(**values))).status_code == 201
    guide = Guide.objects.get()
    assert (guide.shipper_country, guide.goods_country, guide.freight_usd, guide.bag) == (
        "US",
        "VN",
        Decimal("8.5"),
        "412",
    )
    assert acme.get(f"/guides/{guide.tracking_code}").json()["bag"] == "412"
    wrong = {"shipper_country": "Atlantis", "goods_country": 7, "insurance_usd": "a few", "bag": "x" * 65}
    answer = acme.post_json(payloads.body(payloads.guide(**wrong), mawb="045-70310133"))
    body: Any = answer.json()
    assert (answer.status_code, body["error"]) == (400, "manifest_validation_failed")
    assert {row["field"] for row in body["invalid_rows"]} == wrong.keys()


@pytest.mark.django_db
def test_where_older_programs_say_the_goods_country_it_is_read(acme: Caller) -> None:
    assert acme.post_json(payloads.body(payloads.guide(extra_data={"origin_country": "China"}))).status_code == 201
    assert Guide.objects.get().goods_country == "CN"


@pytest.mark.django_db
def test_an_operator_corrects_them_all(acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    changes = {**READ, "shipper_country": "Estados Unidos", "goods_country": "china"}
    changes.pop("shipper_name")
    correction = correct_as_operator(guide, changes, actor="ana")
    guide.refresh_from_db()
    stored = {name: getattr(guide, name) for name in changes}
    assert correction.after == stored == {name: READ[name] for name in changes}
    with pytest.raises(ValidationFailed) as refused:
        correct_as_operator(guide, {"goods_country": "Atlantis"}, actor="ana")
    assert refused.value.details is not None
    assert correct_as_operator(guide, {"freight_usd": None}, actor="ana").after == {"freight_usd": None}
