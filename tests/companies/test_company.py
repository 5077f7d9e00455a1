"""What a company may be and may do: its fields, its countries, its couriers."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from companies.errors import ClientNotResolved, CountryNotAllowed, TrackingPrefixMissing, UnsupportedCountry
from companies.models import Company, Kind
from companies.onboarding import onboard, prefix_from_code
from tests.factories import ClientFactory, CourierFactory

pytestmark = pytest.mark.django_db

INVALID: dict[str, list[Any]] = {
    "name": ["", "Two\nlines", "bell\x07", "nul\x00", "lone \udcff surrogate", "x" * 201],
    "client_code": ["", "A", "acme", "-ACME", "_ACME", "AC ME", "ACME\n", "ÑANDU", "A" * 33],
    "kind": ["", "carrier"],
    "allowed_countries": [["BR"], ["CL", "CL"], ["cl"], "CL", {"CL": 1}, [["CL"]]],
    "tracking_prefix": ["A", "acm", "ABCDEF", "A-B", "ACM\n", "ÁCM"],
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in INVALID.items() for value in values], ids=repr
)
def test_an_invalid_field_is_refused_by_its_name_and_nothing_is_stored(field: str, value: Any) -> None:
    fields = {"name": "Acme", "client_code": "ACME", "allowed_countries": ["CL"], field: value}
    with pytest.raises(ValidationError) as refusal:
        onboard(Company(**fields))
    assert set(refusal.value.message_dict) == {field}
    assert not Company.objects.exists()


@pytest.mark.parametrize("name", ["Ñandú & Cía. Ltda.", "O'Higgins «Retail»", "Ropa\u00a0SpA"])
def test_a_name_may_hold_whatever_a_contract_prints(name: str) -> None:
    onboard(Company(name=name, client_code="ACME"))
    assert Company.objects.get().name == name


def test_a_courier_is_not_a_marketplace() -> None:
    with pytest.raises(ValidationError) as refusal:
        onboard(Company(name="C", client_code="COU", kind=Kind.COURIER, is_marketplace=True))
    assert set(refusal.value.message_dict) == {"is_marketplace"}


@pytest.mark.parametrize(
    ("code", "prefix"),
    [("ACME", "ACM"), ("AC", "AC"), ("A-C_M-E", "ACM"), ("3PL-LIMA", "3PL"), ("A1", "A1"), ("X_Y", "XY")],
)
def test_a_prefix_is_the_codes_first_three_letters_or_digits(code: str, prefix: str) -> None:
    assert prefix_from_code(code) == prefix


@pytest.mark.parametrize("code", ["A-", "_", "", "9__"])
def test_a_code_with_too_few_letters_gives_no_prefix(code: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        prefix_from_code(code)
    assert set(refusal.value.message_dict) == {"tracking_prefix"}


def test_a_destination_outside_the_allowed_countries_is_refused_and_named() -> None:
    company, wider = (
        ClientFactory.create(allowed_countries=["CL"]),
        ClientFactory.create(allowed_countries=["CL", "PE"]),
    )
    company.require_country("CL")
    wider.require_country("PE")
    with pytest.raises(CountryNotAllowed) as refusal:
        company.require_country("PE")
    assert refusal.value.extras == {"country": "PE"}


def test_a_company_with_no_country_that_is_served_is_reported_its_countries() -> None:
    company = ClientFactory.create(allowed_countries=["PE", "AR"])
    company.require_any_country(("CL", "PE"))
    with pytest.raises(UnsupportedCountry) as refusal:
        company.require_any_country(("CL",))
    assert refusal.value.extras == {"country": "PE,AR", "allowed_countries": ["PE", "AR"]}


def test_without_a_prefix_no_tracking_code_is_issued() -> None:
    assert ClientFactory.create(tracking_prefix="ACM").tracking_prefix_or_refuse() == "ACM"
    with pytest.raises(TrackingPrefixMissing):
        ClientFactory.create(tracking_prefix="").tracking_prefix_or_refuse()


def test_a_courier_posts_for_the_clients_it_is_linked_to() -> None:
    client = ClientFactory.create()
    courier = CourierFactory.create(posts_for=[client])
    assert Company.objects.for_courier(courier, client.client_code) == client


def unlinked() -> Company:
    return ClientFactory.create()


def inactive() -> Company:
    return ClientFactory.create(is_active=False)


def another_courier() -> Company:
    return CourierFactory.create()


@pytest.mark.parametrize("kind", [unlinked, inactive, another_courier])
def test_unlinked_inactive_and_courier_codes_are_not_resolved_in_one_voice(kind: Any) -> None:
    named = kind()
    courier, rival = CourierFactory.create(), CourierFactory.create()
    if kind is not unlinked:
        courier.posts_for.add(named)
    rival.posts_for.add(named)
    with pytest.raises(ClientNotResolved) as refusal:
        Company.objects.for_courier(courier, named.client_code)
    with pytest.raises(ClientNotResolved) as unknown:
        Company.objects.for_courier(courier, "NOBODY")
    assert refusal.value.extras == {"client_code": named.client_code}
    assert refusal.value.message == unknown.value.message
