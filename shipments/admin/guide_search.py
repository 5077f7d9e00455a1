"""Searching guides, manifests and flights by what an operator has at hand. An index answers each kind of search."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.functions import Reverse
from django.db.models.lookups import StartsWith

from shipments.manifests.consignee_words import extract_search_words, is_phone
from shipments.manifests.waybills import TRACKING_CODE_LENGTH, normal_mawb
from shipments.models import Flight, Guide, Manifest
from shipments.models.guides import HasWords
from shipments.tracking.lookup import in_bag, prefixes_of
from shipments.tracking.tracking_codes import LENGTH_BEHIND_PREFIX, is_sound

MOST_CODES = 1_000
"""The most codes of one search that are looked for."""

_MAWB_START = re.compile(r"([0-9]{3})[ -]?([0-9][0-9 ]{2,8})")
_DOCUMENT = re.compile(r"[0-9][0-9.]{4,}-?[0-9Kk]?|[0-9A-Za-z]{5,20}")
_CODE = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z./_-]{4,64}")
_LETTERS_OF_A_CODE = re.compile(f"[A-Z-]{{6,{TRACKING_CODE_LENGTH}}}")
"""A tracking code without a digit, as one in fifty of ours is, or a word."""
_QUOTATION_MARKS = "\"'“”‘’«»\u200b\ufeff"
_BETWEEN_CODES = re.compile(rf"[\s,;|{_QUOTATION_MARKS}]+")
_HYPHENS = re.compile("[\u2010-\u2015\u2212]")
_AROUND_A_CODE = ".:()[]<>*•·"
_TRACKING_CODE = re.compile(f"[0-9A-Z]{{{LENGTH_BEHIND_PREFIX + 2},{LENGTH_BEHIND_PREFIX + 5}}}")
"""As we issue them."""
_SHORTEST_NAME = 2
_SHORTEST_END = 4
_MOST_WORDS = 20
_DIGITS_OF_A_CODE = 3
"""One word with so many digits is not a name."""

_MOST_MANIFESTS = 200


def search_guides(guides: QuerySet[Guide], text: str) -> QuerySet[Guide]:
    """Return the `guides` that match `text`.

    text: a MAWB in any spelling, or its beginning; a tracking code; a bag; the beginning or the end of a HAWB; the
    beginning of a document, with or without dots and hyphen; words of a consignee's name, or their beginnings, without
    regard to accents and case; a whole e-mail or phone. Or several codes: each a tracking code, a HAWB, a MAWB or a
    document.
    """
    text = " ".join(text.replace("\0", "").split()).strip(_QUOTATION_MARKS)
    if not text:
        return guides
    if codes := codes_in(text, guides):
        return guides_of_codes(guides, codes)
    found = (
        Q(tracking_code__in=tracking_spellings(text))
        | Q(hawb__startswith=text.upper())
        | in_bag(text)
        | _by_mawb(text)
        | _by_document(text)
    )
    return guides.filter(found | _by_end_of_hawb(text) | _by_consignee(text))


def is_broad(text: str) -> bool:
    """Return whether `text`, which is no pasted list, may match a large part of all guides: words of a name, or the
    beginning of a code.
    """
    return bool(text.strip()) and normal_mawb(" ".join(text.split())) is None


def mawb_lookup(text: str) -> Q | None:
    """Return the condition on a manifest whose MAWB is `text` or begins with it; None when `text` cannot be a MAWB."""
    if mawb := normal_mawb(text):
        return Q(mawb=mawb)
    if start := _MAWB_START.fullmatch(text):
        return Q(mawb__startswith=f"{start[1]}-{start[2].replace(' ', '')}")
    return None


class PastedList(NamedTuple):
    """The words of a pasted list, each once.

    codes: what is looked for, in upper case, at most `MOST_CODES`. beyond: the codes after these. others: words that
    are not codes, such as the heading of a column copied from a workbook.
    """

    codes: Sequence[str]
    beyond: Sequence[str]
    others: Sequence[str]


class PastedCodes(NamedTuple):
    """What was found of a pasted list. link: the list of the guides; empty if there are none, or too many for a list.

    missing: codes that no guide has. beyond, others: what was not looked for, as in `PastedList`.
    """

    missing: Sequence[str]
    beyond: Sequence[str]
    others: Sequence[str]
    guides: int = 0
    link: str = ""


def read_pasted_list(text: str, guides: QuerySet[Guide]) -> PastedList | None:
    """Return the words of a pasted list; None if `text` is not one, because it has fewer than two codes.

    A code is a word with a digit; the tracking code of one of `guides`; or one such as we issue for a company of
    theirs, whose check character is right.
    """
    words = words_of(text)
    letters = {upper for word in words if _LETTERS_OF_A_CODE.fullmatch(upper := word.upper())}
    of_letters = _codes_among(letters, guides) if len(set(words)) > 1 and letters else set()

    def is_code(word: str) -> bool:
        return _CODE.fullmatch(word) is not None or word.upper() in of_letters

    codes = list(dict.fromkeys(word.upper() for word in words if is_code(word)))
    if len(codes) < 2 or mawb_lookup(" ".join(words)) is not None or is_phone(text):
        return None
    others = dict.fromkeys(word for word in words if not is_code(word))
    return PastedList(codes[:MOST_CODES], codes[MOST_CODES:], list(others))


def _codes_among(words: Collection[str], guides: QuerySet[Guide]) -> set[str]:
    """Return which of the words, without a digit, are tracking codes."""
    some = sorted(words)[:MOST_CODES]
    stored = set(guides.filter(tracking_code__in=some).order_by().values_list("tracking_code", flat=True))
    sound = [word for word in some if word not in stored and is_sound(word)]
    prefixes = prefixes_of(guides, sound)
    return stored.union(word for word in sound if word[:-LENGTH_BEHIND_PREFIX] in prefixes)


def words_of(text: str) -> Sequence[str]:
    """Return the words of a pasted text, without the signs around them: quotation marks, bullets, full stops."""
    text = _HYPHENS.sub("-", text.replace("\0", ""))
    words = (word.strip(_AROUND_A_CODE) for word in _BETWEEN_CODES.split(text))
    return [word for word in words if any(map(str.isalnum, word))]


def tracking_spellings(code: str) -> Sequence[str]:
    """Return how a tracking code `code` may be stored: as it is, or without its hyphens if it is sound so."""
    compact = code.upper().replace("-", "")
    if compact != code.upper() and _TRACKING_CODE.fullmatch(compact) and is_sound(compact):
        return code.upper(), compact
    return (code.upper(),)


def codes_in(text: str, guides: QuerySet[Guide]) -> Sequence[str]:
    """Return the codes of a pasted list; empty if `text` is not a list of codes. guides: as in `read_pasted_list`."""
    pasted = read_pasted_list(text, guides)
    return pasted.codes if pasted else ()


def missing_codes(guides: QuerySet[Guide], codes: Sequence[str]) -> list[str]:
    """Return those of the codes of a pasted list that none of `guides` has."""

    def find_known(field: str, values: Sequence[str]) -> set[str]:
        found = guides.filter(**{f"{field}__in": values}).order_by() if values else guides.none()
        return set(found.values_list(field, flat=True).distinct())

    mawbs = {code: mawb for code in codes if (mawb := normal_mawb(code))}
    spellings = {code: _documents(code) for code in codes}
    found = find_known("hawb", codes)
    tracking = find_known("tracking_code", [one for code in codes for one in tracking_spellings(code)])
    documents = find_known("consignee_document", sorted({one for several in spellings.values() for one in several}))
    manifests = find_known("manifest__mawb", sorted(set(mawbs.values())))
    return [
        code
        for code in codes
        if code not in found
        and tracking.isdisjoint(tracking_spellings(code))
        and documents.isdisjoint(spellings[code])
        and mawbs.get(code) not in manifests
    ]


def guides_of_codes(guides: QuerySet[Guide], codes: Sequence[str]) -> QuerySet[Guide]:
    """Return those of `guides` that have one of the codes of a pasted list."""
    mawbs = [mawb for code in codes if (mawb := normal_mawb(code))]
    documents = {spelling for code in codes for spelling in _documents(code)}
    found = Q(tracking_code__in=[one for code in codes for one in tracking_spellings(code)]) | Q(hawb__in=codes)
    if documents:
        found |= Q(consignee_document__in=sorted(documents))
    if mawbs:
        found |= Q(manifest__in=list(Manifest.objects.filter(mawb__in=mawbs).order_by().values_list("pk", flat=True)))
    return guides.filter(found)


def _documents(code: str) -> Sequence[str]:
    """Return how guides may store the document `code`."""
    if not _DOCUMENT.fullmatch(code):
        return ()
    compact = code.replace(".", "").upper()
    if "-" not in compact and compact[:-1].isdigit():
        return compact, f"{compact[:-1]}-{compact[-1]}"  # a RUT typed without its hyphen
    return (compact,)


def _by_mawb(text: str) -> Q:
    condition = mawb_lookup(text)
    if condition is None:
        return Q()
    manifests = Manifest.objects.filter(condition).order_by().values_list("pk", flat=True)
    # A short list is passed as keys: a join, combined with the other conditions by OR, would read every guide.
    keys = list(manifests[: _MOST_MANIFESTS + 1])
    return Q(manifest__in=keys if len(keys) <= _MOST_MANIFESTS else manifests)


def _by_document(text: str) -> Q:
    spellings = _documents(text)
    if not spellings:
        return Q()
    return Q(consignee_document__startswith=spellings[0]) | Q(consignee_document__in=spellings[1:])


def _by_end_of_hawb(text: str) -> Q:
    if len(text) < _SHORTEST_END or not any(sign.isdigit() for sign in text):
        return Q()
    return Q(StartsWith(Reverse("hawb"), text.upper()[::-1]))


def _by_consignee(text: str) -> Q:
    is_code = " " not in text and sum(map(str.isdigit, text)) >= _DIGITS_OF_A_CODE and not is_phone(text)
    if len(text) < _SHORTEST_NAME or (is_code and "@" not in text):
        return Q()  # comparing words takes most of the time where a HAWB's beginning has a hundred thousand guides
    words = extract_search_words(text)[:_MOST_WORDS]
    return Q(HasWords(words)) if any(len(word) >= _SHORTEST_NAME for word in words) else Q()


# --- manifests and flights ------------------------------------------------------------------------------------------

_DIGITS_OF_A_MAWB = re.compile("[0-9]{1,3}-?[0-9]{0,8}")
_FLIGHT = re.compile(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,3}[0-9]{1,4}[A-Z]?")
_NOT_IN_A_FLIGHT = re.compile(r"[\s-]+")


def search_manifests(manifests: QuerySet[Manifest], text: str) -> QuerySet[Manifest]:
    """Return the `manifests` with a MAWB in any spelling, or its beginning; those of a flight; or those of a list."""
    text = " ".join(text.replace("\0", "").split())
    if not text:
        return manifests
    if codes := codes_in(text, Guide.objects.none()):
        return manifests.filter(mawb__in=[mawb for code in codes if (mawb := normal_mawb(code))])
    if (condition := mawb_lookup(text)) is not None:
        return manifests.filter(condition)
    if number := flight_number(text):
        return manifests.filter(flight__in=Flight.objects.filter(flight_number__startswith=number).order_by())
    return manifests.filter(mawb__startswith=text) if _DIGITS_OF_A_MAWB.fullmatch(text) else manifests.none()


def flight_number(text: str) -> str:
    """Return a flight's number as it is stored, or the beginning of one; empty if `text` cannot be one."""
    number = _NOT_IN_A_FLIGHT.sub("", text).upper()
    return number if _FLIGHT.fullmatch(number) else ""
