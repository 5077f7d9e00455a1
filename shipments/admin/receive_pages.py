"""Receiving with a phone: choose place and MAWBs, then scan. The page sends scans as the operators' API takes them."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from base.admin.pages import AdminPage, FormPage
from companies.country_names import choices_within
from companies.errors import Forbidden
from companies.scope import scope_of
from shipments.admin.columns import amount, eta_text
from shipments.admin.filters import arrives_between
from shipments.inbound import views
from shipments.inbound.answers import scan_results
from shipments.inbound.bodies import FACILITY, LONGEST_FACILITY, MOST_MAWBS
from shipments.inbound.differences import counts_of, missing
from shipments.inbound.receiving import find_bags, open_batch
from shipments.manifests.waybills import read_sought_mawb
from shipments.models import InboundBatch, Manifest
from shipments.models.inbound import BatchState

ADD = views.ADD
BAG = "bag"
"""What the page is told of a code that is a bag's: nothing is recorded until its parcels were looked at."""
_OFFERED = 30
_CURRENT = "receiving"
"""In the session: the batch that the operator scanned into last."""


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    by_session = {"authentication_classes": [PageAuthentication]}
    return [
        path("", view(OpenPage.as_view()), name="receive"),
        path("new/", view(OpenPage.as_view(is_new=True)), name="receive-new"),
        path("worker.js", view(WorkerScript.as_view()), name="receive-worker"),
        path("<str:batch>/", view(ScanPage.as_view()), name="receive-batch"),
        path("<str:batch>/shell/", view(ScanPage.as_view(is_shell=True)), name="receive-shell"),
        path("<str:batch>/scans/", view(PageScansView.as_view(**by_session)), name="receive-scans"),
        path("<str:batch>/bags/", view(views.BagsView.as_view(**by_session)), name="receive-bags"),
    ]


