"""*To do*: what waits for a decision of an operator, one line and one button each.

`SOURCES` is the one place where a kind of line is added: a permission, and a function that yields `Entry` from what the
operator may see.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext

from base.admin.confirmed_action import Grouped
from base.db.moments import in_words
from base.models import Bucket
from companies.limits.bucket import COMPANY, rate_of
from companies.mail import outbox
from companies.models import Company, Mail
from companies.models.mails import IN_TROUBLE
from companies.operators.local_passwords import break_glass_uses
from companies.scope import scope_of
from prealerts.dashboard.figures import COUNTED, count_capped, list_of
from shipments.admin.refused_requests import headings_in_words
from shipments.carriers.guides import judge
from shipments.models import (
    Action,
    BulkMove,
    Carrier,
    CarrierClaim,
    CarrierCode,
    CarrierEvent,
    CarrierNumber,
    Erasure,
    EventOutcome,
    Guide,
    InboundBatch,
    JobState,
    Layout,
    Manifest,
    RefusedRequest,
    UploadJob,
)
from shipments.models.carriers import AMBIGUOUS, DELIVERED_AFTER_END, PARKED_FOR
from shipments.models.inbound import BatchState
from shipments.models.uploads import SUBMISSIONS
from shipments.privacy.erasing import OVERDUE_AFTER
from shipments.statuses import FINAL, GuideStatus
from shipments.wording.refusals import ANY, REFUSALS
from shipments.work import chores
from webhooks.admin.advice import advice
from webhooks.models import Delivery, Subscription
from webhooks.replays import to_send_again

BREAK_GLASS_SHOWN = timedelta(days=7)
"""How long a login with the account for emergencies is shown."""
LISTED = 5
"""The most entries of a kind."""
SHOWN = 8
"""The entries in sight; the others are folded."""
LONG_WAIT = timedelta(minutes=2)
"""A worker takes a job within seconds, unless all places for reading workbooks are taken. The alert uses the same."""
FAILING_FOR = timedelta(hours=1)
FAILURES_IN_A_ROW = 20
"""A busy endpoint fails this often long before the hour is over. The dispatcher uses the same number."""
DISABLED_WITHIN = timedelta(days=7)
"""How long a disabled endpoint stays on the page, unless it is enabled or deleted: over a week's holidays."""
REFUSED_WITHIN, LIMITED_WITHIN = timedelta(days=7), timedelta(days=1)
_OF_NO_MANIFEST = ("idempotency_in_progress", "rate_limited")
"""Codes after which the client's program sends the same again."""
_MOST_COMPANIES, _MOST_LAYOUTS = 100, 200
STOPPED_WITHIN = timedelta(days=1)
"""How long a stopped move is shown: as long as its results by guide are kept."""
MOST_CLAIMS = 20
"""Claims of a company in a day to numbers that others have. More are no mistakes of typing."""
CLAIMED_WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Entry:
    """What waits, and the one button that leads on.

    who: the company, the carrier or the place it is about. text: what is wrong, in a line. count: how many things it
    stands for. is_urgent: something has stopped.
    """

    icon: str
    who: str
    text: str
    link: str
    button: str | Promise
    count: int = 1
    is_urgent: bool = False


def waiting_jobs(user: User, now: datetime) -> Iterator[Entry]:
    """Yield one line about the uploads that no worker reads, if the oldest has waited for more than two minutes."""
    waiting = UploadJob.objects.visible_to(user).claimable(now)
    oldest_at = waiting.values_list("created_at", flat=True).first()
    if oldest_at is None or oldest_at > now - LONG_WAIT:
        return
    found = count_capped(waiting)
    text = ngettext(
        "%(count)s upload has been waiting to be read for %(age)s: the worker has probably stopped. Nothing is lost.",
        "%(count)s uploads wait to be read, the oldest for %(age)s: the worker has probably stopped. Nothing is lost.",
        found.count,
    ) % {"count": found, "age": timesince(oldest_at, now)}
    link = list_of("uploadjob", state__exact=JobState.QUEUED.value)
    yield Entry(
        "hourglass_top", gettext("Upload jobs"), text, link, gettext("Open the list"), found.count, is_urgent=True
    )


