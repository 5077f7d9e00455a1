"""The shape of a country's rules: small frozen objects that carry their reason and their source.

A country is data: the documents that identify its consignees, and rules with the days on which they are in force.
Nothing here depends on a particular country.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple, TypeVar

from shipments.manifests.documents import DocumentCheck, without_separators
from shipments.manifests.guide_fields import FIELD_NAMES
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
    companies: normal forms that are not one person's; None if all are persons'.
    example: a valid document, nobody's, for made-up guides.
    """

    name: str
    check: Callable[[str], DocumentCheck]
    shape: re.Pattern[str] | None
    source: str
    placeholder_reason: str = ""
    aliases: tuple[str, ...] = ()
    companies: re.Pattern[str] | None = None
    example: str = ""


class Identification(NamedTuple):
    """The identified consignee: the document's kind and normal form, or the problems; and reasons for review."""

    document_type: str = ""
    document: str = ""
    problems: tuple[Finding, ...] = ()
    review_reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of law, with the days on which it is in force.

    title: what it says, in English; marked for the Spanish catalogue. source: the act and its article.
    since, until: its first and its last day. None: without an end; or since before anything that is judged.
    code: the contract's word for what it reports; empty if it reports nothing.
    """

    title: str
    source: str
    since: date | None = None
    until: date | None = None
    code: str = ""

    def is_in_force(self, day: date) -> bool:
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


@dataclass(frozen=True, kw_only=True)
class Limit(Rule):
    """A limit that a guide may exceed without being refused.

    sentence: the key of the sentence for a guide that exceeds it.
    exceeded: called with FOB in US dollars, weight in kilograms and the number of packages.
    category: only guides of this express category count, if given. registered: kinds of documents that exempt from it;
    a guide without a kind counts only if there are none.
    """

    field: str
    sentence: str
    exceeded: Callable[[Decimal, Decimal, int], bool]
    category: int | None = None
    registered: frozenset[str] = frozenset()

    def concerns(self, category: int | None, document_type: str) -> bool:
        if self.category not in {None, category}:
            return False
        return not self.registered or (bool(document_type) and document_type not in self.registered)


@dataclass(frozen=True, kw_only=True)
class Retention(Limit):
    """A limit above which customs retains a guide."""


@dataclass(frozen=True, kw_only=True)
class ConsigneeLimit(Rule):
    """A limit on the value of all guides of one consignee in a manifest.

    most_usd: the sum of FOB in US dollars up to which nothing is reported. category: only its guides count, if given.
    """

    sentence: str
    most_usd: Decimal
    category: int | None = None


@dataclass(frozen=True, kw_only=True)
class Categories(Rule):
    """Express categories.

    settle: gives the category for the claimed one (None when the row has none) and the FOB value in US dollars (None
    when it cannot be read); raises InvalidValue when the claim is not allowed. once: the category that one transport
    document may contain at most once; the second guide causes a notice.
    """

    settle: Callable[[int | None, Decimal | None], int | None]
    once: int | None = None


@dataclass(frozen=True, kw_only=True)
class WantedDetails(Rule):
    """Details that customs asks for.

    keys: fields of a guide, or keys of extra data. categories: the express categories for which
    they are asked. Reported for workbooks.
    """

    keys: tuple[str, ...]
    categories: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class PersonalUnits(Rule):
    """The most units of one kind that a person may receive for personal use.

    units, purpose: keys of extra data. purposes: texts, in capitals, that mean personal use.
    """

    units: str
    purpose: str
    purposes: frozenset[str]
    most: int


@dataclass(frozen=True, kw_only=True)
class VatAtSale(Rule):
    """VAT that a registered platform charges at the sale, so that customs does not charge it again.

    most_usd: the FOB value in US dollars up to which it is charged so. tax_id: the platform's own number. shape: how it
    is written; any other registration is kept as it is.
    """

    most_usd: Decimal
    tax_id: DocumentKind
    shape: re.Pattern[str]


@dataclass(frozen=True, kw_only=True)
class DutyFree(Rule):
    """A value up to which goods for personal use are free of duty. VAT is due.

    purpose: the key of extra data that may say what they are for. purposes: as in `PersonalUnits`.
    """

    most_usd: Decimal
    purpose: str
    purposes: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class YearlyGuides(Rule):
    """How many guides a person may receive in a calendar year. Only operators are told.

    documents: the kinds of documents that it concerns; every kind, if empty.
    """

    most: int
    documents: frozenset[str] = frozenset()


_Rule = TypeVar("_Rule", bound=Rule)


@dataclass(frozen=True, eq=False)
class CountryRules:
    """The rules of one country: those in force on a day (`on`), or those of all times.

    country: ISO 3166 alpha-2.
    documents: the kinds of documents, in the order in which a bare number is tried.
    rules: in the order in which they are reported.
    document_codes: customs' codes for kinds of documents -> the kind's name.
    document_field: the contract's name for the document in warnings about workbooks. with_check_digit: joins a document
    and its check digit, which may be in two columns.
    invalid_document_code, missing_document_code: the contract's words for an invalid and for a missing document.
    """

    country: str
    documents: tuple[DocumentKind, ...]
    rules: tuple[Rule, ...] = ()
    document_codes: Mapping[str, str] = field(default_factory=dict)
    document_field: str = "consignee_document"
    with_check_digit: Callable[[str, str], str] = str.__add__
    invalid_document_code: str = "invalid_document"
    missing_document_code: str = "required"

    def on(self, day: date) -> "CountryRules":
        """The rules in force on a day at the destination."""
        return replace(self, rules=tuple(rule for rule in self.rules if rule.is_in_force(day)))

    def only(self, codes: Collection[str]) -> "CountryRules":
        """Those rules that report with one of `codes`."""
        return replace(self, rules=tuple(rule for rule in self.rules if rule.code in codes))

    def _all(self, kind: type[_Rule]) -> tuple[_Rule, ...]:
        return tuple(rule for rule in self.rules if isinstance(rule, kind))

    def _one(self, kind: type[_Rule]) -> _Rule | None:
        return next(iter(self._all(kind)), None)

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        return self._all(Limit)

    @cached_property
    def consignee_limits(self) -> tuple[ConsigneeLimit, ...]:
        return self._all(ConsigneeLimit)

    @cached_property
    def categories(self) -> Categories | None:
        return self._one(Categories)

    @cached_property
    def wanted_details(self) -> WantedDetails | None:
        return self._one(WantedDetails)

    @cached_property
    def personal_units(self) -> PersonalUnits | None:
        return self._one(PersonalUnits)

    @cached_property
    def vat_at_sale(self) -> VatAtSale | None:
        return self._one(VatAtSale)

    @cached_property
    def duty_free(self) -> DutyFree | None:
        return self._one(DutyFree)

    @cached_property
    def yearly_guides(self) -> YearlyGuides | None:
        return self._one(YearlyGuides)

    def extra_keys(self) -> tuple[str, ...]:
        """The keys of extra data that customs asks for, or that a rule reads."""
        wanted = [key for key in self.wanted_details.keys if key not in FIELD_NAMES] if self.wanted_details else []
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

    def person(self, document_type: str, document: str) -> str:
        """The normal form of a person's document; empty if it is invalid, a well-known dummy or a company's.

        Both as they are stored with a guide.
        """
        found = self.identify(document_type, document)
        if found.problems or found.review_reasons:
            return ""
        kind = next(kind for kind in self.documents if kind.name == found.document_type)
        return "" if kind.companies and kind.companies.fullmatch(found.document) else found.document

    def _unknown_type(self, document_type: str) -> Finding:
        names = ", ".join(kind.name for kind in self.documents)
        reason = Reason("document_type_unknown" if document_type else "document_type_unclear", {"names": names})
        return Finding("consignee_document_type", "invalid_document_type", reason)
