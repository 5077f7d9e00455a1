"""Operators read times by their own clock: the one they chose, else their only country's, else UTC."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from base.db.moments import in_words
from companies.clocks import clock_of
from companies.models import OperatorProfile
from shipments.models import Guide
from tests.country_scope.operators import operator_of, text_of
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

MOMENT = datetime(timezone.now().year, 11, 20, 2, 30, tzinfo=UTC)
GUIDES = reverse("admin:shipments_guide_changelist")


@pytest.fixture
def guide(db: None) -> Guide:  # noqa: ARG001  # the database must be there first
    guide = shipped(ClientFactory.create(), 1).guides.get()
    Guide.objects.filter(pk=guide.pk).update(created_at=MOMENT)
    guide.events.update(occurred_at=MOMENT, recorded_at=MOMENT)
    return guide


@pytest.mark.parametrize(
    ("countries", "chosen", "shown", "zone"),
    [
        (["CL"], "", "19 Nov 23:30", "Santiago"),
        (["CL", "PE"], "", "20 Nov 02:30", "UTC"),
        ([], "", "20 Nov 02:30", "UTC"),
        ([], "America/Lima", "19 Nov 21:30", "Lima"),
        (["CL"], "UTC", "20 Nov 02:30", "UTC"),
    ],
)
@pytest.mark.usefixtures("guide")
def test_the_list_names_the_clock_once(countries: list[str], chosen: str, shown: str, zone: str) -> None:
    browser = operator_of(*countries)
    OperatorProfile.objects.update(time_zone=chosen)
    page = text_of(browser.get(GUIDES))
    assert shown in page
    assert f"Received, {zone}" in page
    assert timezone.get_current_timezone_name() == "UTC"  # the next request begins anew


@pytest.mark.parametrize(("language", "november"), [("en", "Nov"), ("es", "nov")])
def test_a_month_is_a_word_and_the_year_stands_where_it_is_another(language: str, november: str) -> None:
    with override(language):
        assert in_words(MOMENT) == f"20 {november} 02:30"
        assert in_words(MOMENT.replace(year=2019)) == f"20 {november} 2019 02:30"


def test_the_timeline_is_by_the_operators_clock(guide: Guide) -> None:
    page = text_of(operator_of("CL").get(reverse("admin:shipments_guide_change", args=[guide.pk])))
    assert "Times: Santiago" in page
    assert "19 Nov 23:30" in page
    assert "20 Nov" not in page


def test_an_administrator_chooses_the_clock_of_a_colleague(admin_client: Client) -> None:
    user = User.objects.create_user("camila", is_staff=True)
    page = reverse("admin:auth_user_change", args=[user.pk])
    form = {
        "username": "camila", "is_active": "on", "is_staff": "on", "time_zone": "America/Lima", "countries": ["CL"],
        "date_joined_0": "2026-11-20", "date_joined_1": "10:00:00",
    }  # fmt: skip
    assert admin_client.post(page, form).status_code == 302
    user = User.objects.get(pk=user.pk)
    assert (str(clock_of(user)), user.operator_profile.countries) == ("America/Lima", ["CL"])
    assert admin_client.post(page, {**form, "time_zone": "Mars/Base"}).status_code == 200
    assert 'value="America/Lima" selected' in text_of(admin_client.get(page))
    users = text_of(admin_client.get(reverse("admin:auth_user_changelist")))
    assert "Last login, UTC" in users
    assert " UTC</td>" not in users


CLOCK, START = reverse("clock"), reverse("admin:index")


@pytest.mark.parametrize(("countries", "is_offered"), [(["CL"], False), (["CL", "PE"], True), ([], True)])
def test_operators_of_several_countries_are_offered_to_choose_their_clock(
    countries: list[str],
    is_offered: bool,  # noqa: FBT001  # a table
) -> None:
    browser = operator_of(*countries)
    assert ("Choose your clock" in text_of(browser.get(START))) == is_offered
    assert f'href="{CLOCK}"' in text_of(browser.get(START))  # in the account menu
    assert browser.post(CLOCK, {"time_zone": "Mars/Base"}).status_code == 400
    assert browser.post(CLOCK, {"time_zone": "America/Lima"}).headers["Location"] == START
    page = text_of(browser.get(START))
    assert "Choose your clock" not in page
    assert "Lima" in page
    assert '<option value="America/Lima" selected>' in text_of(browser.get(CLOCK))
    profile = OperatorProfile.objects.get()
    assert (profile.time_zone, profile.countries) == ("America/Lima", countries or ["all"])


def test_a_superuser_without_a_profile_chooses_a_clock_and_nobody_elses_changes(admin_client: Client) -> None:
    operator_of("CL")
    assert "Choose your clock" in text_of(admin_client.get(START))
    admin_client.post(CLOCK, {"time_zone": "America/Santiago"})
    zones = OperatorProfile.objects.values_list("user__username", "time_zone").order_by("user__username")
    assert list(zones) == [("admin", "America/Santiago"), ("camila", "")]
