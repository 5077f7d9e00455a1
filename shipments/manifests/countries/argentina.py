"""Argentina: documents, and the limits of the simplified courier regime.

Source: Resolucion General 5608/2024 (ARCA), in force from 1 December 2024: up to US$ 3,000 FOB per consignee and
flight, and 50 kg. Resolucion General 5260/2022 (AFIP), in force from its publication on 23 September 2022, had lowered
the value to US$ 1,000. The weight limit applies to each package, as Resolucion General 5631/2025 clarified.
"""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

from shipments.manifests.countries.rules import (
    ConsigneeLimit,
    CountryRules,
    DocumentKind,
    DutyFree,
    Limit,
    PersonalUnits,
    YearlyGuides,
)
from shipments.manifests.documents import CUIT_SHAPE, check_cuit, digits_check

_ = str
"""Marks a title for the Spanish catalogue."""

COURIER_FOB_USD, LOWERED_FOB_USD = Decimal(3_000), Decimal(1_000)
"""The maximum value of a courier shipment, and what RG 5260/2022 had lowered it to."""

COURIER_PACKAGE_KG = Decimal(50)
"""The maximum weight of one of its packages. RG 5608/2024."""

_LOWERED, _RAISED = date(2022, 9, 23), date(2024, 12, 1)
_BEFORE_LOWERED, _BEFORE_RAISED = date(2022, 9, 22), date(2024, 11, 30)

_COMPANIES = re.compile(r"[35][0-9]{10}")
"""30 to 34 are companies, 50 to 55 are shared by all who are of one country (see `CUIT_PREFIXES`)."""

CUIT = DocumentKind(
    name="CUIT",
    check=check_cuit,
    shape=CUIT_SHAPE,
    source="ARCA: CUIT, modulus 11",
    companies=_COMPANIES,
    example="30712345671",
)
CUIL = DocumentKind(
    name="CUIL",
    check=check_cuit,
    shape=None,  # a bare number may be an employee's CUIL or a CUIT; it is taken for a CUIT
    source="ANSES: CUIL, same form as the CUIT",
    companies=_COMPANIES,
    example="27123456780",
)
CDI = DocumentKind(
    name="CDI",
    check=check_cuit,
    shape=None,  # the same form, for those who have neither CUIT nor CUIL
    source="ARCA: CDI (Clave de Identificacion), same form as the CUIT",
    companies=_COMPANIES,
    example="23123456785",
)
DNI = DocumentKind(
    name="DNI",
    check=digits_check("dni_digits", 7, 8),
    shape=re.compile(r"[0-9]{7,8}"),
    source="RENAPER: DNI, 7 to 8 digits",
    example="30123456",
)

VALUE_LIMIT = Limit(
    title=_("A courier shipment is worth at most US$ 3,000 FOB"),
    field="fob_usd",
    code="courier_limit_exceeded",
    sentence="courier_value_exceeded",
    source="RG 5608/2024, art. 1",
    since=_RAISED,
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > COURIER_FOB_USD,
)
LOWERED_VALUE_LIMIT = replace(
    VALUE_LIMIT,
    title=_("A courier shipment is worth at most US$ 1,000 FOB"),
    sentence="courier_value_exceeded_1000",
    source="RG 5260/2022, art. 1",
    since=_LOWERED,
    until=_BEFORE_RAISED,
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > LOWERED_FOB_USD,
)
EARLIER_VALUE_LIMIT = replace(
    VALUE_LIMIT, source="RG 4450/2019, art. 1; RG 5190/2022", since=None, until=_BEFORE_LOWERED
)
WEIGHT_LIMIT = Limit(
    title=_("A courier's package weighs at most 50 kg"),
    field="weight_kg",
    code="courier_limit_exceeded",
    sentence="courier_weight_exceeded",
    source="RG 4450/2019, art. 1; RG 5608/2024, art. 1; RG 5631/2025",
    exceeded=lambda _fob_usd, weight_kg, packages: weight_kg > COURIER_PACKAGE_KG * packages,
)

CONSIGNEE_LIMIT = ConsigneeLimit(
    title=_("One consignee receives at most US$ 3,000 FOB by one flight"),
    code="consignee_limit_exceeded",
    sentence="courier_value_exceeded_together",
    source="RG 5608/2024, art. 1",
    since=_RAISED,
    most_usd=COURIER_FOB_USD,
)
LOWERED_CONSIGNEE_LIMIT = replace(
    CONSIGNEE_LIMIT,
    title=_("One consignee receives at most US$ 1,000 FOB by one flight"),
    sentence="courier_value_exceeded_together_1000",
    source="RG 5260/2022, art. 1",
    since=_LOWERED,
    until=_BEFORE_RAISED,
    most_usd=LOWERED_FOB_USD,
)
EARLIER_CONSIGNEE_LIMIT = replace(
    CONSIGNEE_LIMIT, source="RG 4450/2019, art. 1; RG 5190/2022", since=None, until=_BEFORE_LOWERED
)

PERSONAL_PURPOSES = frozenset(
    {"PERSONAL", "USO PERSONAL", "CONSUMO PERSONAL", "PARTICULAR", "USO PARTICULAR", "USO PROPIO", "PERSONAL USE"}
)

PERSONAL_UNITS = PersonalUnits(
    title=_("A shipment for personal use has at most three units of one kind"),
    code="personal_units_exceeded",
    units="units",
    purpose="purpose",
    purposes=PERSONAL_PURPOSES,
    most=3,
    source="RG 4450/2019, art. 1; RG 5608/2024, art. 1",
)

DUTY_FREE = DutyFree(
    title=_("Up to US$ 400 FOB a shipment for personal use is free of duty; VAT is due"),
    source="Decreto 1065/2024; RG 5608/2024",
    since=_RAISED,
    most_usd=Decimal(400),
    purpose="purpose",
    purposes=PERSONAL_PURPOSES,
)

YEARLY_GUIDES = YearlyGuides(
    title=_("A person receives at most five courier shipments in a calendar year"),
    source="RG 5608/2024",
    since=_RAISED,
    most=5,
)

RULES = CountryRules(
    country="AR",
    documents=(CUIT, CUIL, CDI, DNI),
    rules=(
        WEIGHT_LIMIT,
        EARLIER_VALUE_LIMIT,
        LOWERED_VALUE_LIMIT,
        VALUE_LIMIT,
        EARLIER_CONSIGNEE_LIMIT,
        LOWERED_CONSIGNEE_LIMIT,
        CONSIGNEE_LIMIT,
        PERSONAL_UNITS,
        DUTY_FREE,
        YEARLY_GUIDES,
    ),
)
