"""Texts and bodies beside a person's guides that speak of the person: the same search answers and erases.

What another guide says of its own consignee, and what is logged and reported of it, is that guide's: it is erased with
it, and by age.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import unquote_plus
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from base.admin.activity import decode_params, with_params
from base.models import SavedView
from companies.models import Company
from shipments.carriers.forgetting import body_text, body_words, texts_in
from shipments.models import (
    Action,
    BulkMove,
    Carrier,
    CarrierCode,
    CarrierEvent,
    CarrierReceipt,
    Guide,
    GuideEvent,
    IdempotencyKey,
    InboundBatch,
    InboundScan,
    Layout,
    LayoutAnswer,
    Manifest,
    ManifestFile,
    Note,
    RefusedRequest,
    UploadJob,
)
from shipments.privacy.terms import Terms, without
from shipments.tracking.changes import lock_manifests, write_change
from webhooks.models.delivery import forget_texts


class Place(NamedTuple):
    """Columns of a model whose rows may speak of a person.

    texts: erased if they name the person, or if a column of `codes` has a code of the person's guides. others: erased
    only if they say who the person is: they may well hold a code. at: when the row was written.
    whose: label and path of whose it is. of: the lookup of the company, the carrier or the country, which decides
    whether the row may be of a country; empty for what operators do.
    is_deleted: whether the whole row goes. beside: further columns that are set then.
    """

    name: str
    rows: QuerySet[Any]
    at: str
    texts: Sequence[str] = ()
    others: Sequence[str] = ()
    codes: Sequence[str] = ()
    whose: tuple[str, str] = ("", "")
    of: str = ""
    is_deleted: bool = False
    beside: Mapping[str, object] = {}


_COMPANY, _CARRIER = ("company", "company.name"), ("carrier", "carrier.name")


def places(
    manifest_ids: Collection[UUID], guide_ids: Collection[int], keeping: Collection[int] = ()
) -> Sequence[Place]:
    """Return where to look beside the person's guides. manifest_ids: their manifests. keeping: guides elsewhere whose
    extra data may name the person.

    The other guides of these manifests are looked through too, and what these manifests quote of their workbooks.
    """
    of_a_guide = Q(content_type=ContentType.objects.get_for_model(Guide), object_id__isnull=False)
    noted = Q(internal_note__gt="") | Q(client_note__gt="") | Q(withdrawn_reason__gt="")
    events = GuideEvent.objects.filter(noted, guide__manifest__in=manifest_ids).exclude(guide__in=guide_ids)
    near = Q(manifest__in=manifest_ids) | Q(pk__in=keeping)
    beside = Guide.objects.filter(near, anonymised_at=None).exclude(pk__in=guide_ids)
    scans = InboundScan.objects.filter(Q(guide=None) | Q(note__gt="")).exclude(guide__in=guide_ids)
    return (
        *_sent(),
        Place(
            "file", ManifestFile.objects.exclude(manifest__in=manifest_ids), "created_at", ["original_name"],
            whose=("company", "manifest.company.name"), of="manifest__country",
        ),
        Place(
            "scan", scans, "scanned_at", ["note"], ["code"], ["code"], whose=("batch", "batch"), of="batch__country",
        ),
        Place("inbound_batch", InboundBatch.objects.exclude(note=""), "created_at", ["note"], of="country"),
        Place(
            "note", Note.objects.exclude(text="").exclude(guide__in=guide_ids), "written_at", ["text"],
            whose=("operator", "written_by"), of="manifest__country",
        ),
        Place(
            "bulk_move", BulkMove.objects.all(), "created_at", ["original_name", "event"], ["guides", "lines", "table"],
            whose=("operator", "actor"),
        ),
        Place(
            "saved_view", SavedView.objects.all(), "created_at", ["query", "name"],
            whose=("operator", "operator.username"), is_deleted=True,
        ),
        Place(
            "activity", LogEntry.objects.exclude(of_a_guide), "action_time", (), ["change_message", "object_repr"],
            whose=("operator", "user.username"),
        ),
        Place(
            "quotes", Manifest.objects.filter(pk__in=manifest_ids), "created_at", (),
            ["warnings", "notices", "columns", "kept_columns", "questions", "row_account", "void_reason"],
            whose=_COMPANY,
        ),
        Place(
            "extra_data", beside.exclude(extra_data={}), "created_at", (), ["extra_data"],
            whose=("company", "manifest.company.name"), of="manifest__country",
        ),
        Place("event", events, "recorded_at", ["internal_note", "client_note", "withdrawn_reason"]),
    )  # fmt: skip


def _sent() -> Sequence[Place]:
    """Return what clients and carriers sent."""
    return (
        Place(
            "refused_request", RefusedRequest.objects.all(), "created_at", ["headings"],
            ["about", "findings", "request_id"], whose=_COMPANY, of="company",
        ),
        Place(
            "layout", Layout.objects.select_related("company"), "last_seen_at", (),
            ["columns", "changed_columns", "questions"], whose=_COMPANY, of="country",
        ),
        Place(
            "layout_answer", LayoutAnswer.objects.select_related("layout__company"), "answered_at", (),
            ["name", "heading", "group", "key", "values", "value"], whose=("company", "layout.company.name"),
            of="layout__country", is_deleted=True,
        ),
        Place(
            "upload_job", UploadJob.objects.exclude(finished_at=None), "created_at", (),
            ["received", "flight", "error", "request_id"], whose=_COMPANY, of="company",
        ),
        Place(
            "idempotency_key", IdempotencyKey.objects.exclude(manifest=None, job=None), "expires_at", (), ["key"],
            whose=_COMPANY, of="company", is_deleted=True,
        ),
        Place(
            "carrier_event", CarrierEvent.objects.filter(guide=None), "recorded_at", ["description", "place"],
            ["external_id", "code", "folded", "hawb", "number", "tracking_code"], ["tracking_code", "hawb", "number"],
            whose=_CARRIER, of="carrier",
        ),
        Place(
            "carrier_body", CarrierReceipt.objects.exclude(body=None), "received_at", ["body"], whose=_CARRIER,
            of="carrier", beside={"held_until": None},
        ),
        Place(
            "carrier_code", CarrierCode.objects.filter(action=Action.UNKNOWN), "updated_at", (), ["code"],
            whose=_CARRIER, of="carrier", is_deleted=True,
        ),
    )  # fmt: skip


class Mention(NamedTuple):
    """A row that speaks of the person. found: column -> the texts that do; True for a body. terms: of the person."""

    place: Place
    row: Any
    found: Mapping[str, Any]
    terms: Terms

    @property
    def size(self) -> int:
        return sum(len(texts) if isinstance(texts, list) else 1 for texts in self.found.values())

    def to_json(self) -> Mapping[str, object]:
        """Return what a person is told of it."""
        label, path = self.place.whose
        whose: Any = self.row
        for name in path.split(".") if path else ():
            whose = getattr(whose, name)
        at = {"at": getattr(self.row, self.place.at)}
        return {**({label: str(whose)} if label else {}), **at, **self.found}

    def erase(self) -> None:
        """Erase the texts; the row stays, unless nothing of it would be left."""
        row, place = self.row, self.place
        if place.is_deleted:
            row.delete()
            return
        is_named = {name: self.terms.match if name in place.texts else self.terms.identify for name in self.found}
        changed = {**{name: _erase_value(row, name, is_named[name]) for name in self.found}, **place.beside}
        with transaction.atomic():
            if "client_note" in self.found:
                _forget_sent_note(row)
            type(row)._base_manager.filter(pk=row.pk).update(**changed)  # noqa: SLF001  # Django's documented name: all rows


def _forget_sent_note(event: GuideEvent) -> None:
    """Erase a note to the client from what was sent, and count a change: a GET shows it."""
    (manifest,) = lock_manifests([event.guide.manifest_id]).values()
    guide = Guide.objects.select_for_update(no_key=True).get(pk=event.guide_id)
    write_change(manifest, [guide], timezone.now())
    forget_texts(event.guide.manifest.company_id, [guide.tracking_code])


def _erase_value(row: Model, name: str, is_named: Callable[[str], bool]) -> Any:  # noqa: ANN401  # a column's value
    value = getattr(row, name)
    if isinstance(value, list | dict):
        return without(value, is_named)
    if name == "body":
        return None
    if name == "external_id":  # it still tells an event that is sent again
        return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
    if name == "change_message":
        params = decode_params(value)
        return "[]" if params is None else with_params(value, without(params, is_named))
    return "…" if name == "object_repr" else ""


def find_mentions(
    terms: Terms, places: Sequence[Place], country: str = "", before: datetime | None = None
) -> Iterator[Mention]:
    """Yield what speaks of one person in some places, by place and row.

    country: only rows that may be of it. before: only those written before.
    """
    owners: Mapping[str, Sequence[int]] = {}
    if country:
        carriers = [carrier.pk for carrier in Carrier.objects.all() if country in carrier.countries]
        owners = {"company": companies_of(country), "carrier": carriers}
    for place in places:
        rows = place.rows
        if before:
            rows = rows.filter(**{f"{place.at}__lt": before})
        if country and place.of:
            is_there = Q(**{f"{place.of}__in": owners.get(place.of, [country])})
            for name in place.codes:  # of a guide there, wherever it was scanned
                is_there |= Q(**{f"{name}__in": [*terms.codes]})
            rows = rows.filter(is_there)
        for row in rows.order_by("pk").iterator(chunk_size=500):
            if found := _find_texts(terms, place, row):
                yield Mention(place, row, found, terms)


def _find_texts(terms: Terms, place: Place, row: Any) -> Mapping[str, Any]:  # noqa: ANN401  # a row of the place's model
    is_about = any(terms.has_code(getattr(row, name)) for name in place.codes)
    found = {}
    for names, is_named in ((place.texts, terms.match), (place.others, terms.identify)):
        for name in names:
            value = getattr(row, name)
            is_whole = is_about and names is place.texts and bool(value)
            if texts := value if is_whole else _texts_that_name(name, value, is_named):
                found[name] = texts
            elif name == "body" and any(map(terms.has_code, body_words(value))):
                found[name] = True
    return found


def _texts_that_name(name: str, value: Any, is_named: Callable[[str], bool]) -> Any:  # noqa: ANN401  # a column's value; its texts
    """Return the texts of a column that name the person: a list of JSON's, the text itself, True for a body."""
    if not value:
        return None
    if isinstance(value, list | dict):
        return [text for text in texts_in(value) if is_named(text)]
    if isinstance(value, str):
        read = unquote_plus(value) if name == "query" else value
        if name == "change_message":
            read = json.dumps(decode_params(value) or value, ensure_ascii=False)
        return value if is_named(read) else None
    return is_named(body_text(value)) or None


def companies_of(country: str) -> Sequence[int]:
    """Return the companies that may ship to a country, and all couriers. country: empty for all."""
    companies = Company.objects.all()
    return [one.pk for one in companies if not country or one.is_courier or country in one.allowed_countries]


def forget_headings(before: datetime, *, dry_run: bool = False) -> int:
    """Erase the headings of requests that were refused before `before`; return how many had some.

    dry_run: only count them.
    """
    refused = RefusedRequest.objects.exclude(headings=[]).filter(created_at__lt=before)
    return refused.count() if dry_run else refused.update(headings=[])