def failing_webhooks(user: User, now: datetime) -> Iterator[Entry]:
    """Yield the active endpoints that have failed for `FAILING_FOR`, or `FAILURES_IN_A_ROW` times, without a success
    since: their clients may not notice. The button sends what waits, for those who may.
    """
    failing = Subscription.objects.visible_to(user).unreached(now - FAILING_FOR, FAILURES_IN_A_ROW)
    found = list(failing.select_related("company").order_by("pk")[: LISTED + 1])
    by_subscription = to_send_again(*found)[0].values_list("subscription").order_by().annotate(rows=Count("pk"))
    waiting = dict(by_subscription) if found else {}
    for subscription in found[:LISTED]:
        last, rows = Delivery.objects.last_failure_of(subscription), waiting.get(subscription.pk, 0)
        texts = [gettext("Nothing arrives at %s.") % subscription.shown_url]
        if last:
            texts.append(advice(last) or last.reason)
        if rows:
            texts.append(ngettext("%s delivery waits.", "%s deliveries wait.", rows) % Grouped(rows))
        is_sent = rows and user.has_perm("webhooks.change_subscription")
        link = reverse(f"admin:webhooks_subscription_{'send_again' if is_sent else 'change'}", args=[subscription.pk])
        button = gettext("Send again") if is_sent else gettext("Open the endpoint")
        yield Entry("warning", subscription.company.name, " ".join(texts), link, button, rows or 1, is_urgent=True)
    if len(found) > LISTED:
        link = reverse("admin:webhooks_subscription_changelist", query={"is_active__exact": 1})
        yield Entry("warning", gettext("Webhooks"), gettext("More endpoints fail."), link, gettext("Open the list"))


def disabled_webhooks(user: User, now: datetime, **which: str) -> Iterator[Entry]:
    """Yield the endpoints that the dispatcher disabled in the last days, newest first. which: lookups of some."""
    seen = Subscription.objects.visible_to(user).filter(**which)
    disabled = seen.disabled_since(now - DISABLED_WITHIN).order_by("-disabled_at")
    for subscription in disabled.select_related("company")[:LISTED]:
        text = gettext("%(url)s was disabled on %(when)s: %(reason)s.") % {
            "url": subscription.shown_url,
            "when": in_words(timezone.localtime(subscription.disabled_at)),
            "reason": subscription.get_disabled_reason_display(),
        }
        link = reverse("admin:webhooks_subscription_change", args=[subscription.pk])
        yield Entry("block", subscription.company.name, text, link, gettext("Open the endpoint"), is_urgent=True)


def refused_uploads(user: User, now: datetime, *, has_headings: bool = True) -> Iterator[Entry]:
    """Yield the companies with manifests that were refused and not sent again with success since, the latest refusal
    first: otherwise the client is the first to ask.

    has_headings: whether a line quotes the workbook, where a person's name may stand for a heading.
    """
    recent = submissions(RefusedRequest.objects.filter(created_at__gte=now - REFUSED_WITHIN))
    accepted = Manifest.objects.filter(posted_by=OuterRef("pk")).order_by("-created_at").values("created_at")[:1]
    companies = Company.objects.managed_by(user).filter(Exists(recent.filter(company=OuterRef("pk"))))
    since = companies.order_by().annotate(accepted_at=Subquery(accepted)).values_list("pk", "accepted_at")
    later = [Q(company=key, **({"created_at__gt": when} if when else {})) for key, when in since[:_MOST_COMPANIES]]
    if not later:
        return
    found = recent.filter(reduce(or_, later)).order_by().values_list("company")
    latest = list(found.annotate(rows=Count("pk"), last=Max("pk")).order_by("-last")[:LISTED])
    rows = RefusedRequest.objects.select_related("company").in_bulk([last for _company, _count, last in latest])
    for _company, count, key in latest:
        if last := rows.get(key):
            quoted = headings_in_words(last) if has_headings else ""
            what = f"{REFUSALS.get(last.code, ANY).what} {quoted}".strip()
            refused = ngettext("%s upload refused", "%s uploads refused", count) % Grouped(count)
            link = reverse("admin:shipments_refusedrequest_change", args=[key])
            yield Entry("block", last.company.name, f"{refused}: {what}", link, gettext("What to answer"), count)


