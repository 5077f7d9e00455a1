"""`judge` says what the law of another day would find of stored guides, and writes nothing."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from shipments.manifests.countries import rules_for
from shipments.models import Guide, Manifest
from tests.conftest import Caller
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db

PERSON: dict[str, Any] = {"consignee_document_type": "CUIL", "consignee_document": "20267565393"}
RAISED, BEFORE = date(2024, 12, 1), date(2024, 11, 30)


def stored(caller: Caller, day: date, *values: int, country: str = "AR", **row: Any) -> list[Guide]:
    """Guides of one manifest, with these values, that arrive on a day."""
    manifest = shipped(caller.company, len(values), country=country, **{**PERSON, **row})
    Manifest.objects.filter(pk=manifest.pk).update(arrival_day=day)
    guides = list(manifest.guides.order_by("pk"))
    for guide, value in zip(guides, values, strict=True):
        Guide.objects.filter(pk=guide.pk).update(fob_usd=Decimal(value))
    return guides


def judged(capsys: pytest.CaptureFixture[str], on: date, country: str = "AR", **options: Any) -> list[str]:
    call_command("judge", country=country, on=on, **options)
    return capsys.readouterr().out.splitlines()


def test_a_finding_that_changes_is_a_line_with_its_guides(acme: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    stored(acme, RAISED, 900, 1001, 3000, consignee_document="")
    stored(acme, BEFORE, 2000, consignee_document="")
    before = list(Guide.objects.values())
    assert judged(capsys, RAISED) == [
        "courier_limit_exceeded: changes for 1 guide (1 by the law of their own day, 0 by that of 2024-12-01)"
    ]
    assert judged(capsys, BEFORE) == [
        "courier_limit_exceeded: changes for 2 guides (1 by the law of their own day, 3 by that of 2024-11-30)"
    ]
    assert list(Guide.objects.values()) == before


def test_the_guides_of_one_consignee_are_judged_together(acme: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    stored(acme, RAISED, 600, 600)
    assert judged(capsys, BEFORE) == [
        "consignee_limit_exceeded: changes for 1 guide (0 by the law of their own day, 1 by that of 2024-11-30)"
    ]


def test_a_finding_that_does_not_change_has_no_line(acme: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    stored(acme, RAISED, 3001)
    assert judged(capsys, date(2027, 1, 1)) == []
    # The same guide is reported by another rule of the same code.
    stored(acme, RAISED, 2000, weight_kg=Decimal(60), consignee_document="")
    assert judged(capsys, BEFORE) == []


def test_cancelled_anonymised_and_voided_guides_and_other_countries_do_not_count(
    acme: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    cancelled, anonymised, voided = (stored(acme, RAISED, 2000)[0] for _ in range(3))
    tell(cancelled, "cancelled")
    Guide.objects.filter(pk=anonymised.pk).update(anonymised_at=anonymised.created_at)
    Manifest.objects.filter(pk=voided.manifest_id).update(voided_at=voided.created_at)
    stored(acme, RAISED, 2000, country="CL")
    assert judged(capsys, BEFORE) == []


def test_it_is_narrowed_by_company_and_by_day_of_arrival(
    acme: Caller, rival: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(acme, RAISED, 2000)
    stored(acme, date(2025, 6, 1), 2000)
    stored(rival, RAISED, 2000)
    (all_of_them,), (own,) = judged(capsys, BEFORE), judged(capsys, BEFORE, company="ACME")
    (late,) = judged(capsys, BEFORE, company="ACME", since=date(2025, 6, 1))
    assert ["3 guides" in all_of_them, "2 guides" in own, "1 guide " in late] == [True] * 3
    with pytest.raises(CommandError, match="NOBODY"):
        judged(capsys, BEFORE, company="NOBODY")


def test_peru_is_not_told_of_sentences_that_change_alone(acme: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    stored(acme, date(2026, 3, 1), 1500, country="PE", consignee_document_type="DNI", consignee_document="45678912")
    assert rules_for("PE", date(2026, 3, 1)).rules != rules_for("PE", date(2026, 3, 2)).rules
    assert judged(capsys, date(2026, 3, 2), "PE") == []
