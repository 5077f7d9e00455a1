"""Event files whose headings are not understood: which columns are which is asked, and remembered if wanted."""

import csv
import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from openpyxl import Workbook

from companies.models import Company
from shipments.models import BulkMove, Carrier, EventHeadings, Manifest
from tests.companies.admin_pages import operator
from tests.shipments.admin.pages import text_of
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

PAGE = reverse("import-events")
HEADINGS = "Código;Situación;Fecha entrega;Hora;Receptor"


@pytest.fixture
def manifest(ours: Company) -> Manifest:
    return shipped(ours, 3, mawb="045-12345675")


@pytest.fixture
def rows(manifest: Manifest) -> list[str]:
    codes = manifest.guides.order_by("hawb").values_list("tracking_code", flat=True)
    return [f"{code};En tránsito;20/11/2026;14:3{number};Ana" for number, code in enumerate(codes)]


def sent(staff: Client, *lines: str, headings: str = HEADINGS) -> Any:
    """The page that answers an upload."""
    file = SimpleUploadedFile("courier.csv", "\n".join([headings, *lines]).encode())
    return staff.post(PAGE, {"file": file}, follow=True)


def answer(staff: Client, question: Any, **answers: Any) -> Any:
    """The page after the question is answered as it proposes, but for `answers`."""
    proposed = {name: value for name, value in question.context["form"].initial.items() if value is not None}
    return staff.post(question.redirect_chain[-1][0], {**proposed, "remember": "", **answers}, follow=True)


def test_are_asked_for_with_what_they_seem_to_be(staff: Client, rows: list[str], manifest: Manifest) -> None:
    staff.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
    question = sent(staff, *rows)
    page = text_of(question)
    for words in ("Código", "Estado", "Fecha", "Hora", "Recordar", "Fecha entrega", "Receptor"):
        assert words in page
    assert question.context["form"].initial == {"code": 0, "status": 1, "date": 2, "time": 3, "remember": True}
    preview = text_of(answer(staff, question))
    assert "Columnas que no se leyeron: Receptor." in preview
    assert "20 nov" in preview
    move = BulkMove.objects.get()
    staff.post(reverse("admin:shipments_bulkmove_change", args=[move.pk]), {"step": "run"})
    assert manifest.guides.filter(status="in_transit").count() == 3
    move.refresh_from_db()
    assert (move.table, move.tally) == ([], {"advanced": 3})


def test_are_asked_for_once_if_they_are_to_be_remembered(staff: Client, rows: list[str]) -> None:
    for _file in range(2):
        answer(staff, sent(staff, *rows))
    assert not EventHeadings.objects.exists()
    answer(staff, sent(staff, *rows), remember="on")
    preview = sent(staff, *rows)
    assert "Nothing has been changed yet." in text_of(preview)
    assert "The columns are others" in text_of(preview)
    assert "Which columns are these?" in text_of(sent(staff, *rows, headings=HEADINGS.replace("Receptor", "Recibe")))
    colleague = operator("change_guide", "view_guide", username="oscar")
    assert "Nothing has been changed yet." in text_of(sent(colleague, *rows))


def test_of_two_carriers_that_mean_different_things_are_asked_for_again(staff: Client, rows: list[str]) -> None:
    carriers = [Carrier.objects.create(slug=f"c-{n}", name=f"C{n}", countries=["CL"]) for n in range(2)]
    answer(staff, sent(staff, *rows), remember="on", carrier=carriers[0].pk)
    assert "Nothing has been changed yet." in text_of(sent(staff, *rows))
    change = reverse("import-events-columns", args=[BulkMove.objects.latest("created_at").pk])
    told = {"code": 0, "status": 4, "date": 2, "time": 3, "remember": "on", "carrier": carriers[1].pk}
    staff.post(change, told)
    assert "Which columns are these?" in text_of(sent(staff, *rows))
    assert {kept.carrier for kept in EventHeadings.objects.all()} == set(carriers)


def test_of_a_workbook_are_asked_for_too_and_beside_a_mawb_the_code_is_a_hawb(
    staff: Client, manifest: Manifest
) -> None:
    book, output = Workbook(), io.BytesIO()
    sheet = book.worksheets[0]
    sheet.append(["Reporte"])
    sheet.append(["MAWB", "Nro envío", "Situación"])
    sheet.append(["045-12345675", "H001", "Perdido"])
    book.save(output)
    file = SimpleUploadedFile("courier.xlsx", output.getvalue())
    question = staff.post(PAGE, {"file": file}, follow=True)
    answer(staff, question, code=1, status=2)
    move = BulkMove.objects.get()
    assert move.tally == {"advanced": 1}
    assert move.lines[0][4] == "H001"
    assert manifest.guides.filter(status="lost").count() == 0


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"code": ""}, "This field is required"),
        ({"code": 1}, "Two of these are the same column"),
        ({"status": 99}, "Select a valid choice"),
        ({"date": ""}, "A time of day needs its date."),
    ],
)
def test_a_wrong_answer_says_what_to_change(staff: Client, rows: list[str], answers: dict[str, Any], said: str) -> None:
    response = answer(staff, sent(staff, *rows), **answers)
    assert response.status_code == 400
    assert said in response.content.decode()
    assert BulkMove.objects.get().state == "asking"


def test_is_the_operators_own_question(staff: Client, rows: list[str]) -> None:
    question = sent(staff, *rows)
    address = question.redirect_chain[-1][0]
    change = reverse("admin:shipments_bulkmove_change", args=[BulkMove.objects.get().pk])
    assert staff.get(change)["Location"] == address, "the history leads back to the question"
    colleague = operator("change_guide", "view_guide", username="oscar")
    assert colleague.get(address)["Location"] == change
    text_of(colleague.get(change))
    assert operator("view_guide", username="rita").get(address).status_code == 403


def test_the_results_are_in_the_operators_words(staff: Client, rows: list[str]) -> None:
    staff.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
    answer(staff, sent(staff, rows[0], "NADIE;Entregada;20/11/2026;14:30;Ana"))
    response: Any = staff.get(reverse("admin:shipments_bulkmove_lines", args=[BulkMove.objects.get().pk]))
    content = b"".join(response.streaming_content).decode("utf-8-sig")
    refused, advanced = csv.DictReader(io.StringIO(content), delimiter=";")
    assert refused["Por qué"].startswith("Ninguna guía")
    assert (advanced["Nuevo estado"], advanced["Fila"]) == ("En tránsito", "2")