class PageAuthentication(SessionAuthentication):
    """The operator's session, with the page's CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        """Raises `Forbidden`."""
        try:
            super().enforce_csrf(request)
        except PermissionDenied:
            raise Forbidden(reason="csrf") from None


class OpenForm(forms.Form):
    """A receiving to open. user: whose countries and arrivals it offers."""

    facility = forms.CharField(
        label=_("Place"), max_length=LONGEST_FACILITY, validators=[FACILITY], widget=UnfoldAdminTextInputWidget,
        help_text=_("Such as SCL-01."),
    )  # fmt: skip
    mawbs = forms.MultipleChoiceField(
        label="MAWB", required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("Those that arrive today come first."),
    )  # fmt: skip
    others = forms.CharField(
        label=_("Other MAWBs"), required=False, max_length=2000, widget=UnfoldAdminTextInputWidget,
        help_text=_("In any spelling, with commas between them."),
    )  # fmt: skip
    country = forms.ChoiceField(
        label=_("Country"), required=False, widget=UnfoldAdminSelectWidget,
        help_text=_("Only where a MAWB is of two countries."),
    )  # fmt: skip

    def __init__(self, user: User, **options: Any) -> None:  # noqa: ANN401  # Django's options
        super().__init__(**options)
        self.user = user
        offered = offer_mawbs(user)
        chosen = cast("QueryDict", self.data).getlist("mawbs") if self.is_bound else self.initial.get("mawbs", [])
        strangers = [(mawb, mawb) for mawb in chosen if mawb not in offered and read_sought_mawb(mawb)]
        self.fields["mawbs"].choices = [*offered.items(), *strangers]  # type: ignore[attr-defined]  # of a choice field
        if not self.fields["mawbs"].choices:  # type: ignore[attr-defined]  # as above
            del self.fields["mawbs"]
        countries = choices_within(scope_of(user))
        self.fields["country"].choices = [("", "–"), *countries]  # type: ignore[attr-defined]  # as above
        if len(countries) < 2:
            del self.fields["country"]

    def clean(self) -> dict[str, Any]:
        """Add `numbers`, the MAWBs as they were written, and the `country` that all of them are of."""
        cleaned = super().clean() or {}
        others = [text.strip() for text in re.split(r"[,;\n]", cleaned.get("others", "")) if text.strip()]
        written = list(dict.fromkeys([*cleaned.get("mawbs", []), *others]))
        if not written or self.errors:
            if not written:
                self.add_error(None, _("Choose at least one MAWB."))
            return cleaned
        if len(written) > MOST_MAWBS:
            raise ValidationError(gettext("Choose at most %d MAWBs.") % MOST_MAWBS)
        numbers = {text: read_sought_mawb(text) or "" for text in written}
        named = Manifest.objects.visible_to(self.user).filter(mawb__in=numbers.values(), voided_at=None)
        countries: dict[str, set[str]] = {}
        for mawb, country in named.order_by().values_list("mawb", "country"):
            countries.setdefault(mawb, set()).add(country)
        if unknown := [text for text, number in numbers.items() if number not in countries]:
            raise ValidationError([gettext("%(mawb)s is not known.") % {"mawb": text} for text in unknown])
        shared = set.intersection(*countries.values())
        country = cleaned.get("country") or (min(shared) if len(shared) == 1 else "")
        if country not in shared:
            text = _("Choose the country.") if shared and not country else _("These MAWBs are of different countries.")
            raise ValidationError(text)
        return {**cleaned, "numbers": written, "country": country}


def offer_mawbs(user: User) -> Mapping[str, str]:
    """Return MAWB -> its line in the form, those that arrive today first: what is due from three days ago to tomorrow,
    or came without an ETA in these days.
    """
    now = timezone.now()
    recent = arrives_between(now, -3, 2) | Q(eta=None, created_at__gte=now - timedelta(days=3))
    due = Manifest.objects.visible_to(user).filter(recent, voided_at=None).exclude(status__in=["delivered", "closed"])
    today = set(due.filter(arrives_between(now, 0, 1)).order_by().values_list("pk", flat=True))
    manifests = list(due.without_findings().select_related("company").order_by("-created_at")[: 10 * _OFFERED])
    manifests.sort(key=lambda each: (each.pk not in today, abs(each.eta - now) if each.eta else timedelta(days=9)))
    lines: dict[str, list[str]] = {}
    for each in manifests:
        parts = [gettext("today") if each.pk in today else "", eta_text(each), each.company.client_code]
        text = " · ".join([*filter(None, parts), gettext("guides: %(n)s") % {"n": amount(each.total_guides)}])
        lines.setdefault(each.mawb, []).append(text)
    return {mawb: f"{mawb} · {' / '.join(texts)}" for mawb, texts in [*lines.items()][:_OFFERED]}


class OpenPage(FormPage):
    """Opens a batch. Without `is_new` it goes on with the one that the operator was scanning into."""

    permission_required = ADD
    template_name = "shipments/receiving/open.html"
    title = _("Receive")
    form_class = OpenForm
    is_new = False

    def get(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:  # noqa: ANN401  # Django's
        if not self.is_new:
            opened = self._open_ones()
            last = opened.filter(pk=request.session.get(_CURRENT, 0)).first()
            if batch := last or opened.filter(opened_by=request.user.get_username()).first():
                return HttpResponseRedirect(reverse("receive-batch", args=[batch.public_id]))
        return super().get(request, *args, **named)

    def _open_ones(self) -> QuerySet[InboundBatch]:
        seen = InboundBatch.objects.visible_to(self.request.user)
        return seen.filter(state=BatchState.OPEN).prefetch_related("manifests").order_by("-id")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "user": self.request.user}

    def get_initial(self) -> dict[str, Any]:
        """Return the last place of the operator, and the MAWBs of the batch that `again` names."""
        seen = InboundBatch.objects.visible_to(self.request.user)
        again = find_batch(self.request, self.request.GET["again"]) if "again" in self.request.GET else None
        last = again or seen.filter(opened_by=self.request.user.get_username()).order_by("-id").first()
        mawbs = sorted({each.mawb for each in again.manifests.all()}) if again else []
        return {"facility": last.facility if last else "", "mawbs": mawbs}

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        return super().get_context_data(**{"open_batches": self._open_ones()[:10], **context})

    def save(self, form: OpenForm) -> HttpResponse:
        user, sent = cast("User", self.request.user), form.cleaned_data
        fields = {"facility": sent["facility"], "country": sent["country"], "on_scan": None, "note": ""}
        batch = open_batch(fields, sent["numbers"], scope_of(user), actor=user.get_username())
        return HttpResponseRedirect(reverse("receive-batch", args=[batch.public_id]))


def find_batch(request: HttpRequest, public_id: str) -> InboundBatch:
    """Return a batch that the operator may see. Raises `Http404`."""
    key = views.key_of(public_id)
    batch = InboundBatch.objects.visible_to(request.user).filter(pk=key).first() if key is not None else None
    if batch is None:
        raise Http404
    return batch


class ScanPage(AdminPage):
    """Scans into a batch. What happens on it is in `receive.js`.

    `is_shell`: the page as the browser keeps it for a time without network, without the operator's name and token.
    """

    permission_required = ADD
    is_shell = False

    def get_template_names(self) -> list[str]:
        return [f"shipments/receiving/{'shell' if self.is_shell else 'scan'}.html"]

    def get(self, request: HttpRequest, batch: str, **_named: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's
        found = find_batch(request, batch)
        if found.is_open:
            request.session[_CURRENT] = found.pk
        counts, user = counts_of(found), cast("User", request.user)
        asked = {
            "batch": found.public_id,
            "operator": user.pk,
            "is_open": found.is_open,
            "missing": counts["missing"],
            "words": {name: str(text) for name, text in WORDS.items()},
            "scans": reverse("receive-scans", args=["BATCH"]),
            "bags": reverse("receive-bags", args=["BATCH"]),
            "page": reverse("receive-batch", args=[found.public_id]),
        }
        if not self.is_shell:
            asked["name"] = user.get_username()
        if not self.is_shell and found.is_open:
            asked["keep"] = {
                "worker": reverse("receive-worker"),
                "shell": reverse("receive-shell", args=[found.public_id]),
                "addresses": [asked["page"], reverse("receive")],
            }
        context = {
            "title": f"{found.facility} · {found.public_id}",
            "batch": found,
            "mawbs": sorted({each.mawb for each in found.manifests.all()}),
            "counts": counts,
            "asked": json.dumps(asked),
            "is_shell": self.is_shell,
            "may_close": request.user.has_perm(views.CHANGE),
        }
        return self.render_to_response(self.get_context_data(**context))


class WorkerScript(AdminPage):
    """The service worker of the pages at and below its own address's folder."""

    permission_required = ADD
    template_name = "shipments/receiving/worker.js"

    def get(self, request: HttpRequest) -> HttpResponseBase:  # noqa: ARG002  # Django's signature
        return self.render_to_response({"static": settings.STATIC_URL}, content_type="text/javascript")


