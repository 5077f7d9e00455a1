"""A marked person through every door of the product, erased, and looked for everywhere, at once and long after."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection, models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shipments.models import Erasure, InboundBatch, OutgoingLayout
from shipments.privacy.drafts import file_text
from tests.companies.operators.tokens.speaking import program
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.leaks.house import House, work
from tests.leaks.later_doors import DOORS
from tests.leaks.marked import PEOPLE, RUT
from tests.prealerts.watch.listening import Listener
from tests.shipments.carriers.sending import make_sender

pytestmark = pytest.mark.django_db(transaction=True)

CHORES = ("sweep_files", "anonymise", "clearsessions", "check_totals")

NOT_A_PERSONS: Mapping[str, Sequence[str]] = {
    "operators, companies and what they may do": [
        "auth_*", "axes_*", "otp_*", "auditlog_*", "companies_[!s]*", "django_content_type.*", "*.actor", "*_by",
        "*.updated_by", "base_bucket.*", "webhooks_subscription.*",
    ],
    "digests, hints and seals": ["*sha256", "*digest", "*fingerprint", "*hint", "*.sealed_*"],
    "codes of a guide, which the receipt's reader needs": [
        "shipments_guide.bag",
        "*.tracking_code", "*.hawb", "*.mawb", "*.number", "*.subject", "django_admin_log.object_id",
    ],
    "words of ours, counts and ids, whatever is sent": [
        "*.error", "*.refusal", "*.code", "*.reason", "*.counts", "*.countries", "*.language", "*.notices",
        "*.recipients", "*.tally", "*.guides", "shipments_bulkmove.moved", "shipments_bulkmove.warnings",
        "shipments_eventheadings.columns", "*.guides_by_status", "*.status", "*.transport_mode", "*.fault",
        "*.fields", "*.endpoint", "*.file_extension", "*.facility", "*.list_name", "*.session_key", "*.drafts",
        "*.reference", "*.doubt",
        "*.remote_address",
        "shipments_flight.*", "shipments_manifestdraft.flight", "shipments_chore.*",
    ],
    "only what matches a pattern is stored": [
        "*.request_id", "*.consignee_document_type", "*.object_repr", "shipments_guide.*_country",
    ],
    "a carrier as we set it up": ["shipments_carrier.*", "shipments_carriercode.client_note"],
    "a broker's form as an operator set it up from an empty workbook": ["shipments_outgoinglayout.*"],
    "what is said of a layout, by words of ours; numbers": [
        "shipments_layoutanswer.field", "shipments_layoutanswer.unit", "shipments_layoutanswer.currency",
        "shipments_layoutanswer.decimals", "shipments_layoutanswer.zone", "shipments_layout.figures",
        "shipments_manifestdraft.refusal",
    ],
    "of a guide, blanked by the field table": [
        "shipments_guide.consignee_postal_code", "shipments_guide.hs_code", "shipments_guide.platform_*",
        "shipments_guide.products", "shipments_guide.sale_id",
    ],
    "the session of an operator: lists of codes, no person": ["django_session.session_data"],
}  # fmt: skip
"""Columns that no door marks, and why a person is not looked for in them."""


@pytest.fixture
def house(acme: Caller, rival: Caller, admin_client: Client, settings: Any) -> House:
    settings.ADMIN_SECOND_FACTOR = False
    sender = make_sender(number_key="carrier_number")
    return House(acme, rival, admin_client, program("counter", "CL"), sender, program("lima", "PE"))


def is_marked(text: str) -> bool:
    return any(mark.lower() in text.lower() for mark in PEOPLE)


def as_text(table: str, value: Any) -> str:
    """A value of any column as text: bodies and sessions decoded, JSON without its escapes."""
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    if table == Session._meta.db_table and isinstance(value, str):
        return str(Session(session_data=value).get_decoded()) if ":" in value else value
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)
    return text.encode().decode("unicode-escape", "replace") if "\\u" in text else text


def marked_columns() -> dict[str, str]:
    """table.column -> a value with a mark, of every column of every table of the database."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608  # a table of our own
            columns = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    if is_marked(text := as_text(table, value)):
                        found[f"{table}.{column}"] = text[:300]
    return found