def submissions(refused: QuerySet[RefusedRequest]) -> QuerySet[RefusedRequest]:
    """Return those of manifests that the client's program does not simply send again."""
    return refused.filter(endpoint__in=SUBMISSIONS).exclude(code__in=_OF_NO_MANIFEST)


def layouts_to_answer(user: User, _now: datetime) -> Iterator[Entry]:
    """Yield a line for each company: how many layouts are new or changed, and how many questions they have.

    A single layout is led to, several to their list.
    """
    found: dict[str, dict[str, Any]] = {}
    waiting = Layout.objects.visible_to(user).waiting().select_related("company").order_by("-last_seen_at")
    for layout in waiting[:_MOST_LAYOUTS]:
        line = found.setdefault(layout.company.client_code, {"one": layout, "new": 0, "changed": 0, "questions": 0})
        line["changed" if layout.changed_columns else "new"] += 1
        line["questions"] += len(layout.questions)
    for code, line in found.items():
        phrases = (
            ngettext("%d new layout", "%d new layouts", line["new"]),
            ngettext("%d changed layout", "%d changed layouts", line["changed"]),
            ngettext("%d question", "%d questions", line["questions"]),
        )
        numbers = (line["new"], line["changed"], line["questions"])
        text = ", ".join(phrase % number for phrase, number in zip(phrases, numbers, strict=True) if number)
        link, count = list_of("layout", company=code, state="waiting"), line["new"] + line["changed"]
        if count == 1:
            link = reverse("admin:shipments_layout_change", args=[line["one"].pk])
        yield Entry("view_column", line["one"].company.name, text, link, gettext("Say what its columns are"), count)


def codes_without_meaning(user: User, _now: datetime) -> Iterator[Entry]:
    """Yield the carriers with codes that nobody has given a meaning and that events wait for."""
    unknown = CarrierCode.objects.visible_to(user).to_explain().order_by()
    by_carrier = unknown.values_list("carrier__name").annotate(codes=Count("pk"), one=Max("pk"))
    for name, codes, one in by_carrier.order_by("-codes", "carrier__name")[:LISTED]:
        text = ngettext("%s code without a meaning", "%s codes without a meaning", codes) % Grouped(codes)
        link = list_of("carriercode", action__exact=Action.UNKNOWN.value, q=name)
        if codes == 1:
            page = "choose_meaning" if user.has_perm("shipments.change_carriercode") else "change"
            link = reverse(f"admin:shipments_carriercode_{page}", args=[one])
        yield Entry("rule", name, text, link, gettext("Say what they mean"), codes)


def open_batches(user: User, now: datetime) -> Iterator[Entry]:
    batches = InboundBatch.objects.visible_to(user).filter(state=BatchState.OPEN)
    for batch in batches.annotate(mawbs=Count("manifests")).order_by("created_at")[:LISTED]:
        text = ngettext(
            "Receiving has been open for %(time)s: %(count)s MAWB",
            "Receiving has been open for %(time)s: %(count)s MAWBs",
            batch.mawbs,
        ) % {"time": timesince(batch.created_at, now, depth=1), "count": Grouped(batch.mawbs)}
        link = reverse("admin:shipments_inboundbatch_change", args=[batch.pk])
        yield Entry("barcode_scanner", batch.facility, text, link, gettext("Open the batch"))