class PageScansView(views.ScansView):
    """The operators' `POST scans` for the page, with the count of missing. A bag's code is said to be one."""

    http_method_names = ["post"]

    def take(self, request: Request, batch: InboundBatch, scans: Sequence[Mapping[str, Any]]) -> Response:
        user = cast("User", request.user)
        bags = find_bags(batch, {scan["code"] for scan in scans}, scope_of(user))
        parcels = [scan for scan in scans if scan["code"] not in bags]
        answer = scan_results(self.record(request, batch, parcels) if parcels else [])
        named = [{"scan_id": str(scan["scan_id"]), "outcome": BAG} for scan in scans if scan["code"] in bags]
        return Response({**answer, "results": [*answer["results"], *named], "missing": missing(batch).count()})


WORDS = {
    "matched": _("expected"),
    "more_packages": _("again"),
    "elsewhere": _("another MAWB"),
    "surplus": _("surplus"),
    "ambiguous": _("several guides"),
    "forbidden_country": _("another country"),
    "bag": _("bag"),
    "refused": _("not taken"),
    "unchecked": _("not checked yet"),
    "held": _("do not release"),
    "hold_retention": _("Under retention"),
    "hold_customs": _("Customs has not released it"),
    "hold_on_hold": _("On hold"),
    "received": _("Received"),
    "missing": _("Missing"),
    "not_here": _("Not here yet"),
    "no_network": _("No network. Scans are kept on this device and go out when it is back."),
    "logged_out": _("Your session is over. Scans are kept on this device: log in again, and they go out."),
    "closed": _("This batch is closed. Scans are kept on this device: open another for the same MAWBs."),
    "not_allowed": _("You may not scan here, or the page is too old: reload it. Scans are kept on this device."),
    "not_kept": _("This browser could not keep the scan. Scan it again."),
    "other_batch": _("Scans for another batch, kept on this device:"),
    "theirs": _("Scans of another operator, kept on this device and not sent:"),
    "try_again": _("No answer. Try again."),
    "bag_received": _("Bag received; parcels:"),
    "no_camera": _("The camera cannot be used."),
}
"""What the script of the page says, by the names that it uses."""