def marked_files(media: Path) -> list[str]:
    return [path.name for path in media.rglob("*") if path.is_file() and is_marked(file_text(path))]


def text_columns() -> Iterator[str]:
    kinds = (models.CharField, models.TextField, models.JSONField, models.BinaryField)
    for model in apps.get_models(include_auto_created=True):
        for column in model._meta.concrete_fields:
            is_file = isinstance(column, models.FileField)
            if isinstance(column, kinds) and not column.choices and not is_file and not model._meta.proxy:
                yield f"{model._meta.db_table}.{column.column}"


def erase(privacy: Client) -> Erasure:
    sent = {"documents": RUT, "country": "CL", "reference": "PRIV-1", "step": "erase", "typed": "PRIV-1"}
    answer = privacy.post(reverse("privacy"), sent)
    assert answer.status_code == 302, answer.content.decode()
    return Erasure.objects.get()


def gone_out(house: House) -> Mapping[str, str]:
    """What the courier's programs and papers have of the person's guides."""
    guide, batch = house.guide(), InboundBatch.objects.filter(country="CL").latest("pk")
    layout = OutgoingLayout.objects.get(name="Broker")
    labels = reverse("admin:shipments_inboundbatch_labels", args=[batch.pk])
    answers: dict[str, Any] = {
        "feed": house.scanner.get(f"/guides?mawb={guide.manifest.mawb}&fields=all"),
        "file": house.scanner.get(f"/mawbs/{guide.manifest.mawb}/files/{layout.pk}?format=csv&company=ACME"),
        "labels": house.staff.get(labels, {"which": "all"}),
        "differences": house.staff.get(reverse("admin:shipments_inboundbatch_sheet", args=[batch.pk])),
        "scanning": house.staff.get(reverse("receive-batch", args=[batch.public_id])),
        "scanning without a network": house.staff.get(reverse("receive-shell", args=[batch.public_id])),
    }
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(answers, 200)
    assert any(row["anonymised_at"] for row in answers["feed"].json()["guides"])
    return {name: (each.getvalue() if each.streaming else each.content).decode() for name, each in answers.items()}


def test_nothing_is_left_of_a_person_who_came_through_every_door(
    house: House, media: Path, ears: Listener, settings: Any
) -> None:
    """The log, the metrics and what Sentry receives are searched by `ears`."""
    for enter in DOORS:
        enter(house)
    patterns = [pattern for listed in NOT_A_PERSONS.values() for pattern in listed]
    never = {name for name in text_columns() if any(fnmatch(name, pattern) for pattern in patterns)}
    assert set(text_columns()) - set(marked_columns()) - never == set(), "no door leads to these columns"
    assert marked_files(media)
    receipt = erase(operator_of("CL", role="Privacy"))
    assert receipt.finished_at is None, "uploads were waiting"
    work()
    receipt = Erasure.objects.get()
    assert receipt.finished_at is not None
    assert receipt.sealed_person == ""
    assert len(receipt.drafts) == 4, "two manifests, a sample, and a workbook that waits for an answer"
    assert marked_columns() == {}
    assert marked_files(media) == []
    for send in house.after:
        send()
    assert marked_columns() == {}, "what came after the erasure"
    assert [name for name, content in gone_out(house).items() if is_marked(content)] == []
    settings.RETENTION_DAYS_PERSONAL_DATA = 365
    with time_machine.travel(timezone.now() + timedelta(days=60), tick=True):
        for chore in CHORES:
            call_command(chore, stdout=StringIO())
        call_command("prune_webhook_log", "--older-than", "90", stdout=StringIO())
        call_command("work", "--once")
    assert marked_columns() == {}
    assert marked_files(media) == []
    ears.keep(house.acme.get(f"/guides/{house.guide().tracking_code}"))
