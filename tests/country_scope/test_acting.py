"""What an operator does reaches no guide of another country."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from companies.models import Company
from shipments.models import Guide, GuideEvent
from tests.books import workbook_bytes
from tests.country_scope.operators import text_of
from tests.factories import ClientFactory

pytestmark = pytest.mark.django_db


def everything_ticked(action: str, *guides: Guide) -> dict[str, Any]:
    return {"action": action, "select_across": "1", "_selected_action": [guide.pk for guide in guides]}


def test_an_action_on_everything_moves_nothing_abroad(staff: Client, home: Guide, abroad: Guide) -> None:
    reported = {"status": "in_transit", "source": "operator", "zone": "America/Santiago", "step": "run"}
    page = reverse("admin:shipments_guide_changelist")
    move = staff.post(page, {**everything_ticked("advance_selected", home, abroad), **reported})["Location"]
    assert staff.post(move, {"step": "run"}, follow=True).status_code == 200
    assert set(Guide.objects.filter(status="in_transit")) == set(home.manifest.guides.all())
    assert GuideEvent.objects.filter(guide=abroad).count() == 1


@pytest.mark.parametrize("action", ["mark_selected_reviewed", "lift_retention_of_selected"])
def test_no_other_action_reaches_abroad_either(staff: Client, home: Guide, abroad: Guide, action: str) -> None:
    Guide.objects.update(needs_review=True, retention_required=True)
    data = {**everything_ticked(action, home, abroad), "step": "run", "reason": "asked"}
    staff.post(reverse("admin:shipments_guide_changelist"), data)
    flag = {"mark_selected_reviewed": "needs_review"}.get(action, "retention_required")
    assert {guide.manifest.country for guide in Guide.objects.filter(**{flag: True})} == {"PE"}


def test_an_import_of_events_finds_no_guide_abroad(staff: Client, home: Guide, abroad: Guide) -> None:
    rows = [
        "tracking_code,mawb,hawb,status",
        f"{home.tracking_code},,,in_transit",
        f"{abroad.tracking_code},,,in_transit",
        f",{abroad.manifest.mawb},{abroad.hawb},in_transit",
    ]
    file = SimpleUploadedFile("scans.csv", "\n".join(rows).encode())
    sent: Any = staff.post(reverse("import-events"), {"file": file})
    preview = text_of(staff.get(sent["Location"]))
    assert "No guide has this tracking code." in preview
    assert "No guide has this MAWB and HAWB." in preview
    assert "belongs to" not in preview
    staff.post(sent["Location"])
    assert list(Guide.objects.filter(status="in_transit")) == [home]


def test_a_manifest_is_uploaded_only_for_clients_of_ones_own_countries(staff: Client) -> None:
    at_home = ClientFactory.create(name="Cercana Ltda.", allowed_countries=["CL"])
    both = ClientFactory.create(name="Doble SA", allowed_countries=["CL", "PE"])
    abroad = ClientFactory.create(name="Lejana SAC", allowed_countries=["PE"])
    page = reverse("enter-manifest")

    def sent(company: Company) -> int:
        file = SimpleUploadedFile("manifest.xlsx", workbook_bytes())
        return int(staff.post(page, {"company": company.client_code, "manifest_file": file}).status_code)

    assert [sent(company) for company in (at_home, both, abroad)] == [302, 400, 400]
