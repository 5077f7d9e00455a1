"""Erasing a person, with a receipt: begun at once, and gone on with until nothing that was accepted before is left.

An erasure is a row (`Erasure`). While it is unfinished it holds, sealed, whom it is about. A run goes through
everything stored; it ends the erasure unless uploads that were accepted before it are still unread: then the worker
runs it once more after them. The worker also goes on with one whose process died. A run repeats nothing that is done,
and one that another has taken over writes no further: it would seal again whom a finished erasure is about.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import structlog
from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from base import encryption
from base.db.thread import LOST
from base.work import HoldLostError, hold
from companies.passwords import digest_with_pepper
from shipments.files.stored_files import delete_stored
from shipments.models import Erasure, Guide, Manifest, UploadJob
from shipments.privacy import erasures_file
from shipments.privacy.anonymise import Tally, anonymise_guides, count_guides
from shipments.privacy.drafts import drafts_naming, end
from shipments.privacy.mentions import Mention, companies_of, find_mentions, places
from shipments.privacy.person import Documents, Person
from shipments.privacy.terms import Terms, terms_of
from shipments.tracking.forgetting import forget_notes

log = structlog.get_logger(__name__)

HELD_FOR = timedelta(minutes=2)
"""Longer than any batch takes: an older hold is of a process that died."""
OVERDUE_AFTER = timedelta(days=7)


def mentions_of(person: Person, guides: Iterable[tuple[UUID, int]], terms: Terms) -> Iterator[Mention]:
    """Return what beside the guides speaks of the person. terms: what names the person."""
    pairs = list(guides)
    ids = [guide_id for _manifest_id, guide_id in pairs]
    keeping = list(person.documents.keeping().values_list("pk", flat=True))
    where = places({manifest_id for manifest_id, _guide_id in pairs}, ids, keeping)
    return find_mentions(terms, where, person.country, person.before)


def by_company(person: Person) -> Iterable[Mapping[str, object]]:
    """Return `company`, `guides` and `manifests` of each company with guides of the person, by name."""
    keys = [guide_id for _manifest_id, guide_id in person.guides()]
    companies = Guide.objects.filter(pk__in=keys).values(name=F("company__name")).order_by("name")
    counted = companies.annotate(guides=Count("pk"), manifests=Count("manifest", distinct=True))
    return [{"company": each["name"], "guides": each["guides"], "manifests": each["manifests"]} for each in counted]


def count_person(person: Person) -> Tally:
    """Count what `erase_person` would erase: also `headings`, `mentions`, and `ended` drafts."""
    guides = person.guides()
    terms = terms_of(person.documents.numbers, [guide_id for _manifest_id, guide_id in guides])
    tally = count_guides(guides)
    for mention in mentions_of(person, guides, terms):
        tally[_kind(mention)] += mention.size
    tally["ended"] = sum(1 for _draft in drafts_naming(terms, person.country, person.before or timezone.now()))
    return tally


def erase_person(person: Person, *, reference: str, actor: str, operator: User | None = None) -> tuple[Erasure, Tally]:
    """Erase a person's data. Return the receipt, and what the first run erased.

    Without `finished_at` the worker runs it once more, after the uploads that wait to be read.
    """
    receipt = Erasure(
        reference=reference,
        country=person.country,
        operator=operator,
        actor=actor,
        digest=digest_with_pepper("person", person.documents.key).hex(),
        token=uuid4(),
        held_until=timezone.now() + HELD_FOR,
    )
    ids = [guide_id for _manifest_id, guide_id in person.guides()]
    receipt.sealed_person = _seal(person, terms_of(person.documents.numbers, ids), [])
    receipt.save(force_insert=True)
    try:
        return receipt, _Run(receipt).run()
    except HoldLostError:  # the worker goes on
        receipt.refresh_from_db()
        return receipt, Tally(guides=receipt.guides, manifests=receipt.manifests, files=receipt.files)


def unread_uploads(receipt: Erasure) -> QuerySet[UploadJob]:
    """Return the uploads that were accepted before an erasure, may name the person, and are not read yet."""
    jobs = UploadJob.objects.unfinished().filter(created_at__lte=receipt.created_at)
    return jobs.filter(company__in=companies_of(receipt.country))


def go_on() -> bool:
    """Run the oldest erasure that waits for nothing. Returns whether there may be more."""
    waiting = Erasure.objects.claimable(timezone.now())
    for receipt in waiting:
        if (receipt.erased_at and unread_uploads(receipt).exists()) or not hold(receipt, waiting, HELD_FOR):
            continue
        try:
            _Run(receipt).run()
        except HoldLostError:
            log.warning("erasure_taken_over", erasure=receipt.pk)
        except LOST:
            raise
        except Exception:  # such as a key that was lost: an alarm after seven days
            log.exception("erasure_broken", erasure=receipt.pk)
            continue
        return True
    return False


def _kind(mention: Mention) -> str:
    return "headings" if mention.place.name == "refused_request" else "mentions"


def _seal(person: Person, terms: Terms, files: Sequence[str]) -> str:
    whom = {
        "documents": person.documents.numbers,
        "guides": [*person.ticked],
        "before": person.before.isoformat() if person.before else None,
        "terms": terms.to_json(),
        "files": files,
    }
    return encryption.seal(json.dumps(whom))


class _Run:
    """One run of an erasure. files: names of files whose rows are gone, to be deleted."""

    def __init__(self, receipt: Erasure) -> None:
        """Raise `SecretUnreadable` if no field key opens whom it is about."""
        whom = json.loads(encryption.unseal(receipt.sealed_person))
        self._receipt = receipt
        before = datetime.fromisoformat(whom["before"]) if whom["before"] else None
        self._person = Person(Documents(whom["documents"]), receipt.country, whom["guides"], before)
        self._terms = Terms(**whom["terms"])
        self._files: list[str] = whom["files"]

    def run(self) -> Tally:
        is_last = not unread_uploads(self._receipt).exists()
        delete_stored(self._files)
        guides = self._find_accepted()
        ids = [guide_id for _manifest_id, guide_id in guides]
        # Sealed before anything is blanked: afterwards the guides say nothing, and what names the person is lost.
        self._terms |= terms_of(self._person.documents.numbers, ids)
        self._keep()
        drafts = list(drafts_naming(self._terms, self._person.country, self._person.before or self._receipt.created_at))
        if ended := [draft for draft in map(end, drafts) if draft]:
            self._receipt.drafts = [*self._receipt.drafts, *ended]
            self._keep(drafts=self._receipt.drafts)
        tally = Tally(ended=len(ended))
        for mention in list(mentions_of(self._person, guides, self._terms)):
            mention.erase()
            tally[_kind(mention)] += mention.size
        tally["mentions"] += forget_notes(ids)
        self._keep(headings=F("headings") + tally["headings"], mentions=F("mentions") + tally["mentions"])
        tally += anonymise_guides(guides, is_theirs=self._person.has, in_batch=self._count)
        counted: dict[str, Any] = {"manifests": F("manifests") + tally["manifests"], "token": None, "held_until": None}
        now = timezone.now()
        if is_last:
            try:
                erasures_file.append(self._receipt, now)
                counted |= {"finished_at": now, "sealed_person": ""}
            except OSError:  # not finished: the worker tries again, and the alarm says so after seven days
                log.exception("erasure_not_recorded", erasure=self._receipt.pk)
                is_last, counted["held_until"] = False, now + HELD_FOR
        self._keep(**counted, erased_at=now)
        self._receipt.refresh_from_db()
        log.info("person_erased", erasure=self._receipt.pk, guides=tally["guides"], is_finished=is_last)
        return tally

    def _find_accepted(self) -> list[tuple[UUID, int]]:
        """Return the person's guides without those that arrived after the request: they may be a new purchase."""
        found = self._person.guides()
        begun = self._receipt.created_at
        keys = {manifest_id for manifest_id, _guide_id in found}
        jobs = UploadJob.objects.filter(created_at__lte=begun, manifest__in=keys).values("manifest")
        accepted = Q(created_at__lte=begun) | Q(pk__in=jobs)
        kept = set(Manifest.objects.filter(accepted, pk__in=keys).values_list("pk", flat=True))
        return [(manifest_id, guide_id) for manifest_id, guide_id in found if manifest_id in kept]

    def _count(self, tally: Tally, names: Sequence[str]) -> None:
        """Keep what a batch erased, in its transaction."""
        self._files += names
        self._keep(guides=F("guides") + tally["guides"], files=F("files") + tally["files"])

    def _keep(self, **columns: Any) -> None:  # noqa: ANN401  # of the receipt
        """Write columns of the receipt, and hold it on: what is sealed changes with the guides that are found.

        Raises `HoldLostError` if another run holds it by now.
        """
        sealed = _seal(self._person, self._terms, self._files)
        written = {"sealed_person": sealed, "held_until": timezone.now() + HELD_FOR, **columns}
        if not Erasure.objects.filter(pk=self._receipt.pk, token=self._receipt.token).update(**written):
            raise HoldLostError
