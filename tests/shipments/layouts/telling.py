"""Workbooks of layouts that nobody knows, and what is told of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from shipments.manifests.sheets.answers import answer_key
from shipments.models import Layout, LayoutAnswer
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller

HEADINGS: Mapping[str, str] = {
    "Bulto Fénix": "HAWB", "Quién": "Nombre destinatario", "RUT": "RUT", "Dónde": "Dirección", "Comuna": "Comuna",
    "Teléfono": "Teléfono", "Qué": "Contenido", "Masa": "Peso (kg)", "Cuántos": "Bultos", "Monto": "Valor FOB USD",
}  # fmt: skip
"""A strange heading -> the ordinary one."""

ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "Bulto Fénix": {"field": "hawb"},
    "Quién": {"field": "consignee_name"},
    "RUT": {"field": "consignee_document"},
    "Dónde": {"field": "consignee_address"},
    "Comuna": {"field": "consignee_city"},
    "Teléfono": {"field": "consignee_phone"},
    "Qué": {"field": "description_original"},
    "Masa": {"field": "weight_kg", "unit": "kg"},
    "Cuántos": {"field": "packages_count"},
    "Monto": {"field": "fob_usd", "currency": "USD"},
}


def strange(
    mawb: str = "045-12345675",
    *,
    guides: int = 3,
    headings: Sequence[str] = (),
    labels: Mapping[str, object] | None = None,
    weight: float = 1.5,
    **changes: object,
) -> bytes:
    """A workbook under strange headings. headings: in place of them, in their order. weight, changes: of each guide."""
    named = dict(zip(headings or HEADINGS, HEADINGS.values(), strict=False))
    rows = []
    for number in range(1, guides + 1):
        row = {**guide_row(number), "Peso (kg)": weight, **changes}
        rows.append({heading: row[ordinary] for heading, ordinary in named.items()})
    return workbook_bytes(rows, mawb=mawb, header=tuple(named), labels=labels)


def tell(layout: Layout, answers: Mapping[str, Mapping[str, Any]] = ANSWERS) -> None:
    for heading, answer in answers.items():
        name = answer_key(heading)
        LayoutAnswer.objects.update_or_create(layout=layout, name=name, defaults={"heading": heading, **answer})


def confirm(layout: Layout) -> None:
    Layout.objects.filter(pk=layout.pk).update(confirmed_at=timezone.now())


def told_layout(caller: Caller, country: str = "CL", airport: str = "SCL") -> Layout:
    """The layout of the strange headings, told and confirmed after a first workbook was refused."""
    refused = caller.upload(strange("045-00000002"), destination_airport=airport)
    assert refused.status_code == 400, refused.content
    layout = Layout.objects.get(company=caller.company, country=country)
    tell(layout)
    confirm(layout)
    return layout


def codes(answer: Any) -> list[str]:
    return [notice["code"] for notice in answer.json()["notices"]]
