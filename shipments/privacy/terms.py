"""What names a person in a text: documents, e-mail and phone, the words of name and address, and the guides' codes."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from shipments.manifests.consignee_words import extract_search_words
from shipments.manifests.documents import SEPARATORS, without_separators
from shipments.models import CarrierNumber, Guide
from shipments.models.guides import HasWords

_SHORTEST = 3
"""The fewest letters of a name."""
_SHORTEST_CODE = 5
"""A shorter HAWB or number is also a word of other texts; it counts where a column has nothing else."""
_DIGITS_OF_A_PHONE = 8
"""The last ones: with or without the country's prefix it is the same phone."""
_BETWEEN = 3
"""How many other words may stand among those of a name."""

_WORD = re.compile(r"[^\W_]+")
_NOT_A_DIGIT = re.compile("[^0-9]+")
_SEPARATED = f"[{re.escape(SEPARATORS)}]{{0,2}}"
_PREFIX = rf"(?<![0-9])(?:[0-9]{_SEPARATED}){{0,5}}"
_KINDS = ("documents", "phones", "emails", "names", "codes")


class Terms:
    """Texts are compared without regard to case, accents, and the separators of numbers."""

    def __init__(self, **terms: Iterable[str]) -> None:
        """documents: compact. phones: their last digits. emails, codes: as they are. names: of at least one word.

        codes: tracking codes, HAWBs and carriers' numbers of the person's guides.
        """
        self._terms = {kind: frozenset(terms.get(kind, ())) for kind in _KINDS}

    def __or__(self, other: "Terms") -> "Terms":
        return Terms(
            **{
                kind: self._terms[kind] | other._terms[kind]  # noqa: SLF001  # of the same class
                for kind in _KINDS
            }
        )

    def to_json(self) -> Mapping[str, Sequence[str]]:
        """Return the arguments that make the same terms."""
        return {kind: sorted(values) for kind, values in self._terms.items() if values}

    def has_code(self, code: str) -> bool:
        """Return whether `code` is a tracking code, a HAWB or a carrier's number of one of the person's guides."""
        return code.strip().upper() in self.codes

    @cached_property
    def codes(self) -> Collection[str]:
        return frozenset(code.upper() for code in self._terms["codes"])

    def match(self, text: str) -> bool:
        """Return whether `text` speaks of the person: says who it is, or has a code of one of the guides."""
        upper = text.upper()
        return any(code in upper and pattern.search(upper) for code, pattern in self._codes) or self.identify(text)

    def identify(self, text: str) -> bool:
        """Return whether `text` says who the person is."""
        if not text:
            return False
        upper = text.upper()
        compact = upper.translate(_WITHOUT_SEPARATORS)
        if any(number in compact and pattern.search(upper) for number, pattern in self._numbers):
            return True
        plain = _fold(text)
        return any(email in plain for email in self._emails) or any(
            longest in plain and _stand_together(words, _WORD.findall(plain)) for longest, words in self._names
        )

    @cached_property
    def _codes(self) -> Sequence[tuple[str, re.Pattern[str]]]:
        return [
            (code, re.compile(rf"(?<![0-9A-Z]){re.escape(code)}(?![0-9A-Z])"))
            for code in self.codes
            if len(code) >= _SHORTEST_CODE
        ]

    @cached_property
    def _numbers(self) -> Sequence[tuple[str, re.Pattern[str]]]:
        documents = ((number, _document_pattern(number)) for number in map(str.upper, self._terms["documents"]))
        phones = (
            (number, re.compile(_PREFIX + _allow_separators(number) + r"(?![0-9])")) for number in self._terms["phones"]
        )
        return [*documents, *phones]

    @cached_property
    def _emails(self) -> Sequence[str]:
        return [_fold(email) for email in self._terms["emails"]]

    @cached_property
    def _names(self) -> Sequence[tuple[str, Collection[str]]]:
        split = (frozenset(_WORD.findall(_fold(name))) for name in self._terms["names"])
        return [(max(words, key=len), words) for words in split if words]


def terms_of(documents: Iterable[str], guide_ids: Sequence[int]) -> Terms:
    """Return what names the person with these documents, by what the guides still say.

    An e-mail or a phone counts unless other guides have it as well.
    """
    found, others = Terms(documents=documents), Guide.objects.exclude(pk__in=guide_ids)
    columns = ("tracking_code", "hawb", "consignee_document", "consignee_name", "consignee_address")
    rows = Guide.objects.filter(pk__in=guide_ids).order_by()
    for code, hawb, document, *names, email, phone in rows.values_list(*columns, "consignee_email", "consignee_phone"):
        number, digits = without_separators(document), _digits_of(phone)
        found |= Terms(
            codes={code, hawb} - {""},
            documents={number} if len(number) >= _SHORTEST_CODE else (),
            emails={email.strip()} if "@" in email and not _has(others, email) else (),
            phones={digits} if digits and not _has(others, phone) else (),
            names=_distinctive(*names),
        )
    numbers = CarrierNumber.objects.filter(guide__in=guide_ids).values_list("number", flat=True)
    return found | Terms(codes=numbers)


def _has(others: QuerySet[Guide], contact: str) -> bool:
    """Return whether other people's guides have an e-mail or a phone too: then it tells nobody from others."""
    return others.filter(HasWords(extract_search_words(contact))).exists()


def _digits_of(phone: str) -> str:
    digits = _NOT_A_DIGIT.sub("", unicodedata.normalize("NFKC", phone))
    return digits[-_DIGITS_OF_A_PHONE:] if len(digits) >= _DIGITS_OF_A_PHONE else ""


def _distinctive(name: str, address: str) -> Iterator[str]:
    """Yield those that tell one person from others: an address of one word is a town."""
    if sum(map(len, _WORD.findall(name))) >= _SHORTEST:
        yield name
    if len(_WORD.findall(address)) > 1:
        yield address


_WITHOUT_SEPARATORS = str.maketrans(dict.fromkeys(SEPARATORS))


def _allow_separators(number: str) -> str:
    return _SEPARATED.join(map(re.escape, number))


def _document_pattern(number: str) -> re.Pattern[str]:
    """Match a document, and not a longer number that contains it; a zero may pad it."""
    before = r"(?<![0-9])0?" if number[0].isdigit() else "(?<![A-Z])"
    after = r"(?![0-9])" if number[-1].isdigit() else "(?![A-Z])"
    return re.compile(before + _allow_separators(number) + after)


def _fold(text: str) -> str:
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(sign for sign in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(sign))


def _stand_together(words: Collection[str], text: Sequence[str]) -> bool:
    """Return whether all of the words are near each other, in any order."""
    seen: dict[str, int] = {}
    for place, word in enumerate(text):
        if word in words:
            seen[word] = place
            if len(seen) == len(words) and place - min(seen.values()) < len(words) + _BETWEEN:
                return True
    return False


def without(value: Any, is_named: Any) -> Any:  # noqa: ANN401  # any JSON; a function of a text
    """Return a JSON value without the texts that name the person: a list of texts is shorter, others are empty."""
    if isinstance(value, str):
        return "" if is_named(value) else value
    if isinstance(value, Mapping):
        return {key: without(inner, is_named) for key, inner in value.items() if not is_named(str(key))}
    if isinstance(value, list | tuple):
        kept = [without(inner, is_named) for inner in value]
        if all(isinstance(inner, str) for inner in value):
            return [inner for inner, before in zip(kept, value, strict=True) if inner or not before]
        return kept
    return value
