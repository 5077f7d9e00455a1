"""What was noticed and understood is in the answer to the POST, and can be read again for as long as the manifest."""

from typing import Any

import pytest

from shipments.models import Manifest
from tests.api.answers import error
from tests.api.changing import void
from tests.api.validated import validate
from tests.books import HEADER, MAWB, guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db

NOTICED = ("rut_invalid_count", "warnings", "notices", "columns", "kept", "questions", "totals", "rows")
PATH = f"/mawbs/{MAWB}/findings"
WITH_MISTAKES = [
    guide_row(1, RUT="1-9"),
    guide_row(2, **{"Peso (kg)": "mucho"}),
    guide_row(2, **{"Contenido": "Calcetines", "Peso (kg)": 0.5}),
    guide_row(3, HAWB=None),
    guide_row(1, **{"Nombre destinatario": "Otra Persona", "RUT": "9876543-3"}),
    {"HAWB": "TOTAL", "Peso (kg)": 9.9, "Bultos": 5},
]


class TestAnUpload:
    def test_says_how_each_column_was_understood(self, acme: Caller) -> None:
        columns = acme.upload().json()["columns"]
        assert [column["column"] for column in columns] == list("ABCDEFGHIJ")
        assert [column["heading"] for column in columns] == list(HEADER)
        by_field = {column["field"]: column for column in columns}
        assert by_field["weight_kg"] == {"field": "weight_kg", "heading": "Peso (kg)", "column": "H", "unit": "kg",
                                         "strength": "sure"}  # fmt: skip
        assert by_field["fob_usd"]["currency"] == "USD"
        assert by_field["hawb"].keys() == {"field", "heading", "column", "strength"}

    def test_accounts_for_every_row_and_names_those_left_out(self, acme: Caller) -> None:
        rows = acme.upload(workbook_bytes(WITH_MISTAKES)).json()["rows"]
        left_out = rows.pop("left_out_rows")
        assert rows == {"in_table": 6, "guides": 2, "products": 1, "totals": 1, "left_out": 2}
        assert [(row["row_index"], row["reason"], row["hawb"]) for row in left_out] == [
            (7, "hawb_missing", ""),
            (8, "duplicate_hawb", "HAWB00001"),
        ]
        assert {row["sheet"] for row in left_out} == {"Sheet"}


class TestHawbsElsewhere:
    """A notice, once a manifest, if another one of the company that is not voided has some of the HAWBs."""

    OTHER = "045-98765432"

    def told(self, response: Any) -> list[str]:
        assert response.status_code in {200, 201}, response.json()
        notices: list[dict[str, str]] = response.json()["notices"]
        return [each["message"] for each in notices if each["code"] == "hawb_elsewhere"]

    def test_are_said_of_a_workbook_its_trial_and_json(self, acme: Caller, rival: Caller) -> None:
        rows = [guide_row(number) for number in (1, 2, 3)]
        assert acme.upload(workbook_bytes(rows)).status_code == 201
        again = workbook_bytes([*rows[:2], guide_row(9)], mawb=self.OTHER)
        for caller, expected in ((rival, 0), (acme, 1)):
            assert len(self.told(validate(caller, again))) == expected
            (*told,) = self.told(caller.upload(again))
            assert len(told) == expected
        assert told[0].startswith(f"2 of these HAWBs are also in your manifest {MAWB}, which has not been voided.")
        as_json = manifest(guide(1, hawb="HAWB00009"), mawb="045-11111111")
        assert self.OTHER in self.told(acme.post_json(as_json))[0]

    def test_count_no_manifest_that_was_voided(self, acme: Caller) -> None:
        acme.upload()
        assert void(acme, MAWB).status_code == 200
        assert self.told(acme.upload(workbook_bytes(mawb=self.OTHER))) == []


class TestReadingAgain:
    @pytest.mark.parametrize("path", [PATH, f"{PATH}/", "/mawbs/04512345675/findings"])
    def test_repeats_what_the_upload_answered(self, acme: Caller, path: str) -> None:
        told = acme.upload(workbook_bytes(WITH_MISTAKES)).json()
        assert told["warnings"]
        assert told["notices"]
        answer = acme.get(path)
        assert answer.status_code == 200
        assert answer.json() == {name: told[name] for name in NOTICED}

    def test_repeats_what_a_json_manifest_was_answered_without_columns_and_rows(self, acme: Caller) -> None:
        told = acme.post_json(manifest(guide(hs_code="?", products=" "), colour="red")).json()
        assert told.keys().isdisjoint({"columns", "kept", "questions", "rows"})
        again = acme.get(PATH).json()
        assert [again.pop(name) for name in ("columns", "kept", "questions", "rows")] == [[], [], [], None]
        assert again == {name: told[name] for name in NOTICED if name in told}
        assert (len(again["warnings"]), len(again["notices"])) == (1, 1)

    def test_finds_nothing_of_another_company(self, acme: Caller, rival: Caller) -> None:
        acme.upload()
        assert rival.get(PATH).json() == rival.get("/mawbs/999-00000000/findings").json()
        assert error(rival.get(PATH)) == (404, "not_found")


def unknown(answer: Any) -> list[str]:
    assert answer.status_code == 201
    return [notice["message"] for notice in answer.json()["notices"] if notice["code"] == "unknown_field"]


