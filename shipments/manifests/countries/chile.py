"""Chile: the consignee has a RUT.

The document type may be omitted. A type other than RUT or RUN is refused as `invalid_document_type`, whatever the
number is.

Source: Servicio Nacional de Aduanas and Servicio de Impuestos Internos, which identify every consignee by RUT.
"""

import re

from shipments.manifests.countries.rules import CountryRules, DocumentKind
from shipments.manifests.documents import check_rut

RUT = DocumentKind(
    name="RUT",
    check=check_rut,
    shape=re.compile(r".*", re.DOTALL),  # the only document: any number sent must be one
    source="Servicio de Impuestos Internos: RUT, modulus 11",
    placeholder_reason="rut_placeholder",
    example="12345678-5",
    aliases=("RUN",),  # the same number under the Registro Civil's name
)

RULES = CountryRules(
    country="CL",
    documents=(RUT,),
    invalid_document_code="rut_invalid_format",
    missing_document_code="rut_invalid_format",
)