def moves_to_confirm(user: User, _now: datetime) -> Iterator[Entry]:
    for move in BulkMove.objects.visible_to(user).waiting().defer("guides", "lines").order_by("created_at")[:LISTED]:
        text = gettext("%(what)s, by %(who)s at %(when)s: not confirmed yet") % {
            "what": ngettext("%s guide or row", "%s guides or rows", move.total) % Grouped(move.total),
            "who": move.actor,
            "when": in_words(timezone.localtime(move.created_at)),
        }
        link = reverse("admin:shipments_bulkmove_change", args=[move.pk])
        yield Entry("pending_actions", move.get_kind_display(), text, link, gettext("Review and confirm"))


def stopped_moves(user: User, now: datetime) -> Iterator[Entry]:
    stopped = BulkMove.objects.visible_to(user).stopped_since(now - STOPPED_WITHIN)
    for move in stopped.defer("guides", "lines").order_by("-finished_at")[:LISTED]:
        numbers = {"done": Grouped(move.done), "total": Grouped(move.total), "who": move.actor}
        text = gettext("stopped after %(done)s of %(total)s, of %(who)s; moving the same guides again does the rest")
        link = reverse("admin:shipments_bulkmove_change", args=[move.pk])
        yield Entry("front_hand", move.get_kind_display(), text % numbers, link, gettext("See what was moved"))


def silent_carriers(user: User, now: datetime) -> Iterator[Entry]:
    for carrier in Carrier.objects.managed_by(user).silent(now)[:LISTED]:
        last: datetime | None = carrier.last  # type: ignore[attr-defined]  # annotated by `silent`
        text = gettext("has sent nothing yet")
        if last:
            text = gettext("has sent nothing for %(time)s") % {"time": timesince(last, now, depth=1)}
        link = reverse("admin:shipments_carrier_change", args=[carrier.pk])
        yield Entry("wifi_off", carrier.name, text, link, gettext("Open the carrier"))


def doubtful_events(user: User, _now: datetime) -> Iterator[Entry]:
    """Yield the carriers' events that are parked because several guides may be meant, the latest first.

    One line for what names the same, with the companies whose guides it may be. An operator who sees the event sees all
    countries of its carrier, and so these companies.
    """
    parked = CarrierEvent.objects.visible_to(user).parked().filter(error=AMBIGUOUS).order_by("-id")[:COUNTED]
    counts: dict[tuple[Any, ...], list[int]] = {}
    for key, *named in parked.values_list("pk", "carrier_id", "number", "hawb", "mawb"):
        counts.setdefault(tuple(named), []).append(key)
    shown = dict(list(counts.items())[:LISTED])
    latest = CarrierEvent.objects.select_related("carrier").in_bulk([keys[0] for keys in shown.values()])
    yield from (_doubt(latest[keys[0]], len(keys)) for keys in shown.values() if keys[0] in latest)


def _doubt(event: CarrierEvent, count: int) -> Entry:
    (verdict,) = judge(event.carrier, [event])
    concerned = {guide.company_id for guide in verdict.guides if guide.is_found}
    if event.mawb:
        announced = Manifest.objects.filter(mawb=event.mawb, country__in=event.carrier.countries, voided_at=None)
        concerned |= set(announced.values_list("company_id", flat=True)[:LISTED])
    companies = Company.objects.filter(pk__in=concerned).order_by("name").values_list("name", flat=True)
    text = ngettext(
        "%(named)s: %(count)s event that may be about several guides. Companies: %(companies)s.",
        "%(named)s: %(count)s events that may be about several guides. Companies: %(companies)s.",
        count,
    ) % {
        "named": " · ".join(name for name in (event.number, event.hawb, event.mawb) if name),
        "count": Grouped(count),
        "companies": ", ".join(companies[:LISTED]),
    }
    link = reverse("admin:shipments_carrierevent_change", args=[event.pk])
    return Entry("help_center", str(event.carrier), text, link, gettext("Decide"), count)


