"""Moving guides: advancing them, of a list, a guide or a manifest, and taking back a wrong status.

Each makes a `BulkMove`, whose page previews it, asks, and shows what happened.
"""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from base.admin.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.countries import SERVED
from companies.country_names import country_name
from shipments.admin.actions.guide_actions import TEMPLATE
from shipments.admin.badges import status_badge
from shipments.admin.forms import AdvanceForm, ManifestAdvanceForm, TakeBackForm
from shipments.models import Guide, Manifest, MoveKind
from shipments.statuses import GuideStatus
from shipments.tracking.bulk import EACH_DESTINATION, MOST_GUIDES, begin, destination_clock

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
        said.append(gettext("The guides belong to several companies: %s") % _listed(companies))
    if len(countries) > 1:
        said.append(gettext("They go to several countries: %s.") % _listed(countries))
    return said


def _listed(names: Sequence[str]) -> str:
    """Return the first names, and how many others there are."""
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return gettext("%(names)s and %(more)d more") % {"names": shown, "more": more} if more > 0 else shown


def begun(
    scene: Scene[Any], kind: MoveKind, guides: QuerySet[Guide], event: dict[str, str], manifest: Manifest | None = None
) -> Done[Any]:
    move = begin(kind, guides, event, cast("User", scene.request.user), manifest)
    scene.request.session[f"bulk_move:{move.pk}"] = scene.way_back
    return Done(goes_to=reverse("admin:shipments_bulkmove_change", args=[move.pk]))


def _take_back_form(scene: Scene[Guide], data: Any, _files: object) -> TakeBackForm:  # noqa: ANN401  # Django's data
    found = set(scene.rows.order_by().values_list("status", flat=True).distinct())
    country = scene.rows.order_by("manifest_id", "hawb").values_list("manifest__country", flat=True).first()
    zone = SERVED[country].clock.key if country else "UTC"
    return TakeBackForm(found & _MOVED, data, initial={"zone": zone})


ADVANCE = ConfirmedAction[Guide](
    name="advance", list_name="advance_selected", label=_("Advance to…"), icon="moving", most=MOST_GUIDES,
    fits=lambda guide: not GuideStatus(guide.status).is_terminal,
    question=lambda scene: Question(
        _("Advance to…"), [*_spread_in_words(scene.rows), NEXT_PAGE], _("Preview")
    ),
    form=lambda scene, data, _files: AdvanceForm(data, initial={"zone": zone_of(scene.rows)}),
    run=lambda scene, form: begun(scene, MoveKind.ADVANCE, scene.rows, form.event), template=TEMPLATE,
)  # fmt: skip
ADVANCE_GUIDES = ConfirmedAction[Manifest](
    name="advance_guides", path="advance", label=_("Advance guides…"), icon="moving", permission="move_guides",
    fits=lambda manifest: manifest.voided_at is None, in_bar=False,
    question=Question(_("Advance guides…"), [NEXT_PAGE], _("Preview")),
    form=lambda scene, data, _files: ManifestAdvanceForm(scene.one, data),
    run=lambda scene, form: begun(scene, MoveKind.ADVANCE, form.guides, form.event, scene.one), template=TEMPLATE,
)  # fmt: skip
TAKE_BACK = ConfirmedAction[Guide](
    name="take_back", list_name="take_back_selected", label=_("Take back the last status…"), icon="undo",
    permission="take_back", most=MOST_GUIDES,
    fits=lambda guide: guide.status != GuideStatus.REGISTERED and guide.manifest.voided_at is None,
    among=lambda scene: scene.rows if scene.rows.exclude(status=GuideStatus.REGISTERED).exists() else scene.rows.none(),
    nothing=_("None of these guides has moved yet."),
    question=Question(
        _("Take back the last status"),
        [
            _(
                "For a status that was recorded by mistake, also a final one. The wrong event stays here, struck "
                "through; the client no longer finds it, and is sent the status that holds instead."
            ),
            NEXT_PAGE,
        ],
        _("Preview"),
    ),
    form=_take_back_form, remarks=lambda guide: [status_badge(guide.status)],
    run=lambda scene, form: begun(scene, MoveKind.TAKE_BACK, scene.rows, form.event), template=TEMPLATE,
)  # fmt: skip
