"""Closing and opening the API in the admin: one company on its page, several in the list, never unasked."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from base.admin.activity import act_in_words
from companies.models import Company
from tests.companies.admin_pages import LIST, messages_of, opens_for, page, text_of
from tests.factories import ClientFactory, password_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("action", "was", "logged"), [("deactivate", True, "Deactivated."), ("activate", False, "Activated.")]
)
def test_a_company_is_switched_after_a_question_and_logged(staff: Client, action: str, was: Any, logged: str) -> None:
    company, other = ClientFactory.create(is_active=was), ClientFactory.create(is_active=was)
    assert 'name="step"' in text_of(staff.get(page(action, company)))
    company.refresh_from_db()
    assert company.is_active is was
    answer = staff.post(page(action, company), {"step": "run"}, follow=True)
    company.refresh_from_db()
    other.refresh_from_db()
    assert (company.is_active, other.is_active) == (not was, was)
    assert (opens_for(password_of(company)) == company) is not was
    assert company.client_code in messages_of(answer)[0]
    assert act_in_words(LogEntry.objects.get()) == logged


def test_a_companys_page_offers_the_one_direction_that_changes_something(staff: Client) -> None:
    open_, closed = ClientFactory.create(), ClientFactory.create(is_active=False)
    for company, offered, pointless in ((open_, "deactivate", "activate"), (closed, "activate", "deactivate")):
        html = text_of(staff.get(page("change", company)))
        assert page(offered, company) in html
        assert page(pointless, company) not in html


def test_several_are_closed_together_and_what_was_closed_before_is_said(staff: Client) -> None:
    one, two, closed, other = (ClientFactory.create(is_active=active) for active in (True, True, False, True))
    chosen = {"action": "deactivate_selected", "_selected_action": [one.pk, two.pk, closed.pk]}
    question = staff.post(LIST, chosen)
    assert all(str(company) in text_of(question) for company in (one, two, closed))
    assert str(other) not in text_of(question)
    assert Company.objects.active().count() == 3
    answer = staff.post(LIST, {**chosen, "step": "run"}, follow=True)
    assert list(Company.objects.active()) == [other]
    done, unchanged = messages_of(answer)
    assert one.client_code in done
    assert two.client_code in done
    assert closed.client_code in unchanged
    assert act_in_words(LogEntry.objects.get()) == "Deactivated. Rows: 2."


def test_the_question_in_the_list_finds_the_same_companies_again(staff: Client) -> None:
    one, _other = ClientFactory.create(), ClientFactory.create()
    question = staff.post(LIST, {"action": "deactivate_selected", "_selected_action": [one.pk]})
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', text_of(question)))
    staff.post(LIST, hidden)
    assert list(Company.objects.filter(is_active=False)) == [one]
