"""What readers and rules say in the API's English, operators read in their own language."""

import pytest
from django.test import Client
from django.utils import translation

from shipments.admin.understanding import field_name
from shipments.manifests.manifest import Params
from shipments.models import Guide, Manifest
from shipments.wording.rendering import in_operators_words, in_words, reason_in_words
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.shipments.admin.pages import of_guide, of_manifest, text_of

pytestmark = pytest.mark.django_db

SPANISH = {"accept-language": "es"}


def test_what_a_person_wrote_is_shown_as_it_was_written() -> None:
    with translation.override("es"):
        assert reason_in_words("released_by_customs") == "Liberada por aduana."
        assert reason_in_words("Papers seen.") == "Papers seen."
        assert reason_in_words("required") == "required"  # a key of the catalogue, but none of a guide's reasons


def test_a_finding_and_a_guides_reason_of_one_key_have_each_its_own_words() -> None:
    params = {"column": "F", "heading": "Valor", "field": "fob_usd"}
    assert "Column F, “Valor”, may contain fob_usd" in in_words("column_in_doubt", params)
    assert reason_in_words("column_in_doubt") == "A column of the workbook may contain a field that was not read."


def test_what_customs_asks_for_is_named_in_words() -> None:
    params: Params = {"names": "brand, goods_country", "count": 2}
    assert "brand, goods_country" in in_words("customs_details_missing", params), "the keys that a client sends"
    with translation.override("es"):
        assert "marca, país de origen de la mercancía" in in_operators_words(
            "customs_details_missing", params, field_name
        )


def test_a_manifests_remarks_are_read_in_spanish(staff: Client, acme: Caller) -> None:
    rows = [
        guide_row(1, **{"RUT": "1-9", "Peso (kg)": "mucho", "Valor FOB USD": "?", "Bultos": "0"}),
        guide_row(2, **{"RUT": "", "Valor FOB USD": "1.234"}),
        guide_row(3), guide_row(3, RUT="7654321-6", **{"Nombre destinatario": "Otra persona"}),
        guide_row(4), guide_row(4, Contenido="Reloj"),
        guide_row(5, HAWB=None), guide_row(6, Contenido="x" * 5000),
    ]  # fmt: skip
    answer = acme.upload(workbook_bytes(rows, mawb="045-12345676"))
    assert answer.status_code == 201
    page = text_of(staff.get(of_manifest(Manifest.objects.get()), headers=SPANISH))
    said = [each["message"] for each in [*answer.json()["warnings"], *answer.json()["notices"]]]
    assert len(said) >= 10
    for message in said:
        assert message not in page
    assert "El largo del RUT no es correcto" in page
    assert "El último dígito de 045-12345676 no es el verificador" in page
    kept = [*Manifest.objects.get().warnings, *Manifest.objects.get().notices]
    assert not any("message" in each for each in kept)


def test_a_correction_is_refused_in_spanish(staff: Client, acme: Caller) -> None:
    acme.upload(workbook_bytes([guide_row(1, RUT="1-9")]))
    kept = Guide.objects.get()
    sent = {"step": "run", "consignee_name": "Ana", "consignee_document": "12345678-0"}
    page = text_of(staff.post(of_guide(kept, "correct_consignee"), sent, headers=SPANISH))
    assert "El dígito verificador del RUT no corresponde a su número." in page
    kept.refresh_from_db()
    assert kept.needs_review
