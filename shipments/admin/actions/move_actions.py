"""Moving guides: advancing them, of a list, a guide or a manifest, and taking back a wrong status.

Each makes a `BulkMove`, whose page previews it, asks, and shows what happened.
"""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.confirmed_action import Question, Row
from companies.countries import SERVED
from companies.country_names import country_name
from shipments.admin.actions.guide_actions import ShipmentAction
from shipments.admin.badges import status_badge
from shipments.admin.forms import EACH_DESTINATION, AdvanceForm, ManifestAdvanceForm, TakeBackForm
from shipments.manifests.destinations import destination_clock
from shipments.models import Guide, Manifest, MoveKind
from shipments.statuses import GuideStatus
from shipments.tracking.bulk import MOST_GUIDES, begin

_NAMED = 5
_MOVED = {*GuideStatus} - {GuideStatus.REGISTERED}
NEXT_PAGE = _("The next page shows what would happen to each guide. Nothing is changed until you confirm.")


def zone_of(guides: QuerySet[Guide]) -> str:
    """Return the choice of a clock that fits: the only one of the destinations, or that of each."""
    places = guides.order_by().values_list("manifest__flight__destination_airport", "manifest__country").distinct()
    keys = {str(destination_clock(airport, country)) for airport, country in places}
    offered = {country.clock.key for country in SERVED.values()}
    return keys.pop() if len(keys) == 1 and keys <= offered else EACH_DESTINATION


def _spread_in_words(guides: QuerySet[Guide]) -> Sequence[str]:
    """Return a sentence if there are several companies, one if there are several countries."""
    found = set(guides.order_by().values_list("manifest__company__name", "manifest__country").distinct())
    companies = sorted({company for company, _country in found})
    countries = sorted({country_name(country) for _company, country in found})
    said = []
    if len(companies) > 1:
        said.append(gettext("The guides belong to several companies: %s") % _join_names(companies))
    if len(countries) > 1:
        said.append(gettext("They go to several countries: %s.") % _join_names(countries))
    return said


def _join_names(names: Sequence[str]) -> str:
    """Return the first names, and how many others there are."""
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return gettext("%(names)s and %(more)d more") % {"names": shown, "more": more} if more > 0 else shown


class BeginsMove(ShipmentAction[Row]):
    """Begins a move, whose page previews it.

    kind: of the move. manifest: whose guides they are, if it is of one. excepted: how many of them are left out.
    """

    kind = MoveKind.ADVANCE
    manifest: Manifest | None = None
    excepted = 0

    def find_guides(self, form: Any) -> QuerySet[Guide]:  # noqa: ANN401, ARG002  # the action's form
        return cast("QuerySet[Guide]", self.rows)

    def confirm(self, form: Any) -> Sequence[Row]:  # noqa: ANN401  # as above
        operator = cast("User", self.request.user)
        move = begin(self.kind, self.find_guides(form), form.event, operator, self.manifest, excepted=self.excepted)
        self.request.session[f"bulk_move:{move.pk}"] = self.way_back
        self.goes_to = reverse("admin:shipments_bulkmove_change", args=[move.pk])
        return []


class Advance(BeginsMove[Guide]):
    name, list_name = "advance", "advance_selected"
    label, icon = _("Advance to…"), "moving"
    most = MOST_GUIDES
    fits = staticmethod(lambda row: not GuideStatus(row.status).is_terminal)

    def get_question(self) -> Question:
        return Question(_("Advance to…"), [*_spread_in_words(self.rows), NEXT_PAGE], _("Preview"))

    def get_form(self, data: Any, files: object) -> AdvanceForm:  # noqa: ANN401, ARG002  # Django's data
        return AdvanceForm(data, initial={"zone": zone_of(self.rows)})


class AdvanceGuides(BeginsMove[Manifest]):
    name, path, permission = "advance_guides", "advance", "move_guides"
    label, icon = _("Advance guides…"), "moving"
    in_bar = False
    question = Question(_("Advance guides…"), [NEXT_PAGE], _("Preview"))
    fits = staticmethod(lambda row: row.voided_at is None)

    def get_form(self, data: Any, files: object) -> ManifestAdvanceForm:  # noqa: ANN401, ARG002  # as above
        return ManifestAdvanceForm(self.row, data)

    def find_guides(self, form: ManifestAdvanceForm) -> QuerySet[Guide]:
        return form.guides

    def confirm(self, form: ManifestAdvanceForm) -> Sequence[Manifest]:
        self.manifest, self.excepted = self.row, len(form.cleaned_data["except_for"])
        return super().confirm(form)


class TakeBack(BeginsMove[Guide]):
    name, list_name, permission = "take_back", "take_back_selected", "take_back"
    label, icon = _("Take back the last status…"), "undo"
    most, kind = MOST_GUIDES, MoveKind.TAKE_BACK
    nothing = _("None of these guides has moved yet.")
    question = Question(
        _("Take back the last status"),
        [
            _(
                "For a status that was recorded by mistake, also a final one. The wrong event stays here, struck "
                "through; the client no longer finds it, and is sent the status that holds instead."
            ),
            NEXT_PAGE,
        ],
        _("Preview"),
    )
    fits = staticmethod(lambda row: row.status != GuideStatus.REGISTERED and row.manifest.voided_at is None)

    def among(self) -> QuerySet[Guide]:
        return self.rows if self.rows.exclude(status=GuideStatus.REGISTERED).exists() else self.rows.none()

    def remarks(self, row: Guide) -> Sequence[str]:
        return [status_badge(row.status)]

    def get_form(self, data: Any, files: object) -> TakeBackForm:  # noqa: ANN401, ARG002  # as above
        found = set(self.rows.order_by().values_list("status", flat=True).distinct())
        country = self.rows.order_by("manifest_id", "hawb").values_list("manifest__country", flat=True).first()
        zone = SERVED[country].clock.key if country else "UTC"
        return TakeBackForm(found & _MOVED, data, initial={"zone": zone})
