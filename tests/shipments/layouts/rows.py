"""Layouts as a reading leaves them, made by hand."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.utils import timezone
from openpyxl.utils import get_column_letter

from companies.models import Company
from shipments.manifests.sheets.answers import answer_keys
from shipments.models import Layout

READ: Mapping[str, Mapping[str, Any]] = {
    "N° seguimiento": {"strength": "doubtful", "key": "asked_hawb_A"},
    "Cliente": {"strength": "sure", "field": "consignee_name"},
    "RUT": {"strength": "sure", "field": "consignee_document"},
    "Detalle": {"strength": "sure", "field": "description_original"},
    "Peso": {"strength": "likely", "field": "weight_kg", "unit": "kg"},
    "Valor": {"strength": "likely", "field": "fob_usd", "currency": "USD"},
    "Valor#2": {"heading": "Valor", "strength": "no", "key": "x_valor"},
    "Pedido": {"strength": "no", "key": "order"},
}
"""Heading -> how it was read, of a layout whose HAWB is asked."""
_COLUMN = {
    "group": "", "field": "", "key": "", "unit": "", "currency": "", "decimals": "", "strength": "no", "shape": "Aaaa",
    "fits": {}, "distinct": 1.0, "is_constant": False, "counts": False,
}  # fmt: skip


def make_layout(company: Company, country: str = "CL", columns: Mapping[str, Mapping[str, Any]] = READ) -> Layout:
    headings = [each.get("heading", heading) for heading, each in columns.items()]
    names = answer_keys(enumerate(headings))
    rows = [
        {
            **_COLUMN, "heading": headings[place], "name": names[place], "column": get_column_letter(place + 1), **each
        }
        for place, each in enumerate(columns.values())
    ]  # fmt: skip
    fingerprint = sha256(repr(sorted(names.values())).encode()).hexdigest()
    return Layout.objects.create(
        company=company, country=country, fingerprint=fingerprint, columns=rows, questions=questions("hawb", "A"),
        last_seen_at=timezone.now() + timedelta(hours=1), figures={"weight_kg": 1.5},
    )  # fmt: skip


def questions(field: str, *letters: str, heading: str = "N° seguimiento") -> Sequence[Mapping[str, Any]]:
    columns = [{"column": letter, "heading": heading, "samples": ["AA999"]} for letter in letters]
    return [{"field": field, "reason": "weak_heading", "columns": columns}]
