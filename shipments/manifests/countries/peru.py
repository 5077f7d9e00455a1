"""Peru: documents, express categories 1 to 4, and what customs retains.

Source: Decreto Supremo 192-2020-EF (regulation of the express delivery regime), arts. 6, 15.4 and 19, and SUNAT's
general procedure DESPA-PG.28.

Category 1 is documents and correspondence, of any value (DESPA-PG.28, VI.B.1). It is never derived, only claimed.
"""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

from shipments.manifests.countries.rules import (
    Categories,
    ConsigneeLimit,
    CountryRules,
    DocumentKind,
    Limit,
    Retention,
    WantedDetails,
    YearlyGuides,
)
from shipments.manifests.documents import RUC_SHAPE, check_ruc, digits_check
from shipments.manifests.manifest import InvalidValue

_ = str
"""Marks a title for the Spanish catalogue."""

DOCUMENTS, EXPRESS = 1, 3
"""Categories by name: documents and correspondence; goods of up to US$ 2,000."""

SMALL_VALUE_USD = Decimal(200)
"""Upper limit of category 2: the value up to which a shipment is free of duties. DS 192-2020-EF, art. 6."""

EXPRESS_VALUE_USD = Decimal(2_000)
"""Upper limit of category 3: above it a shipment needs a full import declaration. DS 192-2020-EF, art. 6."""

CLAIMED_EXPRESS_VALUE_USD = Decimal(10_000)
"""Upper limit of a claimed category 3: medicines for a patient, and re-imported goods up to US$ 5,000; both need
papers. Which of them a guide is cannot be seen, so the higher limit decides. DESPA-PG.28, VI.B.1.c."""

RUC = DocumentKind(
    name="RUC",
    check=check_ruc,
    shape=RUC_SHAPE,
    source="SUNAT: RUC, modulus 11",
    companies=re.compile(r"20[0-9]{9}"),
    example="20601234565",
)
DNI = DocumentKind(
    name="DNI",
    check=digits_check("dni_eight_digits", 8, 8),
    shape=re.compile(r"[0-9]{8}"),
    source="RENIEC: DNI, 8 digits",
    example="45678912",
)
CE = DocumentKind(
    name="CE",
    check=digits_check("ce_characters", 9, 12, "0-9A-Z"),
    shape=None,
    source="Migraciones: carne de extranjeria",
    example="001234567",
)
PASSPORT = DocumentKind(
    name="PASSPORT",
    check=digits_check("passport_characters", 5, 20, "0-9A-Z"),
    shape=None,
    source="ICAO Doc 9303, with room for what issuers print",
    example="AB123456",
)

DOCUMENT_CODES = {"1": DNI.name, "4": CE.name, "6": RUC.name, "7": PASSPORT.name}
"""SUNAT, catalogue 06 (types of identity documents)."""

RETENTION = Retention(
    title=_("Above US$ 2,000 FOB customs retains the shipment until its import declaration is cleared"),
    field="fob_usd",
    code="retention_required",
    sentence="retention_required",
    source="DS 192-2020-EF, arts. 15.4 y 19; DESPA-PG.28",
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > EXPRESS_VALUE_USD,
)


def derive_category(fob_usd: Decimal) -> int:
    """The express category of goods with a FOB value in US dollars.

    2: up to 200; 3: up to 2,000; 4: above. Source: DS 192-2020-EF, art. 6.
    """
    if fob_usd <= SMALL_VALUE_USD:
        return 2
    return 3 if fob_usd <= EXPRESS_VALUE_USD else 4


def category(claimed: int | None, fob_usd: Decimal | None) -> int | None:
    """The express category of a guide: the claimed one, else the one derived from its FOB value.

    A sender may claim 1 for documents of any value, and a higher category than the value requires (for example, for
    goods that need a permit). 3 may be claimed up to `CLAIMED_EXPRESS_VALUE_USD`. A lower category raises InvalidValue.
    """
    if fob_usd is None or claimed == DOCUMENTS:
        return claimed
    derived = derive_category(fob_usd)
    if claimed is None:
        return derived
    if claimed < derived and not (claimed == EXPRESS and fob_usd <= CLAIMED_EXPRESS_VALUE_USD):
        raise InvalidValue("category_too_low", derived=derived)
    return claimed


