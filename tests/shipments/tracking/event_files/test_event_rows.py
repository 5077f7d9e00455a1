"""Rows of event files: their words, their times, and what is wrong with them."""

from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from typing import Any

import pytest
from django.utils import translation
from openpyxl import load_workbook

from shipments.admin.event_files import event_template
from shipments.labels import SOURCE_LABELS, STATUS_LABELS
from shipments.statuses import GuideStatus, Source
from shipments.tracking.event_files import words as event_words
from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.moves import ReportedEvent
from tests.shipments.tracking.event_files.rows import CODE, HEADER, good


class TestRows:
    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            (",lost,,,", "Enter the guide"),
            (f"{CODE},,,,", "The status is missing"),
            (f"{CODE},flying,,,", 'The status "flying" is unknown'),
            (f"{CODE},lost,yesterday,,", "The time cannot be read"),
            (f"{CODE},lost,31/02/2026 10:00,,", "The time cannot be read"),
            (f"{CODE},lost,1989-01-01 10:00,,", "The time cannot be read"),
            (f"{CODE},lost,20/11/2026,,", "The date has no time of day"),
            (f"{CODE},lost,,rumour,", "The source is unknown"),
            (f"{CODE},lost,,,{'x' * 256}", "at most 255 characters"),
        ],
    )
    def test_that_cannot_be_taken_are_reported_with_their_number_and_why(
        self, write: Any, line: str, complaint: str
    ) -> None:
        bad, fine = write(f"{HEADER}\n{line}\n{CODE},lost,,,\n")
        assert isinstance(bad, BadRow)
        assert isinstance(fine, EventRow)
        assert (bad.row, bad.guide) == (2, line.split(",", maxsplit=1)[0])
        assert complaint in bad.problem

    def test_by_mawb_need_a_mawb_and_a_hawb(self, write: Any) -> None:
        rows = write("mawb,hawb,status\n045-1234567,H1,lost\n045-12345675,,lost\n045 1234 5675,h1,lost\n")
        assert [row.problem[:12] if isinstance(row, BadRow) else row.guide for row in rows] == [
            "Not a valid ",
            "Enter the gu",
            "045-12345675 H1",
        ]

    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("2026-11-20T14:30:00-03:00", datetime(2026, 11, 20, 14, 30, tzinfo=timezone(timedelta(hours=-3)))),
            ("2026-11-20T17:30:00Z", datetime(2026, 11, 20, 17, 30, tzinfo=UTC)),
        ],
    )
    def test_keep_an_offset_that_is_written(self, write: Any, written: str, expected: datetime) -> None:
        (row,) = good(write(f"{HEADER}\n{CODE},lost,{written},,\n"))
        assert row.reported.occurred_at == expected

    def test_without_time_source_and_reason_are_an_operators_of_now(self, write: Any) -> None:
        (row,) = good(write(f"tracking_code,status\n {CODE.lower()} ,In Transit\n"))
        assert row == EventRow(2, CODE, "", "", ReportedEvent(GuideStatus.IN_TRANSIT))


class TestWords:
    def test_each_means_one_thing(self) -> None:
        known: dict[str, Any] = {
            "columns": event_words.HEADINGS, "statuses": event_words.STATUSES, "sources": event_words.SOURCES,
        }  # fmt: skip
        for table, words in event_words._WORDS.items():
            for meaning, listed in words.items():
                assert {known[table][event_words.fold_word(word)] for word in listed.split(",")} == {meaning}

    @pytest.mark.parametrize(
        ("word", "status"),
        [
            ("Entregado", "delivered"),
            ("NO ENTREGADO", "delivery_failed"),
            ("Entregado al destinatario", "delivered"),
            ("Devuelto al remitente", "returned"),
            ("En devolución al remitente", "returning_to_sender"),
            ("Retenido en Aduana", "customs_held"),
            ("Liberado de Aduana", "customs_released"),
            ("Documentación pendiente", "customs_documents_required"),
            ("Pendiente de pago", "customs_duties_pending"),
            ("Held at customs", "customs_held"),
            ("Delivery attempt failed", "delivery_failed"),
        ],
    )
    def test_of_people_are_understood(self, word: str, status: str) -> None:
        assert event_words.STATUSES[event_words.fold_word(word)] == status

    def test_of_the_contract_and_its_codes_are_known(self) -> None:
        for status in GuideStatus:
            for word in (status.value, status.value.replace("_", " ").title(), str(status.code)):
                assert event_words.STATUSES[event_words.fold_word(word)] is status

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_that_operators_read_are_known(self, language: str) -> None:
        with translation.override(language):
            for status, label in STATUS_LABELS.items():
                assert event_words.STATUSES.get(event_words.fold_word(str(label))) is status, str(label)
            for source, source_label in SOURCE_LABELS.items():
                assert event_words.SOURCES.get(event_words.fold_word(str(source_label))) is source, str(source_label)


class TestTheTemplate:
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_is_read_as_it_is_and_holds_no_rows(self, write: Any, language: str) -> None:
        with translation.override(language):
            assert write(event_template().getvalue()) == []

    def test_filled_in_is_an_import(self, write: Any) -> None:
        book = load_workbook(event_template())
        book.worksheets[0].append([CODE, None, None, "delivered", "2026-11-20 14:30", "courier_scan", "Signed"])
        output = BytesIO()
        book.save(output)
        (row,) = good(write(output.getvalue()))
        assert (row.tracking_code, row.reported.status, row.reported.source, row.reported.internal_note) == (
            CODE,
            "delivered",
            "courier_scan",
            "Signed",
        )

    def test_offers_the_possible_statuses(self) -> None:
        book = load_workbook(event_template())
        sheet, notes = book.worksheets
        ranges = [choice.formula1.rpartition("!")[2] for choice in sheet.data_validations.dataValidation]
        assert [[cell.value for (cell,) in notes[cells.replace("$", "")]] for cells in ranges] == [
            [str(STATUS_LABELS[status]) for status in GuideStatus if status != "registered"],
            [str(SOURCE_LABELS[source]) for source in Source if source != "pre_alert"],
        ]