def contradictions(user: User, now: datetime) -> Iterator[Entry]:
    """Yield the guides that a carrier delivered and that ended otherwise here, the latest event first."""
    recent = CarrierEvent.objects.visible_to(user).filter(error=DELIVERED_AFTER_END, recorded_at__gte=now - PARKED_FOR)
    still = recent.filter(guide__status__in=set(FINAL) - {GuideStatus.DELIVERED}).order_by("-id")
    for event in still.select_related("carrier", "guide__manifest__company")[:LISTED]:
        guide: Any = event.guide
        text = gettext("%(guide)s of %(company)s: delivered on %(when)s, the carrier says; here it is: %(status)s") % {
            "guide": guide,
            "company": guide.manifest.company.name,
            "when": in_words(timezone.localtime(event.occurred_at)),
            "status": guide.get_status_display(),
        }
        link = reverse("admin:shipments_guide_change", args=[guide.pk])
        yield Entry("help_center", str(event.carrier), text, link, gettext("Open the guide"))


def busy_claimants(user: User, now: datetime) -> Iterator[Entry]:
    """Yield the companies that claimed many carriers' numbers in the last day that others have, too."""
    companies = Company.objects.managed_by(user).order_by()
    others = CarrierClaim.objects.filter(number=OuterRef("number")).exclude(company=OuterRef("company"))
    bound = CarrierNumber.objects.filter(pk=OuterRef("number"), guide__isnull=False)
    theirs = bound.exclude(guide__manifest__company=OuterRef("company"))
    recent = CarrierClaim.objects.filter(created_at__gte=now - CLAIMED_WITHIN, company__in=companies)
    contested = recent.filter(Exists(others) | Exists(theirs)).order_by().values_list("company", "company__name")
    busy = contested.annotate(rows=Count("number", distinct=True)).filter(rows__gt=MOST_CLAIMS)
    for key, name, rows in busy.order_by("-rows")[:LISTED]:
        text = gettext("claimed %s carriers' numbers in the last day that other companies have.") % Grouped(rows)
        link = reverse("admin:companies_company_change", args=[key])
        yield Entry("help_center", name, text, link, gettext("Open the company"), rows)


def retentions(user: User, _now: datetime) -> Iterator[Entry]:
    if found := count_capped(Guide.objects.visible_to(user).to_release()):
        text = ngettext("%s guide waits for its release", "%s guides wait for their release", found.count) % found
        link = list_of("guide", work="retention")
        yield Entry("gavel", gettext("Under retention"), text, link, gettext("Open the list"), found.count)


def expired_events(user: User, _now: datetime) -> Iterator[Entry]:
    if found := count_capped(CarrierEvent.objects.visible_to(user).expired()):
        text = ngettext(
            "%s event, whose guide did not arrive within two weeks",
            "%s events, whose guides did not arrive within two weeks",
            found.count,
        )
        who = gettext("Carriers' events without a guide")
        link = list_of("carrierevent", outcome__exact=EventOutcome.EXPIRED.value)
        yield Entry("link_off", who, text % found, link, gettext("Open the list"), found.count)


def overdue_erasures(user: User, now: datetime) -> Iterator[Entry]:
    if found := count_capped(Erasure.objects.visible_to(user).unfinished().filter(created_at__lt=now - OVERDUE_AFTER)):
        who = gettext("Erasures that do not end")
        text = gettext("%s unfinished for a week or more: the receipts say what they wait for") % found
        yield Entry("person_off", who, text, list_of("erasure"), gettext("Open the list"), found.count)


def break_glass_logins(user: User, now: datetime) -> Iterator[Entry]:
    if not settings.BREAK_GLASS_USER or not scope_of(user).is_everywhere:
        return
    last = break_glass_uses(now - BREAK_GLASS_SHOWN).first()
    if last is not None:
        yield Entry(
            "front_hand",
            settings.BREAK_GLASS_USER,
            gettext("somebody logged in with the account for emergencies at %s")
            % in_words(timezone.localtime(last.action_time)),
            reverse("admin:admin_logentry_changelist", query={"q": settings.BREAK_GLASS_USER}),
            gettext("Open the activity log"),
            is_urgent=True,
        )


