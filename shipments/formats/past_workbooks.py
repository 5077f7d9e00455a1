"""A company's newest stored workbooks, read by a format, beside what was ingested from them."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from companies.errors import DomainError, TemporarilyUnavailable
from companies.models import Company
from shipments.errors import ParserBusy
from shipments.files.storage import file_store
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.mapped.reading import format_changed, read_by, survey_by
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.spec import FormatInUse, FormatSpec
from shipments.manifests.xlsx import opening, parse_slots
from shipments.models import Channel, FileKind, Guide, Manifest, WorkbookFormat
from shipments.models.manifests import FINDINGS

MOST_WORKBOOKS = 20
SECONDS = 20
"""No further workbook is opened after this time."""
MOST_GUIDES = 10_000
"""Larger workbooks are not read: this is for pages."""

_COMPARED = (*(each.name for each in GUIDE_FIELDS if each.in_workbook and each.name != "hawb"), "category")
_MOST_NAMED = 10


class PastResult(models.TextChoices):
    """How a format reads a workbook that was ingested before."""

    SAME = "same", _("the same")
    DIFFERS = "differs", _("guides differ")
    NOT_THIS_FORMAT = "not_this_format", _("not this format")
    UNREADABLE = "unreadable", _("refused by this format")
    TOO_LARGE = "too_large", _("too large to compare here")
    ERASED = "erased", _("deleted after the retention period")
    MISSING = "missing", _("missing from the storage")


@dataclass(frozen=True, slots=True)
class PastWorkbook:
    """A stored workbook as the format reads it.

    differing: guides that differ, or that only one of the two readings has; of them the first few `hawbs`. fields:
    guide field -> how many guides it differs in. refusal: why the format does not read it, if it says why.
    """

    manifest: Manifest
    result: PastResult
    differing: int = 0
    hawbs: tuple[str, ...] = ()
    fields: Mapping[str, int] = field(default_factory=dict)
    refusal: DomainError | None = None


def past_uploads(company: Company, country: str) -> QuerySet[Manifest]:
    """The manifests that the company uploaded as workbooks for the country."""
    return Manifest.objects.of(company).filter(country=country, channel=Channel.UPLOAD)


def past_workbooks(
    company: Company,
    spec: FormatSpec,
    *,
    form: WorkbookFormat | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Sequence[PastWorkbook], int]:
    """Read the newest `MOST_WORKBOOKS` uploads of a company for the format's country by `spec`. Returns them, newest
    first, and how many there are: more, if time ran out.

    form: only those that a version of this format has read.
    Nothing is stored and no alarm is raised. It opens no further workbook after `SECONDS`, or if all slots for reading
    are in use until then. The caller checks that the operator may see the country. Extra data is not compared, nor are
    guides whose personal data was deleted. Raises `StorageUnavailable`.
    """
    stop_at = clock() + SECONDS
    uploads = past_uploads(company, spec.country).defer(*FINDINGS)
    if form:
        uploads = uploads.filter(format_version__format=form)
    manifests = list(uploads.order_by("-created_at", "-id").prefetch_related("files")[:MOST_WORKBOOKS])
    looked_at: list[PastWorkbook] = []
    for manifest in manifests:
        left = stop_at - clock()
        if left <= 0:
            break
        try:
            looked_at.append(_look_at(manifest, spec, left))
        except ParserBusy:
            break
    return looked_at, len(manifests)


def _look_at(manifest: Manifest, spec: FormatSpec, seconds: float) -> PastWorkbook:
    file = next((file for file in manifest.files.all() if file.kind == FileKind.MANIFEST), None)
    if file is None:
        return PastWorkbook(manifest, PastResult.ERASED if manifest.files_erased_at else PastResult.MISSING)
    if manifest.total_guides > MOST_GUIDES:
        return PastWorkbook(manifest, PastResult.TOO_LARGE)
    try:
        with (
            file_store().local_copy(str(file.file.name)) as path,
            parse_slots.parse_slot(seconds),
            opening.reading(path) as book,
        ):
            found = recognise(book, [FormatInUse(0, spec.name, 0, spec)])
            if not found.full:
                changed = format_changed(found.changed[0]) if found.changed else None
                return PastWorkbook(manifest, PastResult.NOT_THIS_FORMAT, refusal=changed)
            parsed = read_by(spec, survey_by(book, found.full[0]))
    except FileNotFoundError:
        return PastWorkbook(manifest, PastResult.MISSING)
    except (ParserBusy, TemporarilyUnavailable):
        raise
    except DomainError as unread:
        return PastWorkbook(manifest, PastResult.UNREADABLE, refusal=unread)
    return _compared(manifest, parsed)


def _compared(manifest: Manifest, parsed: ParsedManifest) -> PastWorkbook:
    unseen = {guide.hawb: guide for guide in parsed.guides}
    fields: Counter[str] = Counter()
    differing: list[str] = []
    stored = Guide.objects.filter(manifest=manifest).order_by("id")
    for hawb, anonymised_at, *values in stored.values_list("hawb", "anonymised_at", *_COMPARED).iterator():
        guide = unseen.pop(hawb, None)
        if anonymised_at is not None:
            continue
        names = [
            name
            for name, value in zip(_COMPARED, values, strict=True)
            if guide is not None and (value or None) != (getattr(guide, name) or None)
        ]
        fields.update(names)
        if names or guide is None:
            differing.append(hawb)
    differing += unseen
    return PastWorkbook(
        manifest,
        PastResult.DIFFERS if differing else PastResult.SAME,
        differing=len(differing),
        hawbs=tuple(differing[:_MOST_NAMED]),
        fields=dict(fields),
    )
