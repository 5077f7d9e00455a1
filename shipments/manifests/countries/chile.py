"""Chile: the consignee has a RUT.

The document type may be omitted. A type other than RUT or RUN is refused as `invalid_document_type`, whatever the
number is.

Source: Servicio Nacional de Aduanas and Servicio de Impuestos Internos, which identify every consignee by RUT.
"""

import re
from datetime import date
from decimal import Decimal

from shipments.manifests.countries.rules import CountryRules, DocumentKind, Limit, VatAtSale
from shipments.manifests.documents import check_rut

_ = str
"""Marks a title for the Spanish catalogue."""

RUT = DocumentKind(
    name="RUT",
    check=check_rut,
    shape=re.compile(r".*", re.DOTALL),  # the only document: any number sent must be one
    source="Servicio de Impuestos Internos: RUT, modulus 11",
    placeholder_reason="rut_placeholder",
    example="12345678-5",
    aliases=("RUN",),  # the same number under the Registro Civil's name
    companies=re.compile(r"[5-9][0-9]{7}-."),  # the SII gives companies numbers from 50 million
)

_LONGEST_BODY = 8
"""Digits of a RUT before its check digit, at most."""


def with_check_digit(document: str, check_digit: str) -> str:
    """A RUT of two columns, with its hyphen. The first may hold all of it, and the second its check digit again."""
    if sum(map(str.isdigit, document)) > _LONGEST_BODY:
        return document
    joined = f"{document}-{check_digit}"
    is_repeated = document[-1:].upper() == check_digit.upper() and not check_rut(document).problem
    return document if is_repeated and check_rut(joined).problem else joined


COURIER_FOB_USD = Decimal(3_000)
"""The maximum value that a courier may clear without a customs agent. Decreto 9 (2019)."""

COURIER_LIMIT = Limit(
    title=_("A courier clears at most US$ 3,000 FOB without a customs agent"),
    field="fob_usd",
    code="courier_limit_exceeded",
    sentence="customs_agent_needed",
    source="Decreto 9 (2019), Ministerio de Hacienda; Ordenanza de Aduanas, art. 91 bis",
    exceeded=lambda fob_usd, _weight_kg, _packages: fob_usd > COURIER_FOB_USD,
)

VAT_AT_SALE = VatAtSale(
    title=_("Registered platforms charge the VAT of sales of up to US$ 500; they enter without duty"),
    code="vat_above_limit",
    most_usd=Decimal(500),
    tax_id=RUT,
    shape=re.compile(r"0?[0-9]{1,2}[. ]?[0-9]{3}[. ]?[0-9]{3}[- ]?[0-9Kk]"),
    since=date(2025, 10, 25),
    source="Ley 21.713; SII, Res. Ex. 141 (2025)",
)
"""Sales of up to US$ 500 by platforms registered with the SII carry the 19 % and enter without duty. Customs receives
the platform's name and RUT, that VAT was charged, and the shipment's unique identifier.

Warnings and no refusals: what customs makes of a shipment is customs' decision.
"""

RULES = CountryRules(
    country="CL",
    documents=(RUT,),
    document_field="consignee_rut",
    with_check_digit=with_check_digit,
    invalid_document_code="rut_invalid_format",
    missing_document_code="rut_invalid_format",
    rules=(COURIER_LIMIT, VAT_AT_SALE),
)
