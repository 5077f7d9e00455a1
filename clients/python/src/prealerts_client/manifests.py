"""The types of a canonical JSON manifest, of a correction and of answers on a layout, as they are sent.

A key that is misspelt is an error of the type checker.
What each field means is in the reference, at `/docs/` on the service. This module is written from the OpenAPI document.
"""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class ColumnAnswer(TypedDict):
    heading: str
    group: NotRequired[str | None]
    field: str | None
    key: NotRequired[str | None]
    unit: NotRequired[str | None]
    currency: NotRequired[str | None]
    decimals: NotRequired[str | None]
    values: NotRequired[dict[str, str] | None]
    month_first: NotRequired[bool | None]
    zone: NotRequired[str | None]


class JsonProduct(TypedDict):
    description: str
    quantity: float
    unit_value: float
    weight_kg: float
    hs_code: NotRequired[str | None]


class GuideCorrection(TypedDict):
    consignee_name: NotRequired[str | None]
    consignee_document_type: NotRequired[str | None]
    consignee_document: NotRequired[str | None]
    consignee_address: NotRequired[str | None]
    consignee_city: NotRequired[str | None]
    consignee_region: NotRequired[str | None]
    consignee_postal_code: NotRequired[str | None]
    consignee_phone: NotRequired[str | None]
    consignee_email: NotRequired[str | None]
    shipper_name: NotRequired[str | None]
    weight_kg: NotRequired[float | None]
    packages_count: NotRequired[int | None]
    bag: NotRequired[str | None]
    description_original: NotRequired[str | None]
    product_value: NotRequired[float | None]
    fob_usd: NotRequired[float | None]
    freight_usd: NotRequired[float | None]
    hs_code: NotRequired[str | None]
    vat_collected: NotRequired[bool | None]
    platform_tax_id: NotRequired[str | None]
    sale_id: NotRequired[str | None]
    products: NotRequired[list[JsonProduct] | None]
    client_code: NotRequired[str | None]


class JsonGuide(TypedDict):
    hawb: str
    consignee_name: str
    consignee_document_type: NotRequired[str | None]
    consignee_document: str
    consignee_address: NotRequired[str | None]
    consignee_city: NotRequired[str | None]
    consignee_region: NotRequired[str | None]
    consignee_postal_code: NotRequired[str | None]
    consignee_phone: NotRequired[str | None]
    consignee_email: NotRequired[str | None]
    shipper_name: NotRequired[str | None]
    shipper_address: NotRequired[str | None]
    shipper_city: NotRequired[str | None]
    shipper_country: NotRequired[str | None]
    weight_kg: NotRequired[float | None]
    packages_count: NotRequired[int | None]
    bag: NotRequired[str | None]
    description_original: NotRequired[str | None]
    product_value: NotRequired[float | None]
    fob_usd: NotRequired[float | None]
    freight_usd: NotRequired[float | None]
    insurance_usd: NotRequired[float | None]
    hs_code: NotRequired[str | None]
    goods_country: NotRequired[str | None]
    category: NotRequired[int | None]
    platform_name: NotRequired[str | None]
    vat_collected: NotRequired[bool | None]
    platform_tax_id: NotRequired[str | None]
    sale_id: NotRequired[str | None]
    products: NotRequired[list[JsonProduct] | None]
    extra_data: NotRequired[dict[str, Any] | None]


class JsonManifest(TypedDict):
    mawb: str
    transport_mode: Literal["air", "ground"]
    client_code: NotRequired[str | None]
    flight_number: NotRequired[str | None]
    origin_airport: NotRequired[str | None]
    origin_country: NotRequired[str | None]
    destination_airport: NotRequired[str | None]
    destination_country: NotRequired[str | None]
    scheduled_departure: NotRequired[str | None]
    scheduled_arrival: NotRequired[str | None]
    country: NotRequired[str | None]
    guides: list[JsonGuide]


class LabelAnswer(TypedDict):
    field: str
    label: NotRequired[str | None]
    value: NotRequired[str | None]
    zone: NotRequired[str | None]


class LayoutAnswers(TypedDict):
    answers: NotRequired[list[ColumnAnswer]]
    labels: NotRequired[list[LabelAnswer]]
    rows_without_hawb: NotRequired[str | None]
