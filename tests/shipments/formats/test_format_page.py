"""A format's own page: its versions, its files, its uploads, and columns that were renamed."""

import json
from io import BytesIO

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from companies.admin_base.activity import act_in_words
from shipments.models import FormatAlarm, WorkbookFormat
from tests.conftest import Caller
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.formats.layouts_of_clients import HEADINGS, NAME, bind, book, format_json, guide
from tests.shipments.formats.teaching import ADDRESS

pytestmark = pytest.mark.django_db


class TestTheFormatsOwnPage:
    def test_says_what_changed_between_versions_and_goes_back(self, staff: Client, lima: Caller) -> None:
        version = bind(lima)
        bind(lima, format_json(weight_kg={"unit": "lb"}))
        shown = text_of(staff.get(reverse(f"{ADDRESS}_change", args=[version.format_id])))
        assert "Bruto now in lb" in shown
        use = reverse(f"{ADDRESS}_use_version", args=[version.format_id])
        assert f'href="{use}?number=1"' in shown
        assert staff.get(f"{use}?number=1").context["form"]["number"].value() == "1"

    def test_gives_its_file_and_an_empty_workbook_that_the_format_reads(self, staff: Client, lima: Caller) -> None:
        version = bind(lima)
        file = staff.get(reverse(f"{ADDRESS}_download", args=[version.format_id, 1]))
        assert json.loads(file.content)["name"] == NAME
        assert staff.get(reverse(f"{ADDRESS}_download", args=[version.format_id, 2])).status_code == 404
        content = staff.get(reverse(f"{ADDRESS}_empty", args=[version.format_id])).content
        filled = load_workbook(BytesIO(content))
        sheet = filled.worksheets[0]
        sheet.append(guide(1))
        sheet.append(["MAWB", "045-12345675"])
        output = BytesIO()
        filled.save(output)
        assert lima.upload(output.getvalue()).status_code == 201

    def test_accepts_a_renamed_column_without_a_file(self, staff: Client, lima: Caller) -> None:
        version = bind(lima)
        renamed = book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]])
        assert lima.upload(renamed).status_code == 400
        alarm = FormatAlarm.objects.get()
        accept = reverse(f"{ADDRESS}_accept", args=[version.format_id, alarm.pk])
        chosen = {"heading": "Bruto", "spelling": "Masa total"}
        assert operator_of("PE", username="r", role="Read-only").post(accept, chosen).status_code == 403
        assert operator_of("CL", username="c").post(accept, chosen).status_code == 404
        assert staff.post(accept, {**chosen, "heading": "Otra"}).status_code == 302
        assert WorkbookFormat.objects.get().in_use == version
        staff.post(accept, chosen)
        assert lima.upload(renamed).status_code == 201
        alarm.refresh_from_db()
        assert alarm.closed_at is not None
        assert "was closed already" in text_of(staff.post(accept, chosen, follow=True))
        assert LogEntry.objects.count() == 1

    def test_closes_an_alarm_once_and_logs_it(self, staff: Client, lima: Caller) -> None:
        version = bind(lima)
        lima.upload(book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]]))
        close = reverse(f"{ADDRESS}_accept", args=[version.format_id, FormatAlarm.objects.get().pk])
        for said in ("The next such upload raises it again", "was closed already"):
            assert said in text_of(staff.post(close, {"close": ""}, follow=True))
        assert act_in_words(LogEntry.objects.get()) == "Closed an alarm without a change."

    def test_two_renamed_columns_are_accepted_one_after_the_other(self, staff: Client, lima: Caller) -> None:
        version = bind(lima)
        renamed = book(headings=[*HEADINGS[:4], "Masa total", "Dinero", *HEADINGS[6:]])
        assert lima.upload(renamed).status_code == 400
        alarm = FormatAlarm.objects.get()
        page = reverse(f"{ADDRESS}_change", args=[version.format_id])
        for field in staff.get(page).context["alarms"][0].form:
            assert field.field.choices[0][0] == "", "which is which is the operator's to say"
        accept = reverse(f"{ADDRESS}_accept", args=[version.format_id, alarm.pk])
        first = staff.post(accept, {"heading": "Bruto", "spelling": "Masa total"}, follow=True)
        assert "Other columns still differ." in text_of(first)
        assert lima.upload(renamed).status_code == 400
        alarm.refresh_from_db()
        assert (alarm.headings, alarm.count) == ({"missing": [HEADINGS[5]], "new": ["Dinero"]}, 2)
        second = staff.post(accept, {"heading": HEADINGS[5], "spelling": "Dinero"}, follow=True)
        assert "Ask the client to send the refused workbook again" in text_of(second)
        assert lima.upload(renamed).status_code == 201

    def test_lists_the_uploads_of_the_last_days(self, staff: Client, lima: Caller) -> None:
        bind(lima)
        lima.upload(book())
        changes = staff.get(reverse(f"{ADDRESS}_changelist")).context["cl"]
        assert [form.uploads_count for form in changes.result_list] == [1]
