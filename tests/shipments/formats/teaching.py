"""Going through the pages that teach the service a workbook."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from shipments.models import FormatDraft
from tests.conftest import Caller
from tests.shipments.formats.layouts_of_clients import DNI, book

ODD = ("Código envío", "Quién", "Papel", "Cosas", "Bruto", "Plata", "Nota")
NEW = reverse("admin:shipments_workbookformat_new")
ADDRESS = "admin:shipments_workbookformat"


def odd_sample() -> bytes:
    """Headings that nobody has seen, and numbers as texts with a comma."""
    rows = [(f"H{number:04d}", "Ana Rojas", DNI, "Ropa", "1,5", 20.25, "frágil") for number in (1, 2, 3)]
    return book(*rows, headings=ODD, above=[["Destino", "LIM"]])


def begin(staff: Client, caller: Caller, content: bytes, country: str = "PE") -> FormatDraft:
    sample = SimpleUploadedFile("sample.xlsx", content)
    response = staff.post(NEW, {"company": caller.company.pk, "country": country, "file": sample})
    assert response.status_code == 302, response.content.decode()
    return FormatDraft.objects.latest("created_at")


def page(draft: FormatDraft, name: str) -> str:
    return reverse(f"{ADDRESS}_{name}", args=[draft.pk])


def fields_of(form: Any) -> dict[str, Any]:
    """What a browser would send of a form as it is shown."""
    shown = {bound.html_name: bound.value() for bound in form}
    return {name: value for name, value in shown.items() if value not in (None, False)}


def send(staff: Client, address: str, **changes: Any) -> Any:
    """Post a page of a draft as it is shown, with some fields changed."""
    shown = staff.get(address)
    assert shown.status_code == 200, shown
    context = shown.context
    form = context["form"]
    forms = getattr(form, "forms", [form])
    data = {name: value for form in forms for name, value in fields_of(form).items()}
    if "look" in context:
        place = context["look"].place
        data |= {"sheet": place.sheet, "shown": place.key, "row": place.row}
        data |= {"is_two_rows": "on"} if place.rows == 2 else {}
    return staff.post(address, data | changes)


COLUMNS = {
    "c0-field": "hawb", "c1-field": "consignee_name", "c2-field": "consignee_document",
    "c3-field": "description_original", "c4-field": "weight_kg", "c4-unit": "lb", "c4-decimals": "comma",
    "c5-field": "fob_usd", "c6-field": "extra_data", "c6-key": "nota",
}  # fmt: skip


def saved(staff: Client, draft: FormatDraft, **saving: Any) -> Any:
    """Tick the totals and save."""
    address = page(draft, "reading")
    form = staff.get(address).context["form"]
    ticked = [value for value, _text in form["compared"].field.choices]
    return staff.post(address, {**fields_of(form), "compared": ticked, **saving})


def taught(staff: Client, draft: FormatDraft, **saving: Any) -> Any:
    """Go through all pages of the odd sample."""
    assert send(staff, page(draft, "where"), **{"destination-where": "label:Destino"}).status_code == 302
    response = send(staff, page(draft, "columns"), **COLUMNS)
    assert response.status_code == 302, response.context["form"].errors
    assert staff.get(page(draft, "past")).status_code == 200
    return saved(staff, draft, **saving)