def refused_by_limits(user: User, now: datetime) -> Iterator[Entry]:
    """Yield the companies that were refused by their rate limits in the last day."""
    recently = (now - LIMITED_WITHIN).timestamp()
    buckets = {int(one.key): one for one in Bucket.objects.filter(kind=COMPANY.name, refused_at__gt=recently)}
    refused = [(buckets[company.pk], company) for company in Company.objects.managed_by(user).filter(pk__in=buckets)]
    for bucket, company in sorted(refused, key=lambda pair: -pair[0].refused)[:LISTED]:
        last = in_words(timezone.localtime(datetime.fromtimestamp(bucket.refused_at, UTC)))
        text = ngettext(
            "%(count)s request refused by its rate limit of %(rate)s a second, at %(last)s",
            "%(count)s requests refused by its rate limit of %(rate)s a second, the last at %(last)s",
            bucket.refused,
        ) % {"count": Grouped(bucket.refused), "rate": rate_of(company), "last": last}
        link = reverse("admin:companies_company_change", args=[company.pk])
        yield Entry("speed", company.name, text, link, gettext("Open the company"), bucket.refused)


def overdue_chores(user: User, now: datetime) -> Iterator[Entry]:
    if not scope_of(user).is_everywhere:
        return
    for chore in chores.overdue(now)[:LISTED]:
        text = gettext("not done for %s: is the worker running?") % timesince(chore.waits_since, now, depth=1)
        if chore.failures and chore.outcome:
            text = gettext("not done for %(time)s. The last attempt ended with: %(outcome)s") % {
                "time": timesince(chore.waits_since, now, depth=1),
                "outcome": Truncator(chore.outcome).chars(120),
            }
        title, link = str(chores.TASKS[chore.name].title), list_of("chore")
        yield Entry("handyman", title, text, link, gettext("Open the list"), is_urgent=True)


def mails_in_trouble(user: User, _now: datetime) -> Iterator[Entry]:
    """Yield one line about the mails that the server has not taken, for administrators."""
    if not outbox.is_on() or not scope_of(user).is_everywhere:
        return
    if count := Mail.objects.in_trouble().count():
        text = ngettext("%s mail was not accepted by the server", "%s mails were not accepted by the server", count)
        link = reverse("admin:companies_mail_changelist", query={"state__exact": IN_TROUBLE})
        yield Entry("outgoing_mail", gettext("Mails"), text % Grouped(count), link, gettext("Open the list"), count)


Source = Callable[[User, datetime], Iterator[Entry]]
SOURCES: Sequence[tuple[str, Source]] = (
    ("admin.view_logentry", break_glass_logins),
    ("shipments.view_uploadjob", waiting_jobs),
    ("webhooks.view_subscription", failing_webhooks),
    ("webhooks.view_subscription", disabled_webhooks),
    ("shipments.view_refusedrequest", refused_uploads),
    ("shipments.view_layout", layouts_to_answer),
    ("shipments.view_carriercode", codes_without_meaning),
    ("shipments.view_inboundbatch", open_batches),
    ("shipments.change_guide", moves_to_confirm),
    ("shipments.change_guide", stopped_moves),
    ("shipments.view_carrier", silent_carriers),
    ("shipments.view_carrierevent", doubtful_events),
    ("shipments.view_carrierevent", contradictions),
    ("shipments.view_carrierevent", busy_claimants),
    ("shipments.view_guide", retentions),
    ("shipments.view_carrierevent", expired_events),
    ("shipments.view_erasure", overdue_erasures),
    ("shipments.view_chore", overdue_chores),
    ("auth.view_user", mails_in_trouble),
    ("companies.view_company", refused_by_limits),
)
"""Permission and function of each kind of entry, the most urgent first."""


def to_do(user: User, now: datetime) -> list[Entry]:
    """Return what waits for `user`, of all kinds that the permissions allow."""
    return [entry for permission, source in SOURCES if user.has_perm(permission) for entry in source(user, now)]
