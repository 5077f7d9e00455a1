"""Chile: the consignee has a RUT.

A document type may be left out; one that is neither RUT nor RUN contradicts the rule and is refused as
`invalid_document_type`, whatever the number is.

Source: Servicio Nacional de Aduanas and Servicio de Impuestos Internos, who know every consignee by RUT.
"""

import re

from shipments.manifests.countries.rules import CountryRules, DocumentKind
from shipments.manifests.documents import check_rut

RUT = DocumentKind(
    name="RUT",
    check=check_rut,
    shape=re.compile(r".*", re.DOTALL),  # the only document: whatever is sent has to be one
    source="Servicio de Impuestos Internos: RUT, modulus 11",
    placeholder_reason="rut_placeholder",
    aliases=("RUN",),  # the same number, as the Registro Civil calls it
)

RULES = CountryRules(
    country="CL",
    documents=(RUT,),
    invalid_document_code="rut_invalid_format",
    missing_document_code="rut_invalid_format",
)
