"""Headings of refused or changed workbooks: with refused requests, and in the alarms of workbook formats.

What looks like a person's data is not stored (`may_be_personal`), but a name does not look so, and a row of data can be
taken for headings. An alarm that names the person is deleted; the next such upload raises it again.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from companies.models import Company
from shipments.manifests.words.spelling import fold
from shipments.models import FormatAlarm, Guide, RefusedRequest
from shipments.models.uploads import OfCompanyQuerySet
from shipments.privacy.person import Documents

_TELLING = ("consignee_name", "consignee_address", "consignee_email", "consignee_phone")
_SHORTEST = 3


class PersonsHeadings:
    """The headings that name a person: by a document, or by what the person's guides say of them."""

    def __init__(self, documents: Documents, country: str = "", before: datetime | None = None) -> None:
        """country: only of companies that ship there. before: only headings stored before this time."""
        self._documents, self._country, self._before = documents, country, before
        self._values = set(_values([guide_id for _manifest_id, guide_id in documents.guides(country)]))

    def refusals(self) -> Iterator[tuple[RefusedRequest, list[str]]]:
        rows = _with_headings().select_related("company")
        if self._before:
            rows = rows.filter(created_at__lt=self._before)
        for refused in rows.order_by("pk").iterator():
            named = self._among(refused.headings) if self._ships_there(refused.company) else []
            if named:
                yield refused, named

    def alarms(self) -> Iterator[tuple[FormatAlarm, list[str]]]:
        rows = FormatAlarm.objects.select_related("format__company").order_by("pk")
        if self._before:
            rows = rows.filter(first_seen_at__lt=self._before)
        for alarm in rows.iterator():
            is_there = self._country in {"", alarm.format.country}
            if is_there and (named := self._among(alarm.headings.get("new", ()))):
                yield alarm, named

    def forget(self, *, dry_run: bool = False) -> int:
        """Erase them, and return how many. dry_run: only count them."""
        found = 0
        for refused, named in list(self.refusals()):
            found += len(named)
            if not dry_run:
                refused.headings = [text for text in refused.headings if text not in named]
                refused.save(update_fields=["headings"])
        for alarm, named in list(self.alarms()):
            found += len(named)
            if not dry_run:
                alarm.delete()
        return found

    def _ships_there(self, company: Company) -> bool:
        return not self._country or company.is_courier or self._country in company.allowed_countries

    def _among(self, headings: Iterable[str]) -> list[str]:
        return [text for text in headings if self._documents.occur_in(text) or self._is_named(text)]

    def _is_named(self, text: str) -> bool:
        words = set(fold(text))
        return any(value <= words for value in self._values)


def forget_headings(before: datetime, *, dry_run: bool = False) -> int:
    """Erase the headings of requests that were refused before `before`, and the alarms not seen since.

    Returns how many requests and alarms had some. dry_run: only count them.
    """
    refused = _with_headings().filter(created_at__lt=before)
    alarms = FormatAlarm.objects.filter(last_seen_at__lt=before)
    if dry_run:
        return refused.count() + alarms.count()
    return refused.update(headings=[]) + alarms.delete()[0]


def _with_headings() -> OfCompanyQuerySet[RefusedRequest]:
    return RefusedRequest.objects.exclude(headings=[])


def _values(guide_ids: list[int]) -> Iterator[frozenset[str]]:
    for row in Guide.objects.filter(pk__in=guide_ids).order_by().values_list(*_TELLING):
        for words in map(fold, filter(None, row)):
            if sum(map(len, words)) >= _SHORTEST:
                yield frozenset(words)
