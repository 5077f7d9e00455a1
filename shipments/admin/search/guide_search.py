"""Searching guides by what an operator has at hand. An index answers each kind of search."""

import re
from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.db.models.functions import Reverse
from django.db.models.lookups import StartsWith

from shipments.admin.search.word_lookups import HasWords
from shipments.manifests.consignee_words import is_phone, searched_words
from shipments.manifests.waybills import normal_mawb
from shipments.models import Guide, Manifest

MOST_CODES = 1_000
"""The most codes of one search that are looked for."""

_MAWB_START = re.compile(r"([0-9]{3})[ -]?([0-9][0-9 ]{2,8})")
_DOCUMENT = re.compile(r"[0-9][0-9.]{4,}-?[0-9Kk]?|[0-9A-Za-z]{5,20}")
_CODE = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z./_-]{4,64}")
_BETWEEN_CODES = re.compile(r"[\s,;]+")
_SHORTEST_NAME = 2
_SHORTEST_END = 4
_MOST_WORDS = 20
_DIGITS_OF_A_CODE = 3
"""One word with so many digits is not a name."""

_MOST_MANIFESTS = 200


def search_guides(guides: QuerySet[Guide], text: str) -> QuerySet[Guide]:
    """Return the `guides` that match `text`.

    text: a MAWB in any spelling, or its beginning; a tracking code; the beginning or the end of a HAWB; the beginning
    of a document, with or without dots and hyphen; words of a consignee's name, or their beginnings, without regard to
    accents and case; a whole e-mail or phone. Or several codes: each a tracking code, a HAWB, a MAWB or a document.
    """
    text = " ".join(text.replace("\0", "").split())
    if not text:
        return guides
    if codes := codes_in(text):
        return guides.filter(_has_one_of(codes))
    found = Q(tracking_code=text.upper()) | Q(hawb__startswith=text.upper()) | _by_mawb(text) | _by_document(text)
    return guides.filter(found | _by_end_of_hawb(text) | _by_consignee(text))


def is_broad(text: str) -> bool:
    """Return whether `text` may match a large part of all guides: words of a name, or the beginning of a code."""
    return bool(text.strip()) and not codes_in(text) and normal_mawb(" ".join(text.split())) is None


def mawb_lookup(text: str) -> Q | None:
    """Return the condition on a manifest whose MAWB is `text` or begins with it; None when `text` cannot be a MAWB."""
    if mawb := normal_mawb(text):
        return Q(mawb=mawb)
    if start := _MAWB_START.fullmatch(text):
        return Q(mawb__startswith=f"{start[1]}-{start[2].replace(' ', '')}")
    return None


def codes_in(text: str) -> Sequence[str]:
    """Return the codes of a pasted list, in upper case and each once; empty if `text` is not a list of codes.

    A list has at least two words with a digit in them, such as a column copied from a workbook; its other words, such
    as the column's heading, are skipped. At most `MOST_CODES` are returned.
    """
    text = text.replace("\0", "").strip()
    if mawb_lookup(" ".join(text.split())) is not None or is_phone(text):
        return ()
    codes = dict.fromkeys(word.upper() for word in _BETWEEN_CODES.split(text) if _CODE.fullmatch(word))
    return list(codes)[:MOST_CODES] if len(codes) > 1 else ()


def codes_of(guide: Guide) -> set[str]:
    """Return what `codes_in` may contain for this guide. Its manifest must be loaded."""
    document = guide.consignee_document.upper()
    mawb = guide.manifest.mawb
    return {guide.tracking_code, guide.hawb, mawb, mawb.replace("-", ""), document, document.replace("-", "")}


def guides_of_codes(guides: QuerySet[Guide], codes: Sequence[str]) -> tuple[QuerySet[Guide], list[str]]:
    """Return those of `guides` that have one of the codes of `codes_in`, and the codes that none of them has."""
    found = guides.filter(_has_one_of(codes)).select_related("manifest")
    fields = ("tracking_code", "hawb", "consignee_document", "manifest__mawb")
    known = {code for guide in found.only(*fields).order_by() for code in codes_of(guide)}
    return found, [code for code in codes if known.isdisjoint({code, code.replace(".", "")})]


def _has_one_of(codes: Sequence[str]) -> Q:
    mawbs = [mawb for code in codes if (mawb := normal_mawb(code))]
    documents = {spelling for code in codes for spelling in _documents(code)}
    found = Q(tracking_code__in=codes) | Q(hawb__in=codes)
    if documents:
        found |= Q(consignee_document__in=sorted(documents))
    if mawbs:
        found |= Q(manifest__in=list(Manifest.objects.filter(mawb__in=mawbs).order_by().values_list("pk", flat=True)))
    return found


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
    words = searched_words(text)[:_MOST_WORDS]
    return Q(HasWords(words)) if any(len(word) >= _SHORTEST_NAME for word, _is_whole in words) else Q()
