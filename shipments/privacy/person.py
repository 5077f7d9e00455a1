"""Finding a person's guides at all companies by the number of a document, however it was typed."""

from collections.abc import Iterable, Iterator
from itertools import product
from uuid import UUID

from django.db.models import Q

from shipments.manifests.documents import SEPARATORS, check_rut, without_separators
from shipments.models import Guide

SHORTEST = 5
"""The minimum length of a document. Anything shorter is likely a typing error and could match other people."""

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
    def key(self) -> str:
        """Return the same text for the same documents, in whatever order and however they were typed."""
        return "\n".join(sorted(self._numbers))

    def include(self, document: str) -> bool:
        return without_separators(document) in self._numbers

    def occur_in(self, text: str) -> bool:
        compact = without_separators(text)
        return any(number in compact for number in self._numbers)

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


_LONGEST = Guide._meta.get_field("consignee_document").max_length or 0


def _beginnings(number: str) -> Iterator[str]:
    """Yield the possible beginnings of a stored document. Valid documents are compact; others are kept as received."""
    letters = [sorted({letter, letter.lower()}) for letter in number[:_COMPARED]]
    yield from map("".join, product(*letters))
    for length in range(_COMPARED):
        for head in product(*letters[:length]):
            yield from ("".join(head) + separator for separator in SEPARATORS)
