"""Which company is calling: the header's forms, one voice for every wrong password, and what a call leaves behind."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from companies.authentication import BearerPasswordAuthentication, caller
from companies.errors import InvalidApiKey, MissingApiKey
from companies.models import Company
from tests.factories import ClientFactory, password_of

pytestmark = pytest.mark.django_db


def request_with(header: str | None) -> Request:
    headers = {} if header is None else {"Authorization": header}
    return Request(APIRequestFactory().get("/", headers=headers), authenticators=[BearerPasswordAuthentication()])


@pytest.mark.parametrize("form", ["Bearer {}", "bearer {}", "BEARER {}", "Bearer  {}", "Bearer\t{}", " Bearer {} "])
def test_the_scheme_is_matched_without_case_and_with_any_space(form: str) -> None:
    company, _other = ClientFactory.create(), ClientFactory.create()
    assert caller(request_with(form.format(password_of(company)))) == company


@pytest.mark.parametrize(
    "header", [None, "", " ", "Bearer", "Bearer ", "Basic dTpw", "Token abc", "Bearer a b", "Bearer: abc", "abc"]
)
def test_anything_but_bearer_and_one_word_is_a_missing_key(
    header: str | None, django_assert_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_num_queries(0), pytest.raises(MissingApiKey):
        request_with(header).user  # noqa: B018  # the property authenticates


OTHER_SPACES = ["\xa0", "\x85", "\x0b", "\x0c", "\x1c", "\x1f"]
"""What Python takes for blanks beside the two that HTTP has; a header comes to us as Latin-1."""


@pytest.mark.parametrize("space", OTHER_SPACES)
@pytest.mark.parametrize(
    ("form", "refusal"),
    [
        ("Bearer {}%", InvalidApiKey),
        ("Bearer %{}", InvalidApiKey),
        ("Bearer {} %", MissingApiKey),
        ("Bearer%{}", MissingApiKey),
        ("%Bearer {}", MissingApiKey),
    ],
)
def test_no_other_space_separates_words_or_is_dropped(form: str, refusal: type[Exception], space: str) -> None:
    header = form.format(password_of(ClientFactory.create())).replace("%", space)
    with pytest.raises(refusal):
        BearerPasswordAuthentication().authenticate(request_with(header))


def test_the_company_read_by_its_password_is_the_one_the_orm_reads_in_every_field() -> None:
    company, _other = ClientFactory.create(allowed_countries=["PE", "CL"]), ClientFactory.create()
    password = password_of(company)
    Company.objects.filter(pk=company.pk).update(last_used_at=timezone.now())
    by_password, by_key = Company.with_password(password), Company.objects.get(pk=company.pk)
    for field in Company._meta.concrete_fields:
        assert getattr(by_password, field.attname) == getattr(by_key, field.attname), field.name


def test_the_use_of_a_password_is_noted_at_most_once_a_minute(
    django_assert_num_queries: Callable[[int], Any],
) -> None:
    company, other = ClientFactory.create(), ClientFactory.create()
    header = f"Bearer {password_of(company)}"
    start = timezone.now()
    with time_machine.travel(start, tick=False) as clock:
        with django_assert_num_queries(2):
            caller(request_with(header))
        clock.shift(timedelta(seconds=59))
        with django_assert_num_queries(1):
            caller(request_with(header))
        assert Company.objects.get(pk=company.pk).last_used_at == start
        clock.shift(timedelta(seconds=1))
        caller(request_with(header))
        assert Company.objects.get(pk=company.pk).last_used_at == start + timedelta(minutes=1)
    assert Company.objects.get(pk=other.pk).last_used_at is None
