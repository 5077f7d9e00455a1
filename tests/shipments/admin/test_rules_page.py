"""*Rules in force* lists every rule of the operator's countries, with its days and its source."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from shipments.manifests.countries import COUNTRIES
from tests.country_scope.operators import operator_of

pytestmark = pytest.mark.django_db


def test_every_rule_is_listed_with_its_source(admin_client: Client) -> None:
    page = admin_client.get(reverse("rules-in-force")).content.decode().replace("\u202f", ",")
    for rules in COUNTRIES.values():
        for rule in rules.rules:
            assert escape(rule.title) in page
            assert escape(rule.source) in page
            assert rule.code in page


def test_ended_rules_say_their_last_day_and_that_they_ended(admin_client: Client) -> None:
    page = admin_client.get(reverse("rules-in-force"), headers={"accept-language": "es"}).content.decode()
    assert "Un envío por courier vale hasta US$ 1\u202f000 FOB" in page
    assert "hasta el 30 nov 2024" in page
    assert "terminada" in page


def test_an_operator_sees_the_rules_of_its_countries_and_finds_the_page_in_the_menu() -> None:
    client = operator_of("CL")
    page = client.get(reverse("rules-in-force")).content.decode()
    assert "Decreto 9 (2019)" in page
    assert "DS 192-2020-EF" not in page
    assert f'href="{reverse("rules-in-force")}"' in client.get(reverse("admin:index")).content.decode()
