"""Notes of scans are free text: they go with the person, and are named to who asks."""

from typing import Any

import pytest
from django.utils import timezone
from stdnum.cl import rut

from companies.models import Company
from shipments.models import Guide, InboundBatch, InboundScan
from shipments.privacy.anonymise import anonymise_older
from shipments.privacy.person import Documents, Person
from shipments.privacy.record import personal_record
from tests.companies.operators.tokens.speaking import Program
from tests.shipments.inbound.scanning import codes_of, opened, scan, scanned
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db
DOCUMENT = f"23456789-{rut.calc_check_digit('23456789')}"


@pytest.fixture
def batch(scanner: Program, acme: Company) -> InboundBatch:
    manifest = shipped(acme, 2)
    Guide.objects.filter(pk=manifest.guides.earliest("id").pk).update(consignee_document=DOCUMENT)
    number = opened(scanner, manifest, note="Ana's cousin called")
    scanned(scanner, number, [scan(code, note=f"for Ana {count}") for count, code in enumerate(codes_of(manifest))])
    return InboundBatch.objects.get()


@pytest.mark.usefixtures("batch")
def test_the_note_of_a_batch_goes_when_a_whole_mawb_is_anonymised() -> None:
    anonymise_older(timezone.now())
    assert set(InboundScan.objects.values_list("note", flat=True)) == {""}
    assert InboundBatch.objects.get().note == ""


@pytest.mark.usefixtures("batch")
def test_a_person_is_told_when_and_where_it_was_scanned() -> None:
    (entry,) = personal_record(Person(Documents([DOCUMENT])))
    scans: Any = entry["scans"]
    assert [(each["batch"].split(" · ")[0], each["note"]) for each in scans] == [("SCL-01", "for Ana 0")]
