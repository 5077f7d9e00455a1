"""The shape of a country's rules: small frozen objects that carry their reason and their source.

A country is data: the documents that identify its consignees, the limits that cause warnings and, where it has them,
express categories and a limit above which customs retains a guide. Nothing here depends on a particular country.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from shipments.manifests.documents import DocumentCheck, without_separators
from shipments.manifests.manifest import Reason


class Finding(NamedTuple):
    """A problem in a row: a reason to refuse it or to warn.

    field: the row's key in the JSON document.
    code: the contract's word, such as `required` or `invalid_document`.
    reason: what a person has to change. Never the value itself: it may be personal.
    """

    field: str
    code: str
    reason: Reason


class DocumentKind(NamedTuple):
    """One kind of document that identifies a consignee.

    name: the word for `consignee_document_type`; `aliases` mean the same.
    check: returns the document's normal form or its problem.
    shape: documents, without separators, that are assumed to be of this kind when no type is sent; None when the kind
    cannot be derived from a bare number.
    placeholder_reason: the review reason of a guide whose document is a well-known dummy.
    example: a valid document, nobody's, for made-up guides.
    """

    name: str
    check: Callable[[str], DocumentCheck]
    shape: re.Pattern[str] | None
    source: str
    placeholder_reason: str = ""
    aliases: tuple[str, ...] = ()
    example: str = ""


class Identification(NamedTuple):
    """The identified consignee: the document's kind and normal form, or the problems; and reasons for review."""

    document_type: str = ""
    document: str = ""
    problems: tuple[Finding, ...] = ()
    review_reasons: tuple[str, ...] = ()


class Limit(NamedTuple):
    """A limit that a guide may exceed without being refused.

    sentence: the key of the sentence for a guide that exceeds it.
    exceeded: called with FOB in US dollars, weight in kilograms and the number of packages.
    """

    field: str
    code: str
    sentence: str
    source: str
    exceeded: Callable[[Decimal, Decimal, int], bool]


class ConsigneeLimit(NamedTuple):
    """A limit on the value of all guides of one consignee in a manifest.

    most_usd: the sum of FOB in US dollars up to which nothing is reported. category: only its guides count, if given.
    """

    code: str
    sentence: str
    source: str
    most_usd: Decimal
    category: int | None = None


class WantedDetails(NamedTuple):
    """Details that customs asks for and that are not fields of a guide.

    keys: of extra data. categories: the express categories for which they are asked. Reported for workbooks.
    """

    keys: tuple[str, ...]
    categories: frozenset[int]
    source: str


class PersonalUnits(NamedTuple):
    """The most units of one kind that a person may receive for personal use.

    units, purpose: keys of extra data. purposes: texts, in capitals, that mean personal use. Reported for workbooks.
    """

    units: str
    purpose: str
    purposes: frozenset[str]
    most: int
    source: str


class VatAtSale(NamedTuple):
    """VAT that a registered platform charges at the sale, so that customs does not charge it again.

    most_usd: the FOB value in US dollars up to which it is charged so. tax_id: the platform's own number. shape: how it
    is written; any other registration is kept as it is.
    """

    most_usd: Decimal
    tax_id: DocumentKind
    shape: re.Pattern[str]
    source: str


@dataclass(frozen=True, slots=True)
class CountryRules:
    """The rules of one country.

    country: ISO 3166 alpha-2.
    documents: the kinds of documents, in the order in which a bare number is tried.
    warnings: limits whose excess is reported to the sender.
    retention: the limit above which customs retains the guide; also reported as a warning.
    category: gives the express category for the claimed one (None when the row has none) and the FOB value in US
    dollars (None when it cannot be read); raises InvalidValue when the claim is not allowed.
    category_limits: category -> the limit above which a category accepted as claimed causes a warning.
    consignee_limits: limits on the value of all guides of one consignee. Reported for workbooks.
    unregistered_limits: limits for consignees whose document is not among `registered_documents`. Reported for
    workbooks.
    wanted_details, personal_units: rules on extra data, where the country has them.
    vat_at_sale: VAT charged at the sale, where the country has it; only reported.
    document_codes: customs' codes for kinds of documents -> the kind's name.
    category_once: the category that one transport document may contain at most once; the second guide causes a notice.
    document_field: the contract's name for the document in warnings about workbooks. with_check_digit: joins a document
    and its check digit, which may be in two columns.
    invalid_document_code, missing_document_code: the contract's words for an invalid and for a missing document.
    """

    country: str
    documents: tuple[DocumentKind, ...]
    warnings: tuple[Limit, ...] = ()
    retention: Limit | None = None
    category: Callable[[int | None, Decimal | None], int | None] | None = None
    category_limits: Mapping[int, Limit] = field(default_factory=dict)
    category_once: int | None = None
    consignee_limits: tuple[ConsigneeLimit, ...] = ()
    unregistered_limits: tuple[Limit, ...] = ()
    registered_documents: frozenset[str] = frozenset()
    wanted_details: WantedDetails | None = None
    personal_units: PersonalUnits | None = None
    vat_at_sale: VatAtSale | None = None
    document_codes: Mapping[str, str] = field(default_factory=dict)
    document_field: str = "consignee_document"
    with_check_digit: Callable[[str, str], str] = str.__add__
    invalid_document_code: str = "invalid_document"
    missing_document_code: str = "required"

    def extra_keys(self) -> tuple[str, ...]:
        """The keys of extra data that customs asks for, or that a rule reads."""
        wanted = self.wanted_details.keys if self.wanted_details else ()
        return (*wanted, *((self.personal_units.units, self.personal_units.purpose) if self.personal_units else ()))

    def identify(self, document_type: str, document: str) -> Identification:
        """Check a consignee's document.

        document_type: as sent, in any case; empty to derive it from the number's shape.
        document: as sent; empty when it is missing.
        """
        wanted, compact = document_type.upper(), without_separators(document)
        named = (kind for kind in self.documents if wanted == kind.name or wanted in kind.aliases)
        shaped = (kind for kind in self.documents if kind.shape and kind.shape.fullmatch(compact))
        kind = next(named if document_type else shaped, None)
        problems = []
        if kind is None and (document_type or document):
            problems.append(self._unknown_type(document_type))
            kind = self.documents[0] if len(self.documents) == 1 else None
        if not document:
            problems.append(Finding("consignee_document", self.missing_document_code, Reason("document_missing")))
        if kind is None or not document:
            return Identification(problems=tuple(problems))
        check = kind.check(document)
        if check.problem:
            problems.append(Finding("consignee_document", self.invalid_document_code, check.problem))
        reasons = (kind.placeholder_reason,) if check.is_placeholder else ()
        return Identification(kind.name, check.number, tuple(problems), reasons)

    def _unknown_type(self, document_type: str) -> Finding:
        names = ", ".join(kind.name for kind in self.documents)
        reason = Reason("document_type_unknown" if document_type else "document_type_unclear", {"names": names})
        return Finding("consignee_document_type", "invalid_document_type", reason)
