"""Uploads in a layout that is no longer the one that was onboarded."""

from typing import Any

import pytest

from shipments.models import FormatAlarm, Guide
from tests.api.answers import error
from tests.api.whole_form import nothing_stored
from tests.conftest import BASE, Caller, as_file
from tests.shipments.formats.layouts_of_clients import HEADINGS, NAME, RUT, bind, book, format_json, guide
from tests.shipments.formats.noticed import codes

pytestmark = pytest.mark.django_db

_SURNAMES = ("Rojas", "Soto", "Paz", "Luna", "Vega", "Díaz", "Ríos", "Mora")


class TestDrift:
    def test_of_order_case_and_rows_above_changes_nothing(self, lima: Caller) -> None:
        bind(lima)
        turned = [*reversed(guide(1))]
        headings = [heading.upper().replace("Ó", "O") for heading in reversed(HEADINGS)]
        response = lima.upload(book(turned, headings=headings, above=[["Manifiesto"], ["de", "ACME"]]))
        assert codes(response) == []
        assert Guide.objects.values_list("hawb", "consignee_name", "packages_count").get() == ("H0001", "Ana Rojas", 1)

    @pytest.mark.parametrize(
        ("values", "field"),
        [
            ({"Quién": "Jr. Cusco 281", "Calle": "Ana Rojas"}, "consignee_name"),
            ({"Calle": "ana@example.com", "Correo": "Av. Larco 743"}, "consignee_address"),
            ({"Cosas": "6404.11.00"}, "description_original"),
            ({"Distrito": "Calle Prat 856"}, "consignee_city"),
            ({"Depto": "released"}, "consignee_region"),
            ({"Quién": "Zapatillas de mujer", "Cosas": "Ana Rojas Soto"}, "consignee_name"),
            ({"Quién": "Zapatillas de mujer", "Cosas": "Ana Rojas Soto"}, "description_original"),
            ({"Quién": "San Isidro", "Distrito": "Ana Rojas Soto"}, "consignee_city"),
            ({"Calle": "Miraflores", "Distrito": "Los Olivos 1204"}, "consignee_city"),
            ({"Cosas": "Miraflores", "Distrito": "Zapatillas"}, "consignee_city"),
            ({"Distrito": "Perú"}, "consignee_city"),
            ({"Calle": "1204"}, "consignee_address"),
        ],
    )
    def test_by_swapped_columns_is_said_also_without_a_profile(
        self, lima: Caller, values: dict[str, str], field: str
    ) -> None:
        more = {
            "Calle": "consignee_address",
            "Correo": "consignee_email",
            "Distrito": "consignee_city",
            "Depto": "consignee_region",
        }
        usual = {"Calle": "Av. Larco 743", "Correo": "ana@example.com", "Distrito": "Miraflores", "Depto": "15"}
        columns = [{"heading": heading, "field": name} for heading, name in more.items()]
        bind(lima, format_json(columns=columns))
        headings = (*HEADINGS, *more)

        def rows(**changes: str) -> list[Any]:
            own = {heading: cell for heading, cell in changes.items() if heading in HEADINGS}
            return [[*guide(at, **own), *((usual | changes)[heading] for heading in more)] for at in (1, 2, 3)]

        assert codes(lima.upload(book(*rows(), headings=headings))) == []
        assert not Guide.objects.filter(needs_review=True).exists()
        swapped = lima.upload(book(*rows(**values), headings=headings, mawb="045-12345686"))
        said = [notice["message"] for notice in swapped.json()["notices"] if notice["code"] == "values_unlike_format"]
        assert any(field in message for message in said)
        assert Guide.objects.filter(needs_review=True).count() == 3
        assert FormatAlarm.objects.get().kind == "unlike"

    @pytest.mark.parametrize(
        "changes",
        [
            {"Código envío": (1, 2, 3, 4, 5)},
            {"Código envío": tuple(f"0{day}/11/2026" for day in range(1, 6))},
            {"Código envío": (1.25, 0.5, 3.75, 8.1, 2.2)},
            {"Código envío": ("Ana", "Beto", "Carla", "Dora", "Elsa")},
            {"Bultos": (1, 2, 3, 4, 5, 6)},
            {"Papel": ("45678912", "41234567", "42345678", "43456789", "44567890")},
            {"Quién": ("Ana Rojas", "Beto Soto", "Carla Paz", "Dora Luna", "Elsa Vega")},
        ],
    )
    def test_by_values_that_only_count_or_belong_to_an_agent_is_said(
        self, lima: Caller, changes: dict[str, tuple[Any, ...]]
    ) -> None:
        bind(lima)
        numbers = range(1, 1 + max(map(len, changes.values())))
        rows = [guide(at, **{name: cells[at - 1] for name, cells in changes.items()}) for at in numbers]
        assert "values_unlike_format" in codes(lima.upload(book(*rows)))
        assert not Guide.objects.filter(needs_review=False).exists()

    @pytest.mark.parametrize(
        ("changes", "doubted"),
        [
            ({"Bultos": 40}, 40), ({"Quién": "Courier Sur SAC"}, 40),
            ({"Cosas": "SKU-7712"}, 40), ({"Bruto": 3.4}, 0), ({"Plata": 75.0}, 0), ({"Bruto": 2.9}, None),
        ],
    )  # fmt: skip
    def test_by_values_unlike_those_of_the_sample_is_said(
        self, lima: Caller, changes: dict[str, Any], doubted: int | None
    ) -> None:
        text = {"distinct": 1, "digits": 0}
        numbers = {"weight_kg": {"median": 1.5}, "fob_usd": {"median": 20}, "packages_count": {"median": 1}}
        texts = {"consignee_name": text, "description_original": {"digits": 0}}
        bind(lima, format_json(profile=numbers | texts))
        people = [f"{given} {surname}" for given in ("Ana", "Beto", "Elsa", "Raúl", "Inés") for surname in _SURNAMES]
        rows = [guide(at, **{"Quién": name, "Papel": str(41234567 + at)} | changes) for at, name in enumerate(people)]
        said = "values_unlike_format" in codes(lima.upload(book(*rows)))
        assert said == (doubted is not None)
        assert Guide.objects.filter(needs_review=True).count() == (doubted or 0)

    def test_by_a_new_column_is_noticed_once(self, lima: Caller) -> None:
        bind(lima)
        response = lima.upload(book([*guide(1), "hola"], [*guide(2), None], headings=(*HEADINGS, "Comentario nuestro")))
        assert codes(response) == ["format_column_new"]
        assert "Comentario nuestro" in response.json()["notices"][0]["message"]

    def test_by_a_lost_optional_column_is_noticed(self, lima: Caller) -> None:
        bind(lima)
        response = lima.upload(book(guide(1)[:-1], headings=HEADINGS[:-1]))
        assert codes(response) == ["format_column_missing"]
        assert "Bultos" in response.json()["notices"][0]["message"]

    def test_by_lost_extra_data_names_its_key(self, lima: Caller) -> None:
        bind(lima, format_json(columns=[{"heading": "Marca", "field": "extra_data", "key": "brand"}]))
        (notice, _details) = lima.upload(book()).json()["notices"]
        assert "“Marca”" in notice["message"]
        assert "brand was not read" in notice["message"]

    def test_by_a_renamed_column_is_no_competition_for_the_one_that_is_gone(self, lima: Caller) -> None:
        bind(lima)
        content = book(headings=[*HEADINGS[:4], "PESO BRUTO", *HEADINGS[5:]])
        answer = lima.client.post(
            f"{BASE}/upload/validate", {"manifest_file": as_file(content)}, headers=lima.headers
        ).json()
        assert (answer["refusal"]["error"], answer["refusal"]["missing"]) == ("workbook_format_changed", ["Bruto"])
        assert "format_column_competes" not in [notice["code"] for notice in answer["notices"]]

    def test_leaves_no_persons_data_in_the_alarm(self, lima: Caller) -> None:
        bind(lima)
        renamed = [*HEADINGS[:4], "Masa total", *HEADINGS[5:], "ana@example.com"]
        assert "ana@example.com" in lima.upload(book([*guide(1), "x"], headings=renamed)).json()["new"]
        assert FormatAlarm.objects.get().headings == {"missing": ["Bruto"], "new": ["Masa total"]}

    def test_by_a_renamed_required_column_refuses_and_counts_one_alarm(self, lima: Caller, media: Any) -> None:
        bind(lima)
        renamed = [*HEADINGS[:4], "Masa total", *HEADINGS[5:]]
        for _ in range(2):
            response = lima.upload(book(headings=renamed))
            assert error(response) == (400, "workbook_format_changed")
        body = response.json()
        assert (body["format"], body["missing"], body["new"]) == (
            {"name": NAME, "version": 1},
            ["Bruto"],
            ["Masa total"],
        )
        assert all(word in body["message"] for word in ("Bruto", "Masa total", NAME, "version 1"))
        assert nothing_stored(media)
        alarm = FormatAlarm.objects.get()
        assert (alarm.kind, alarm.count, alarm.format.name) == ("changed", 2, NAME)
        assert alarm.headings == {"missing": ["Bruto"], "new": ["Masa total"]}

    def test_by_a_repeated_heading_refuses_and_names_it(self, lima: Caller) -> None:
        bind(lima)
        response = lima.upload(book([*guide(1), 2], headings=(*HEADINGS, "Bruto")))
        assert error(response) == (400, "workbook_format_changed")
        assert response.json()["repeated"] == ["Bruto"]

    def test_by_a_competing_column_reads_as_before_with_a_notice_and_an_alarm(self, lima: Caller) -> None:
        bind(lima)
        response = lima.upload(book([*guide(1), 99], headings=(*HEADINGS, "PESO BRUTO")))
        assert codes(response) == ["format_column_competes"]
        (sentence,) = [each["message"] for each in response.json()["notices"] if each["code"].startswith("format")]
        assert "“PESO BRUTO” may be weight_kg" in sentence
        assert str(Guide.objects.get().weight_kg) == "1.500"
        assert FormatAlarm.objects.get().kind == "competes"

    @pytest.mark.parametrize(("heading", "cell"), [("MONEDA", "CLP"), ("UNIDAD", "GR"), ("DV", "5"), ("Algo", "GR")])
    def test_by_a_column_that_changes_what_others_mean_refuses_and_names_it(
        self, lima: Caller, heading: str, cell: str
    ) -> None:
        bind(lima)
        response = lima.upload(book([*guide(1), cell], headings=(*HEADINGS, heading)))
        assert error(response) == (400, "workbook_format_changed")
        assert response.json()["new"] == [heading]

    @pytest.mark.parametrize(("beside", "cell"), [("Bruto", "LB"), ("Plata", "CLP"), ("Cosas", "kg")])
    def test_by_units_without_a_heading_beside_a_measure_refuses_and_names_the_measure(
        self, lima: Caller, beside: str, cell: str
    ) -> None:
        bind(lima)
        at = HEADINGS.index(beside) + 1
        headings = [*HEADINGS[:at], None, *HEADINGS[at:]]
        rows = [[*guide(number)[:at], cell, *guide(number)[at:]] for number in (1, 2)]
        response = lima.upload(book(*rows, headings=headings))
        assert error(response) == (400, "workbook_format_changed")
        assert ("Bruto" if beside == "Cosas" else beside) in response.json()["new"][0]

    def test_by_a_row_of_other_units_below_the_headings_refuses(self, lima: Caller) -> None:
        bind(lima)
        units = [None, None, None, None, "LB", None, None]
        response = lima.upload(book(units, guide(1)))
        assert error(response) == (400, "workbook_format_changed")

    def test_by_a_sentence_with_another_unit_is_quoted_and_marks_all_guides(self, lima: Caller) -> None:
        bind(lima)
        response = lima.upload(book(guide(1), guide(2), above=[["Pesos en libras"]]))
        (said,) = [each["message"] for each in response.json()["notices"] if each["code"] == "values_unlike_format"]
        assert "Pesos en libras" in said
        assert Guide.objects.filter(needs_review=True).count() == 2
        assert codes(lima.upload(book(guide(1), above=[["Pesos en kilos"]], mawb="045-12345686"))) == []

    def test_of_values_marks_all_guides_for_review(self, lima: Caller) -> None:
        profile = {"weight_kg": {"filled": 1, "readable": 1, "median": 1.5}}
        bind(lima, format_json(profile=profile))
        rows = [guide(number, Bruto=1500) for number in range(1, 31)]
        response = lima.upload(book(*rows))
        assert response.status_code == 201
        assert "values_unlike_format" in codes(response)
        assert Guide.objects.filter(needs_review=True).count() == 30
        assert FormatAlarm.objects.get().kind == "unlike"
        usual = [guide(number, Bruto=2, Plata=5) for number in range(1, 31)]
        assert codes(lima.upload(book(*usual, mawb="045-12345686"))) == []


class TestAnUnlikeWorkbookForChile:
    def test_is_read_by_its_headings_with_a_notice(self, acme: Caller) -> None:
        bind(acme, format_json(country="CL"))
        response = acme.upload()
        assert response.status_code == 201
        assert codes(response) == ["format_not_recognised"]
        assert "format" not in response.json()

    def test_is_refused_where_only_the_format_may_be_used(self, acme: Caller) -> None:
        version = bind(acme, format_json(country="CL"))
        version.format.is_only = True
        version.format.save()
        assert error(acme.upload()) == (400, "no_parser_for_format")

    def test_is_never_read_by_its_headings_when_the_format_has_changed(self, acme: Caller) -> None:
        headings = ("HAWB", "Consignatario", "RUT", "Contenido", "Peso", "Valor FOB", "Bultos")
        bind(acme, format_json(headings=headings, country="CL", weight_kg={"unit": "lb"}))
        renamed = ("HAWB", "Consignatario", "RUT", "Contenido", "Peso bruto", "Valor FOB", "Bultos")
        rows = [["H1", "Ana Rojas", RUT, "Ropa", 1, 20, 1]]
        assert error(acme.upload(book(*rows, headings=renamed))) == (400, "workbook_format_changed")