class TestUnknownFields:
    def test_are_said_once_each_with_their_guides_and_the_nearest_name(self, acme: Caller) -> None:
        odd: Any = {"a\u200bb\n": 1, "%(nearest)s": 3}
        product = {"description": "Libro", "quantity": 1, "unit_value": 9, "weight_kg": 1, "sku": "A", "hscode": "1"}
        body = manifest(
            guide(1, package_count=3, status="delivered"),
            guide(2, packageCount=2, products=[product, product]),
            guide(3, package_count=1, fob_kg=1),
            flight="LA2369",
            **odd,
        )
        assert unknown(acme.post_json(body)) == [
            "“flight” is not a field of the manifest and was ignored. Did you mean “flight_number”?",
            "“a�b�” is not a field of the manifest and was ignored.",
            "“%(nearest)s” is not a field of the manifest and was ignored.",
            (
                "“package_count” is not a field of a guide and was ignored; guides that have it: 2. "
                "Did you mean “packages_count”?"
            ),
            "“status” is not a field of a guide and was ignored; guides that have it: 1.",
            (
                "“packageCount” is not a field of a guide and was ignored; guides that have it: 1. "
                "Did you mean “packages_count”?"
            ),
            "“sku” is not a field of a product and was ignored; guides that have it: 1.",
            "“hscode” is not a field of a product and was ignored; guides that have it: 1. Did you mean “hs_code”?",
            "“fob_kg” is not a field of a guide and was ignored; guides that have it: 1.",  # a field of another unit
        ]

    def test_are_not_those_that_are_known_and_ignored(self, acme: Caller) -> None:
        own = {"anything": {"of": "the sender's"}}
        body = manifest(guide(country="AR", extra_data=own, category=9), country="AR") | {"country": "PE"}
        assert unknown(acme.post_json(body)) == []

    def test_of_the_form_are_said_too(self, acme: Caller, rival: Caller) -> None:
        answer = acme.upload(company_id=str(rival.company.pk), flight_numbr="LA1", weird=b"\0".decode())
        assert unknown(answer) == [
            "“company_id” is not a field of the upload's form and was ignored.",
            "“flight_numbr” is not a field of the upload's form and was ignored. Did you mean “flight_number”?",
            "“weird” is not a field of the upload's form and was ignored.",
        ]
        assert Manifest.objects.get().company == acme.company

    def test_may_be_many_and_long_and_the_answer_stays_small(self, acme: Caller) -> None:
        keys: dict[str, Any] = {f"{number:05d}{'x' * 500}": 1 for number in range(1_500)}
        answer = acme.post_json(manifest(guide(**keys)))
        assert unknown(answer)[0].startswith("There are so many fields that we do not know")
        assert len(answer.json()["notices"]) == 1_000
        assert len(answer.content) < 400_000


class TestLanguages:
    def said(self, acme: Caller, language: str | None) -> tuple[list[str], Any]:
        extra = {} if language is None else {"HTTP_ACCEPT_LANGUAGE": language}
        answer = acme.get(PATH, **extra)
        body = answer.json()
        return [each["message"] for each in (*body["warnings"], *body["notices"])], answer

    def test_are_english_and_spanish_with_the_same_codes(self, acme: Caller) -> None:
        acme.upload(workbook_bytes(WITH_MISTAKES))
        english, in_english = self.said(acme, None)
        spanish, in_spanish = self.said(acme, "es-CL,es;q=0.9")
        assert "The row has no HAWB, so no guide was created for it." in english
        assert "La fila no tiene HAWB, así que no se creó una guía." in spanish
        assert [each["error_code"] for each in in_english.json()["warnings"]] == [
            each["error_code"] for each in in_spanish.json()["warnings"]
        ]
        assert (in_english["Content-Language"], in_spanish["Content-Language"]) == ("en", "es")
        assert "Accept-Language" in in_english["Vary"]
        assert "Accept-Language" in in_spanish["Vary"]

    @pytest.mark.parametrize("language", ["pt-BR", "en;q=0.9, es;q=0.1", "?!"])
    def test_any_other_is_english(self, acme: Caller, language: str) -> None:
        acme.upload(workbook_bytes(WITH_MISTAKES))
        assert self.said(acme, language)[0] == self.said(acme, None)[0]

    def test_a_browsers_cookie_is_not_asked(self, acme: Caller) -> None:
        acme.upload(workbook_bytes(WITH_MISTAKES))
        acme.client.cookies["django_language"] = "es"
        assert self.said(acme, None)[1]["Content-Language"] == "en"

    def test_the_answer_to_a_post_and_its_refusals_are_in_them_too(self, acme: Caller) -> None:
        refused = acme.post_json(manifest(guide(weight_kg=None)), HTTP_ACCEPT_LANGUAGE="es")
        assert refused.json()["invalid_rows"][0]["message"] == "Este campo es requerido."
        assert (refused["Content-Language"], refused["Vary"]) == ("es", "Accept-Language")
        told = acme.post_json(manifest(guide(hs_code="?")), HTTP_ACCEPT_LANGUAGE="es").json()
        assert told["warnings"][0]["message"].startswith("Un código arancelario")
