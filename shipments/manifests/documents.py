"""Identity and tax documents of consignees: their normal forms and check digits.

Every check returns a `DocumentCheck` and never raises. A problem never repeats the document, which is personal data, so
it can be shown and logged.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from stdnum.ar import cuit
from stdnum.cl import rut
from stdnum.pe import ruc

from shipments.manifests.manifest import Reason

SEPARATORS = " .-\t\n\r\u00a0\u2007\u202f\u2010\u2011\u2012\u2013\u2014\u2212"
"""What people and spreadsheets put between digits: blanks, dots and every dash that looks like a hyphen."""
_SEPARATORS = str.maketrans(dict.fromkeys(SEPARATORS))

RUT_PLACEHOLDERS = frozenset(f"{digit * 8}-{digit}" for digit in "123456789") | {"0000000-0"}
"""Numbers that pass modulus 11 but are typed in place of the real one."""


RUC_PREFIXES = ("10", "15", "16", "17", "20")
"""Kinds of taxpayer in Peru: 10 and 15 to 17 are persons (by DNI, and by other documents), 20 companies.
Source: SUNAT's register; 16 is real and missing in python-stdnum."""

CUIT_PREFIXES = ("20", "23", "24", "25", "26", "27", "30", "33", "34", "50", "51", "55")
"""Kinds of taxpayer in Argentina: 20 to 27 are persons, 30 to 34 companies, 50 to 55 for international purposes.
Source: the tax authority's register (ARCA, once AFIP); 25 and 26 are real and missing in python-stdnum."""

RUC_SHAPE, CUIT_SHAPE = (
    re.compile(rf"(?:{'|'.join(prefixes)})[0-9]{{9}}") for prefixes in (RUC_PREFIXES, CUIT_PREFIXES)
)

_RUT = re.compile(r"0?([0-9]{7}|[1-9][0-9]{7})([0-9K])")


class DocumentCheck(NamedTuple):
    """The result of checking one document.

    number: the normal form; the trimmed input when the document is invalid.
    problem: None when the document is valid, else what is wrong.
    is_placeholder: a well-known dummy, which is valid all the same.
    """

    number: str
    problem: Reason | None = None
    is_placeholder: bool = False


def check_rut(text: str) -> DocumentCheck:
    """Check a Chilean RUT (or RUN): 7 or 8 digits and a check digit by modulus 11, K for ten.

    Dots, blanks and hyphens are dropped, k counts as K, and a zero that only pads seven digits to eight goes too.
    The normal form is `12345678-5`.
    Source: modulus 11 as the Servicio de Impuestos Internos and the Registro Civil use it (by `stdnum.cl.rut`).
    """
    compact = without_separators(text)
    match = _RUT.fullmatch(compact)
    if match is None:
        is_long = re.fullmatch("[0-9]*[0-9K]", compact)
        return DocumentCheck(
            text.strip(), Reason("rut_length" if is_long else "rut_characters" if compact else "rut_missing")
        )
    body, check_digit = match.groups()
    if rut.calc_check_digit(body) != check_digit:
        return DocumentCheck(text.strip(), Reason("rut_check_digit"))
    number = f"{body}-{check_digit}"
    return DocumentCheck(number, None, number in RUT_PLACEHOLDERS)


def _tax_check(
    sentence: str, shape: re.Pattern[str], prefixes: tuple[str, ...], check_digit: Callable[[str], str]
) -> Callable[[str], DocumentCheck]:
    """Create a check for a tax number of 11 digits, one of `prefixes` in front, the last its check digit.

    sentence: the key of the sentence for another shape; `ruc_shape` goes with `ruc_check_digit`.
    """
    misshapen = Reason(sentence, {"numbers": ", ".join(prefixes[:-1]), "last": prefixes[-1]})
    wrong = Reason(sentence.replace("shape", "check_digit"))

    def check(text: str) -> DocumentCheck:
        number = without_separators(text)
        if not shape.fullmatch(number):
            return DocumentCheck(text.strip(), misshapen)
        return DocumentCheck(text.strip(), wrong) if check_digit(number) != number[10] else DocumentCheck(number)

    return check


check_ruc = _tax_check("ruc_shape", RUC_SHAPE, RUC_PREFIXES, ruc.calc_check_digit)
"""Check a Peruvian RUC. Source: SUNAT, Registro Unico de Contribuyentes (by `stdnum.pe.ruc` for the check digit)."""

check_cuit = _tax_check("cuit_shape", CUIT_SHAPE, CUIT_PREFIXES, cuit.calc_check_digit)
"""Check an Argentine CUIT, CUIL or CDI. Source: ARCA, Clave Unica de Identificacion Tributaria (`stdnum.ar.cuit`)."""


def digits_check(sentence: str, shortest: int, longest: int, characters: str = "0-9") -> Callable[[str], DocumentCheck]:
    """Create a check for documents of `shortest` to `longest` digits without a check digit, such as a DNI.

    sentence: the key of the sentence for an invalid document. characters: as in a regular expression, in capitals.
    """
    matches = re.compile(rf"[{characters}]{{{shortest},{longest}}}").fullmatch
    problem = Reason(sentence, {"least": shortest, "most": longest})

    def check(text: str) -> DocumentCheck:
        number = without_separators(text)
        return DocumentCheck(number) if matches(number) else DocumentCheck(text.strip(), problem)

    return check


def without_separators(text: str) -> str:
    """A document in capitals without the blanks, dots and hyphens that people type in it."""
    compact = text if text.isalnum() else text.translate(_SEPARATORS)
    # str.upper() turns some foreign letters into ASCII ones; a document's letters must be ASCII in the first place.
    return compact.upper() if compact.isascii() else compact
