"""Argentina: documents, and the limits of the simplified courier regime.

Source: Resolucion General 5608/2024 (ARCA): up to US$ 3,000 FOB per shipment and 50 kg. The weight limit applies to
each package, as Resolucion General 5631/2025 clarified.
"""

import re
from decimal import Decimal

from shipments.manifests.countries.rules import ConsigneeLimit, CountryRules, DocumentKind, Limit, PersonalUnits
from shipments.manifests.documents import CUIT_SHAPE, check_cuit, digits_check

COURIER_FOB_USD = Decimal(3_000)
"""The maximum value of a courier shipment. RG 5608/2024."""

COURIER_PACKAGE_KG = Decimal(50)
"""The maximum weight of one of its packages. RG 5608/2024."""

CUIT = DocumentKind(
    name="CUIT",
    check=check_cuit,
    shape=CUIT_SHAPE,
    source="ARCA: CUIT, modulus 11",
    example="30712345671",
)
CUIL = DocumentKind(
    name="CUIL",
    check=check_cuit,
    shape=None,  # a bare number may be an employee's CUIL or a CUIT; it is taken for a CUIT
    source="ANSES: CUIL, same form as the CUIT",
    example="27123456780",
)
CDI = DocumentKind(
    name="CDI",
    check=check_cuit,
    shape=None,  # the same form, for those who have neither CUIT nor CUIL
    source="ARCA: CDI (Clave de Identificacion), same form as the CUIT",
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
    field="fob_usd",
    code="courier_limit_exceeded",
    sentence="courier_value_exceeded",
    source="RG 5608/2024",
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > COURIER_FOB_USD,
)
WEIGHT_LIMIT = Limit(
    field="weight_kg",
    code="courier_limit_exceeded",
    sentence="courier_weight_exceeded",
    source="RG 5608/2024, RG 5631/2025",
    exceeded=lambda _fob_usd, weight_kg, packages: weight_kg > COURIER_PACKAGE_KG * packages,
)

CONSIGNEE_LIMIT = ConsigneeLimit(
    code="consignee_limit_exceeded",
    sentence="courier_value_exceeded_together",
    source="RG 5190/2022 and RG 5260/2022, per consignee and flight",
    most_usd=COURIER_FOB_USD,
)

PERSONAL_UNITS = PersonalUnits(
    units="units",
    purpose="purpose",
    purposes=frozenset(
        {"PERSONAL", "USO PERSONAL", "CONSUMO PERSONAL", "PARTICULAR", "USO PARTICULAR", "USO PROPIO", "PERSONAL USE"}
    ),
    most=3,
    source="RG 5608/2024, as the press reports it",
)

RULES = CountryRules(
    country="AR",
    documents=(CUIT, CUIL, CDI, DNI),
    warnings=(WEIGHT_LIMIT, VALUE_LIMIT),
    consignee_limits=(CONSIGNEE_LIMIT,),
    personal_units=PERSONAL_UNITS,
)
