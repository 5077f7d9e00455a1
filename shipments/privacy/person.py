"""Finding a person's guides at all companies by the number of a document, however it was typed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import product
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from shipments.carriers.forgetting import texts_in
from shipments.manifests.consignee_words import extract_search_words, is_whole
from shipments.manifests.documents import SEPARATORS, check_rut, without_separators
from shipments.models import Guide, Manifest
from shipments.models.guides import HasWords
from shipments.privacy.terms import Terms

SHORTEST = 5
"""The minimum length of a document. Anything shorter is likely a typing error and could match other people."""

MOST_SIMILAR = 100
"""The most guides with the same e-mail or phone that are listed."""
_MOST_CONTACTS = 50

_COMPARED = 4
"""The number of leading characters looked up in the index. The results are then compared in full."""


class NotADocument(ValueError):
    """The text cannot be a document's number. The message does not repeat it."""


class Documents:
    """Documents of one person, compared without regard to dots, spaces, hyphens and case."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Raise `NotADocument` if there are no documents, or if one cannot belong to a single person."""
        self._numbers: set[str] = set()
        for text in texts:
            number = without_separators(text)
            is_alike = number.isalnum() and any(map(str.isdigit, number))
            if not is_alike or not SHORTEST <= len(number) <= _LONGEST:
                raise NotADocument(f"A document has {SHORTEST} to {_LONGEST} letters and digits.")
            rut = check_rut(text)
            if rut.is_placeholder:
                raise NotADocument("This is a known placeholder that many people's records have.")
            # Guides store a RUT without the zero that pads seven digits to eight.
            self._numbers |= {number, without_separators(rut.number)}
        if not self._numbers:
            raise NotADocument("No document was given.")

    @property
    def numbers(self) -> Sequence[str]:
        return sorted(self._numbers)

    @property
    def key(self) -> str:
        """Return the same text for the same documents, in whatever order and however they were typed."""
        return "\n".join(self.numbers)

    def include(self, document: str) -> bool:
        return without_separators(document) in self._numbers

    def guides(self, country: str = "") -> list[tuple[UUID, int]]:
        """Return the (manifest id, guide id) of the person's guides, in the order in which rows are locked.

        country: only manifests to this country. In another country the number may belong to somebody else.
        """
        beginnings = Q()
        for number in self._numbers:
            for beginning in _beginnings(number):
                beginnings |= Q(consignee_document__startswith=beginning)
        rows = Guide.objects.filter(beginnings).order_by()
        if country:
            rows = rows.filter(manifest__country=country)
        found = rows.values_list("manifest_id", "id", "consignee_document")
        return sorted((manifest, guide) for manifest, guide, document in found.iterator() if self.include(document))

    def keeping(self) -> QuerySet[Guide]:
        """Return the guides whose extra data has one of the numbers, perhaps as part of another one."""
        spelled = "|".join("[^0-9A-Za-z]{0,3}".join(map(re.escape, number)) for number in self.numbers)
        filled = Guide.objects.filter(anonymised_at=None).exclude(extra_data={})
        return filled.alias(kept=Cast("extra_data", TextField())).filter(kept__iregex=spelled)


class Person(NamedTuple):
    """Whom a request is about.

    country: only guides to it; empty for all. ticked: the ids of guides of theirs with another document.
    before: only what was received before this time.
    """

    documents: Documents
    country: str = ""
    ticked: Sequence[int] = ()
    before: datetime | None = None

    def guides(self) -> list[tuple[UUID, int]]:
        """Return the (manifest id, guide id) of the guides, in the order in which rows are locked."""
        found = set(self.documents.guides(self.country))
        if self.ticked:
            found |= set(_in_country(self.country).filter(pk__in=self.ticked).values_list("manifest_id", "id"))
        if self.before:
            keys = {manifest_id for manifest_id, _guide_id in found}
            older = Manifest.objects.filter(pk__in=keys, created_at__lt=self.before).values_list("pk", flat=True)
            found = {pair for pair in found if pair[0] in set(older)}
        return sorted(found)

    def has(self, guide: Guide) -> bool:
        return guide.pk in self.ticked or self.documents.include(guide.consignee_document)

    def similar(self) -> Sequence[Guide]:
        """Return guides of other documents with the e-mail or the phone of one of the guides, or with one of the
        documents in their extra data, newest first.
        """
        found = [guide_id for _manifest_id, guide_id in self.documents.guides(self.country)]
        contacts = Guide.objects.filter(pk__in=found).values_list("consignee_email", "consignee_phone")
        words = {word for row in contacts for text in row for word in extract_search_words(text) if is_whole(word)}
        terms, kept = Terms(documents=self.documents.numbers), self.documents.keeping().only("extra_data")
        shared = Q(pk__in=[guide.pk for guide in kept if any(map(terms.identify, texts_in(guide.extra_data)))])
        for word in sorted(words)[:_MOST_CONTACTS]:
            shared |= Q(HasWords([word]))
        others = _in_country(self.country).filter(shared).exclude(pk__in=found).select_related("manifest__company")
        return list(others.order_by("-id")[:MOST_SIMILAR])


def _in_country(country: str) -> QuerySet[Guide]:
    guides = Guide.objects.filter(anonymised_at=None)
    return guides.filter(manifest__country=country) if country else guides


_LONGEST = Guide._meta.get_field("consignee_document").max_length or 0


def _beginnings(number: str) -> Iterator[str]:
    """Yield the possible beginnings of a stored document. Valid documents are compact; others are kept as received."""
    letters = [sorted({letter, letter.lower()}) for letter in number[:_COMPARED]]
    yield from map("".join, product(*letters))
    for length in range(_COMPARED):
        for head in product(*letters[:length]):
            yield from ("".join(head) + separator for separator in SEPARATORS)
