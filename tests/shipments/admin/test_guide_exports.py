"""Exports from the admin contain what the filter matches, need a permission, and are recorded."""

import csv
import io
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from base.admin.activity import ActKind
from companies.models import Company
from tests.shipments.admin.pages import GUIDES, text_of, ticked
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

CSV, XLSX = reverse("admin:shipments_guide_export_csv"), reverse("admin:shipments_guide_export_xlsx")


def rows_of(response: Any) -> list[dict[str, str]]:
    """The rows of a CSV or XLSX answer, under its headings."""
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith("attachment; ")
    content = response.getvalue()
    if response["Content-Type"].startswith("text/csv"):
        return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    sheet: Any = openpyxl.load_workbook(io.BytesIO(content)).active
    header, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.mark.parametrize("address", [CSV, XLSX])
def test_all_of_a_filter_goes_out(staff: Client, ours: Company, theirs: Company, address: str) -> None:
    shipped(ours, 3)
    shipped(theirs, 2)
    rows = rows_of(staff.get(address, {"company": "OURS"}))
    assert [row["Client code"] for row in rows] == ["OURS"] * 3
    entry = LogEntry.objects.get()
    assert "company=OURS" in entry.change_message
    assert entry.user.get_username() == "olga"


def test_an_operator_who_reads_spanish_gets_what_excel_in_spanish_reads(staff: Client, ours: Company) -> None:
    shipped(ours, 1, weight_kg=Decimal("1.5"))
    content = staff.get(CSV, headers={"accept-language": "es"}).getvalue().decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(content), delimiter=";")
    assert (row["Código de cliente"], row["Peso (kg)"]) == ("OURS", "1,500")


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_what_is_ticked_goes_out(staff: Client, ours: Company, kind: str) -> None:
    one, two, _three = shipped(ours, 3).guides.order_by("pk")
    bring(two, "lost")
    rows = rows_of(staff.post(GUIDES, ticked(f"export_ticked_as_{kind}", one, two)))
    assert {(row["Tracking code"], row["Status"]) for row in rows} == {
        (one.tracking_code, "Registered"),
        (two.tracking_code, "Lost"),
    }


def test_who_may_only_read_takes_nothing_out(reader: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1).guides.all()
    page = text_of(reader.get(GUIDES))
    for address in (CSV, XLSX):
        assert address not in page
        assert reader.get(address).status_code == 403
    answer = reader.post(GUIDES, ticked("export_ticked_as_csv", guide))
    assert "Content-Disposition" not in answer.headers
    assert not LogEntry.objects.filter(action_flag=ActKind.EXPORTED).exists()
