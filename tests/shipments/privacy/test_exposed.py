"""`exposed` lists what a leaked password or account could have shown, and what it did show."""

import json
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shipments.models import Guide, Manifest
from tests.conftest import Caller
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

YESTERDAY = date.today() - timedelta(days=1)  # noqa: DTZ011  # any day before the test


def exposed(capsys: pytest.CaptureFixture[str], since: date = YESTERDAY, **whose: str) -> tuple[dict[str, Any], Any]:
    """The numbers, and tracking code -> whether it was read."""
    call_command("exposed", since=since, **whose)
    numbers, *lines = map(json.loads, capsys.readouterr().out.splitlines())
    return numbers, {line["tracking_code"]: line["read"] for line in lines}


def test_a_password_shows_the_guides_of_its_company_alone(
    acme: Caller, rival: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    same = shipped(acme.company, 2, consignee_document="12345678-5")
    nameless, voided, old = shipped(acme.company, 2), shipped(acme.company, 1), shipped(acme.company, 1)
    shipped(rival.company, 3)
    long_ago = timezone.now() - timedelta(days=30)
    Manifest.objects.filter(pk=voided.pk).update(voided_at=long_ago)
    Guide.objects.filter(manifest=old).update(anonymised_at=long_ago)
    numbers, lines = exposed(capsys, company="ACME")
    expected = Guide.objects.filter(manifest__in=[same, nameless]).values_list("tracking_code", flat=True)
    assert lines == dict.fromkeys(expected)
    assert (numbers["people"], numbers["guides"], numbers["people_read"], numbers["guides_read"]) == (3, 4, None, None)
    long_since, _lines = exposed(capsys, since=YESTERDAY - timedelta(days=60), company="ACME")
    assert long_since["guides"] == 6


def test_an_operator_could_read_its_countries_and_did_read_what_the_log_says(
    admin_client: Client, admin_user: User, acme: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    opened, listed = (shipped(acme.company, 1, consignee_document=f"{number}") for number in (1, 2))
    admin_client.get(reverse("admin:shipments_guide_change", args=[opened.guides.get().pk]))
    admin_client.get(reverse("admin:shipments_guide_changelist") + f"?q={listed.mawb}")
    unseen = shipped(acme.company, 1).guides.get()
    numbers, lines = exposed(capsys, operator=admin_user.get_username())
    assert lines == {
        opened.guides.get().tracking_code: True,
        listed.guides.get().tracking_code: True,
        unseen.tracking_code: False,
    }
    assert (numbers["people"], numbers["people_read"], numbers["guides_read"]) == (3, 2, 2)
    User.objects.filter(pk=admin_user.pk).update(is_active=False)  # which is what is done first
    assert exposed(capsys, operator=admin_user.get_username()) == (numbers, lines)


def test_an_operator_without_the_right_or_the_country_could_read_nothing(
    acme: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped(acme.company, 1)
    User.objects.create_user("nobody")
    assert exposed(capsys, operator="nobody")[0]["guides"] == 0


@pytest.mark.parametrize("whose", [{"company": "NOBODY"}, {"operator": "NOBODY"}])
def test_a_wrong_name_is_refused(whose: dict[str, str]) -> None:
    with pytest.raises(CommandError, match="NOBODY"):
        call_command("exposed", since=YESTERDAY, **whose)