CATEGORIES = Categories(
    title=_("Express categories: documents; up to US$ 200; up to US$ 2,000; above"),
    code="invalid_category",
    source="DS 192-2020-EF, art. 6; DESPA-PG.28, VI.B.1",
    settle=category,
    once=DOCUMENTS,
)

ABOVE_ITS_VALUE = Limit(
    title=_("Category 3 above US$ 2,000 needs papers"),
    field="category",
    code="category_above_value",
    sentence="category_above_value",
    source="DESPA-PG.28, VI.B.1",
    category=EXPRESS,
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > EXPRESS_VALUE_USD,
)

UNREGISTERED_VALUE_USD, UNREGISTERED_MOST_USD = Decimal(1_000), Decimal(3_000)
"""Above the first, a person without a RUC may import a few times a year; above the second, hardly ever. RS 210-2004."""

_PERCEPTION, _BEFORE_PERCEPTION = date(2026, 3, 2), date(2026, 3, 1)
"""DL 1714, published on 4 February 2026: without a RUC in the declaration the IGV's perception is 10 %."""

_OF_PERCEPTION = "RS 210-2004/SUNAT; DESPA-PG.01; DL 1714 (2026); Ley 29173, art. 19"
RUC_NEEDED = Limit(
    title=_("Above US$ 3,000 customs asks a person for a RUC; without it the perception of IGV is 10 per cent"),
    field="consignee_document",
    code="ruc_advised",
    sentence="ruc_needed_perception",
    source=_OF_PERCEPTION,
    since=_PERCEPTION,
    registered=frozenset({RUC.name}),
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > UNREGISTERED_MOST_USD,
)
RUC_ADVISED = replace(
    RUC_NEEDED,
    title=_("Above US$ 1,000 a person without a RUC imports a few times a year; the perception of IGV is 10 per cent"),
    sentence="ruc_advised_perception",
    exceeded=lambda fob_usd, _weight_kg, _packages: UNREGISTERED_VALUE_USD < fob_usd <= UNREGISTERED_MOST_USD,
)
EARLIER_RUC_NEEDED = replace(
    RUC_NEEDED,
    title=_("Above US$ 3,000 customs asks a person for a RUC"),
    sentence="ruc_needed",
    source="RS 210-2004/SUNAT; DESPA-PG.01",
    since=None,
    until=_BEFORE_PERCEPTION,
)
EARLIER_RUC_ADVISED = replace(
    RUC_ADVISED,
    title=_("Above US$ 1,000 a person without a RUC imports a few times a year"),
    sentence="ruc_advised",
    source="RS 210-2004/SUNAT; DESPA-PG.01",
    since=None,
    until=_BEFORE_PERCEPTION,
)

SMALL_VALUES_TOGETHER = ConsigneeLimit(
    title=_("Shipments of category 2 for one consignee are exempt up to US$ 200 together"),
    code="consignee_limit_exceeded",
    sentence="exemption_exceeded_together",
    source="DS 192-2020-EF, art. 19",
    most_usd=SMALL_VALUE_USD,
    category=2,
)

DETAILS = WantedDetails(  # stated where they apply
    title=_("Customs asks for details of goods of categories 2 and 3"),
    code="customs_details_missing",
    keys=("brand", "model", "condition", "commercial_quantity", "goods_country", "embarkation_country"),
    categories=frozenset({2, EXPRESS}),
    source="DESPA-PG.28, VII.C.1.3",
)

YEARLY_GUIDES = YearlyGuides(
    title=_("A person imports at most three times in a calendar year with a DNI"),
    source="RS 210-2004/SUNAT; DESPA-PG.01",
    most=3,
    documents=frozenset({DNI.name}),
)

RULES = CountryRules(
    country="PE",
    documents=(DNI, RUC, CE, PASSPORT),
    rules=(
        CATEGORIES,
        RETENTION,
        ABOVE_ITS_VALUE,
        EARLIER_RUC_ADVISED,
        EARLIER_RUC_NEEDED,
        RUC_ADVISED,
        RUC_NEEDED,
        SMALL_VALUES_TOGETHER,
        DETAILS,
        YEARLY_GUIDES,
    ),
    document_codes=DOCUMENT_CODES,
)
