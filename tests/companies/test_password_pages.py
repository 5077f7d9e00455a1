"""A new password is shown once and lies nowhere in the clear; rotating kills one and shows the next."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from base.admin.activity import act_in_words
from companies import passwords
from companies.errors import InvalidApiKey
from companies.models import Company
from tests.companies.admin_pages import ADD, form, messages_of, opens_for, operator, page, shown_password, text_of
from tests.factories import ClientFactory, password_of

pytestmark = pytest.mark.django_db


def test_between_the_two_pages_the_password_is_nowhere_in_the_clear(staff: Client) -> None:
    answer = staff.post(ADD, form())
    cookie = answer.cookies["shown_once"]
    sessions = [str(session.get_decoded()) for session in Session.objects.all()]
    password = shown_password(staff.get(answer["Location"]))
    assert password is not None
    assert all(password not in session and password[12:] not in session for session in sessions)
    assert password not in cookie.value
    assert cookie.value not in "".join(sessions)


def test_the_browsers_half_is_sent_to_that_page_alone_and_to_no_script(staff: Client, settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True
    answer = staff.post(ADD, form())
    cookie = answer.cookies["shown_once"]
    assert cookie["path"] == answer["Location"]
    assert cookie["httponly"]
    assert cookie["secure"]
    assert cookie["samesite"] == "Strict"
    assert cookie["max-age"] == 300


def test_looking_removes_both_halves(staff: Client) -> None:
    location = staff.post(ADD, form())["Location"]
    copied = staff.cookies["shown_once"].value
    answer = staff.get(location)
    assert answer.cookies["shown_once"]["max-age"] == 0
    assert answer.cookies["shown_once"]["path"] == location
    assert not any("shown_once" in str(session.get_decoded()) for session in Session.objects.all())
    staff.cookies["shown_once"] = copied
    assert shown_password(staff.get(location)) is None


@pytest.mark.parametrize("half", ["cookie", "session"])
def test_one_half_alone_opens_nothing(staff: Client, half: str) -> None:
    location = staff.post(ADD, form())["Location"]
    if half == "cookie":
        thief = operator("view_company", "change_company", username="mallory")
        thief.cookies["shown_once"] = staff.cookies["shown_once"].value
    else:
        thief = staff
        del thief.cookies["shown_once"]
    assert shown_password(thief.get(location)) is None


def test_the_key_of_another_password_opens_nothing(staff: Client) -> None:
    first = staff.post(ADD, form())["Location"]
    stale = staff.cookies["shown_once"].value
    company = Company.objects.get()
    staff.post(page("rotate_api_password", company), {"step": "run", "old_works_for": "0"})
    staff.cookies["shown_once"] = stale
    assert shown_password(staff.get(first)) is None


def test_after_five_minutes_nobody_can_open_it(staff: Client) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        location = staff.post(ADD, form())["Location"]
        clock.shift(timedelta(minutes=5, seconds=1))
        assert shown_password(staff.get(location)) is None


def test_a_password_is_shown_on_its_own_companys_page_alone(staff: Client) -> None:
    other = ClientFactory.create()
    location = staff.post(ADD, form())["Location"]
    half = staff.cookies["shown_once"].value
    assert shown_password(staff.get(page("api_password", other))) is None
    staff.cookies["shown_once"] = half  # a real browser had never sent it there
    assert shown_password(staff.get(location)) is not None


def test_a_probing_request_does_not_spend_the_one_look(staff: Client) -> None:
    location = staff.post(ADD, form())["Location"]
    assert staff.head(location).status_code == 405
    assert staff.post(location).status_code == 405
    assert shown_password(staff.get(location)) is not None


def test_asking_to_rotate_changes_nothing_yet(staff: Client) -> None:
    company = ClientFactory.create()
    for answer in (
        staff.get(page("rotate_api_password", company)),
        staff.post(page("rotate_api_password", company)),
    ):
        assert 'name="step"' in text_of(answer)
    assert opens_for(password_of(company)) == company
    assert not LogEntry.objects.exists()


def test_rotating_one_company_shows_its_new_password_and_leaves_the_others_alive(staff: Client) -> None:
    rotated, other = ClientFactory.create(), ClientFactory.create()
    answer = staff.post(page("rotate_api_password", rotated), {"step": "run", "old_works_for": "0"}, follow=True)
    new = shown_password(answer)
    assert new is not None
    assert opens_for(new) == rotated
    assert opens_for(password_of(rotated)) is None
    assert opens_for(password_of(other)) == other
    assert shown_password(staff.get(page("api_password", rotated))) is None


def test_the_log_shows_who_rotated_and_holds_no_password(
    staff: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [passwords.generate(), passwords.generate()]
    monkeypatch.setattr(passwords, "generate", iter(made).__next__)
    staff.post(ADD, form())
    company = Company.objects.get()
    answer = staff.post(page("rotate_api_password", company), {"step": "run", "old_works_for": "0"}, follow=True)
    entries = LogEntry.objects.filter(object_id=str(company.pk)).order_by("action_time", "pk")
    assert [entry.user.username for entry in entries] == ["olga", "olga"]
    assert act_in_words(entries[1]) == "Rotated the API password."
    written = str(list(entries.values())) + caplog.text + "".join(messages_of(answer))
    assert shown_password(answer) == made[1]
    for password in made:
        assert password not in written
        assert password[12:] not in written


def test_a_rotation_asks_how_long_the_old_password_works_and_it_can_be_ended(staff: Client) -> None:
    rotated, other = ClientFactory.create(), ClientFactory.create()
    old = password_of(rotated)
    assert 'value="24" selected' in text_of(staff.get(page("rotate_api_password", rotated)))
    refused = staff.post(page("rotate_api_password", rotated), {"step": "run", "old_works_for": "9999"})
    assert Company.with_password(old).password_expires_at is None
    assert "Location" not in refused
    for company in (rotated, other):
        staff.post(page("rotate_api_password", company), {"step": "run", "old_works_for": "24"})
    assert Company.with_password(old).password_expires_at is not None
    shown = text_of(staff.get(page("change", rotated)))
    assert f"{old[:12]}… works until" in shown
    assert page("end_old_password", rotated) in shown
    for _ in range(2):
        assert staff.post(page("end_old_password", rotated), {"step": "run"}).status_code == 302
    with pytest.raises(InvalidApiKey):
        Company.with_password(old)
    assert Company.with_password(password_of(other)) == other
    assert page("end_old_password", rotated) not in text_of(staff.get(page("change", rotated)))


def test_what_to_send_the_client_is_at_hand_and_has_no_password(staff: Client) -> None:
    company = ClientFactory.create(allowed_countries=["PE"])
    answer: Any = staff.get(page("change", company))
    texts = {each.code: each.text for each in answer.context["texts"]}
    assert "http://testserver/api/public/pre-alerts/v1/upload" in texts["en"]
    assert "/docs/templates/manifest-PE.xlsx" in texts["es"]
    assert "manifest-CL" not in texts["es"]
    assert password_of(company)[12:] not in "".join(texts.values())


@pytest.mark.parametrize(
    ("hours_later", "said", "goes_on"),
    [(0, "this older one keeps working", "first"), (1, "It stops working now", "second")],
)
def test_a_second_rotation_says_which_of_the_passwords_stops_now(
    staff: Client, hours_later: int, said: str, goes_on: str
) -> None:
    company = ClientFactory.create()
    first, address = password_of(company), page("rotate_api_password", company)
    staff.post(address, {"step": "run", "old_works_for": "24"})
    Company.objects.update(api_password_set_at=timezone.now() - timedelta(hours=hours_later))
    asked = text_of(staff.get(address))
    assert said in asked
    assert first[:12] in asked
    assert opens_for(first) == company
    staff.post(address, {"step": "run", "old_works_for": "24"})
    assert (opens_for(first) is not None) == (goes_on == "first")
