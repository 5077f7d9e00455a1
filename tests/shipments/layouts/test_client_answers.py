"""`GET layouts`, `PUT layouts/<id>/answers`: what a client says of its own workbooks."""

from collections.abc import Sequence
from typing import Any

import pytest
from auditlog.models import LogEntry as Change
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from shipments.layouts.answering import confirm
from shipments.models import Layout, LayoutAnswer
from tests.api.answers import error
from tests.api.changing import put_answers
from tests.conftest import BASE, Caller, make_caller
from tests.prealerts.reference import schema
from tests.shipments.layouts.rows import make_layout

pytestmark = pytest.mark.django_db

HAWB = {"heading": "N° seguimiento", "field": "hawb"}


@pytest.fixture
def mine(acme: Caller, rival: Caller) -> Layout:
    make_layout(rival.company)
    return make_layout(acme.company)


def put(caller: Caller, layout: Any, body: Any) -> Any:
    answer = put_answers(caller, getattr(layout, "pk", layout), body)
    schema.assert_documented(answer)
    return answer


def listed(caller: Caller, query: str = "") -> Any:
    answer = caller.get(f"/layouts{query}")
    assert answer.status_code == 200, answer.content
    schema.assert_documented(answer)
    return answer.json()["layouts"]


def column(row: Any, letter: str) -> Any:
    return next(each for each in row["columns"] if each["column"] == letter)


def test_a_client_sees_its_own_layouts_of_a_country_with_what_is_asked(acme: Caller, mine: Layout) -> None:
    make_layout(acme.company, "PE")
    (row,) = listed(acme, "?country=cl")
    assert (row["id"], row["country"], row["confirmed_at"]) == (str(mine.pk), "CL", None)
    assert row["questions"][0]["field"] == "hawb"
    assert column(row, "A")["strength"] == "doubtful"
    assert (column(row, "E")["field"], column(row, "E")["unit"]) == ("weight_kg", "kg")
    assert [column(row, letter)["heading"] for letter in "FG"] == ["Valor", "Valor#2"]
    assert len(listed(acme)) == 2


@pytest.mark.usefixtures("mine")
def test_pages_of_layouts_end_where_the_next_begins(acme: Caller) -> None:
    make_layout(acme.company, "PE")
    first = acme.get("/layouts?limit=1").json()
    second = acme.get(f"/layouts?limit=1&cursor={first['next_cursor']}").json()
    assert {first["layouts"][0]["id"], second["layouts"][0]["id"]} == {row["id"] for row in listed(acme)}
    assert second["next_cursor"] is None
    assert error(acme.get("/layouts?country=XX")) == (400, "invalid_query")


def test_an_answer_is_told_and_its_question_is_gone(acme: Caller, mine: Layout) -> None:
    answer = put(acme, mine, {"answers": [HAWB, {"heading": "valor#2", "field": None, "key": "insured"}]})
    assert answer.status_code == 200, answer.content
    (row,) = listed(acme)
    assert answer.json() == row
    assert row["questions"] == []
    assert (column(row, "A")["field"], column(row, "A")["strength"]) == ("hawb", "told")
    assert (column(row, "G")["field"], column(row, "G")["key"]) == (None, "insured")
    assert column(row, "F")["strength"] == "likely"
    assert row["confirmed_at"] is None


def test_what_is_listed_can_be_put_back_and_changes_nothing(acme: Caller, mine: Layout) -> None:
    kind = {"heading": "RUT", "field": "consignee_document_type", "values": {"cédula ": "RUT"}}
    weights = [
        {"heading": "Peso", "field": "weight_kg", "unit": "kg"},
        {"heading": "Pedido", "field": "weight_kg", "unit": "lb"},
    ]
    labels = [{"label": "Papel madre:", "field": "mawb"}, {"field": "destination", "value": "scl"}]
    body = {"answers": [HAWB, kind, *weights], "labels": labels, "rows_without_hawb": "left_out"}
    assert put(acme, mine, body).status_code == 200
    (before,) = listed(acme)
    assert before["answers"][1]["values"] == {"CÉDULA": "RUT"}
    assert before["labels"][1] == {"field": "destination", "value": "SCL"}
    stored = list(LayoutAnswer.objects.order_by("pk").values())
    again = {name: before[name] for name in ("answers", "labels", "rows_without_hawb")}
    assert put(acme, mine, again).json() == before
    assert list(LayoutAnswer.objects.order_by("pk").values()) == stored


def test_answers_replace_those_before_of_this_layout_alone(acme: Caller, mine: Layout) -> None:
    other = make_layout(acme.company, "PE")
    put(acme, other, {"answers": [HAWB]})
    put(acme, mine, {"answers": [HAWB]})
    put(acme, mine, {"answers": [{"heading": "Pedido", "field": "hawb"}]})
    (row,) = listed(acme, "?country=CL")
    assert [each["heading"] for each in row["answers"]] == ["Pedido"]
    assert len(listed(acme, "?country=PE")[0]["answers"]) == 1


INVALID: Sequence[tuple[Any, str]] = [
    ({"answers": [HAWB, {"heading": "Guía", "field": "hawb"}]}, "answers[1].heading"),
    ({"answers": [{"heading": "Pedido", "field": "weight"}]}, "answers[0].field"),
    ({"answers": [{"heading": "Pedido"}]}, "answers[0].field"),
    ({"answers": [{"heading": "Peso", "field": "weight_kg", "unit": "st"}]}, "answers[0].unit"),
    ({"answers": [{"heading": "Peso", "field": "hawb", "unit": "kg"}]}, "answers[0].unit"),
    ({"answers": [{"heading": "Valor", "field": "fob_usd", "currency": "dollars"}]}, "answers[0].currency"),
    ({"answers": [{"heading": "Valor", "field": "hawb", "currency": "USD"}]}, "answers[0].currency"),
    ({"answers": [{"heading": "Valor", "field": "fob_usd", "decimals": ","}]}, "answers[0].decimals"),
    ({"answers": [HAWB, {"heading": "Pedido", "field": "hawb"}]}, "answers[1].field"),
    ({"answers": [HAWB, HAWB]}, "answers[1].heading"),
    ({"answers": [{"heading": "Pedido", "field": "scheduled_arrival", "zone": "Lima"}]}, "answers[0].zone"),
    ({"answers": [{**HAWB, "zone": "origin"}]}, "answers[0].zone"),
    ({"answers": [{**HAWB, "month_first": True}]}, "answers[0].month_first"),
    ({"answers": [{**HAWB, "month_first": "yes"}]}, "answers[0].month_first"),
    ({"answers": [{**HAWB, "key": "house"}]}, "answers[0].key"),
    ({"answers": [{"heading": "Pedido", "field": None, "key": "asked_hawb_H"}]}, "answers[0].key"),
    ({"answers": [{"heading": "Pedido", "field": None, "key": "k" * 65}]}, "answers[0].key"),
    ({"answers": [{"heading": "Pedido", "field": "category"}]}, "answers[0].field"),
    ({"answers": [{**HAWB, "values": {"A": "RUT"}}]}, "answers[0].values"),
    (
        {"answers": [{"heading": "Pedido", "field": "consignee_document_type", "values": {"A": "DNI9"}}]},
        "answers[0].values",
    ),
    ({"answers": [{**HAWB, "values": {"a" * 129: "RUT"}}]}, "answers[0].values"),
    ({"answers": [{**HAWB, "values": {str(number): "RUT" for number in range(201)}}]}, "answers[0].values"),
    ({"answers": [{**HAWB, "values": ["A"]}]}, "answers[0].values"),
    ({"answers": [{**HAWB, "colour": "red"}]}, "answers[0].colour"),
    ({"answers": [HAWB, "Pedido"]}, "answers[1]"),
    ({"answers": [HAWB] * 257}, "answers"),
    ({"answers": {"Pedido": "hawb"}}, "answers"),
    ({"answers": [{"heading": "x" * 257, "field": "hawb"}]}, "answers[0].heading"),
    ({"layouts": []}, "layouts"),
    ({"rows_without_hawb": "guess"}, "rows_without_hawb"),
    ({"labels": [{"label": "Vuelo", "field": "weight_kg"}]}, "labels[0].field"),
    ({"labels": [{"label": "Vuelo", "field": "flight_number", "zone": "origin"}]}, "labels[0].zone"),
    ({"labels": [{"label": "V" * 129, "field": "flight_number"}]}, "labels[0].label"),
    ({"labels": [{"label": "A", "field": "mawb"}, {"label": "B", "field": "mawb"}]}, "labels[1].field"),
    ({"labels": [{"field": "destination", "value": "LIM"}]}, "labels[0].value"),
    ({"labels": [{"field": "origin", "value": "XQX"}]}, "labels[0].value"),
    ({"labels": [{"field": "zone", "value": "Lima"}]}, "labels[0].value"),
    ({"labels": [{"field": "mawb", "value": "045-12345675"}]}, "labels[0].value"),
    ({"labels": [{"field": "destination"}]}, "labels[0]"),
    ({"labels": [{"field": None, "label": "Vuelo"}]}, "labels[0].field"),
]


def test_what_no_answer_can_have_is_refused_by_its_path(acme: Caller, mine: Layout) -> None:
    put(acme, mine, {"answers": [{"heading": "Detalle", "field": "description_original"}]})
    for body, path in INVALID:
        answer = put(acme, mine, body)
        assert error(answer) == (400, "validation_failed"), path
        assert path in answer.json()["details"], body
    assert [each.heading for each in mine.answers.all()] == ["Detalle"]


def test_a_name_and_an_address_may_be_several_columns_and_a_weight_two_of_different_units(
    acme: Caller, mine: Layout
) -> None:
    names = [{"heading": heading, "field": "consignee_name"} for heading in ("Cliente", "Detalle", "Pedido")]
    weights = [{"heading": "Peso", "field": "weight_kg", "unit": "kg"}, {"heading": "Valor", "field": "weight_kg"}]
    assert put(acme, mine, {"answers": [*names, weights[0], {**weights[1], "unit": "g"}]}).status_code == 200
    for unit in ("kg", None):
        refused = put(acme, mine, {"answers": [weights[0], {**weights[1], "unit": unit}]})
        assert refused.json()["details"].keys() == {"answers[0].field", "answers[1].field"}


def test_a_heading_is_told_apart_by_its_group_and_found_whatever_its_case_and_digits(acme: Caller) -> None:
    parties = {"Nombre": {"group": "CONSIGNATARIO"}, "Nombre#2": {"heading": "Nombre", "group": "REMITENTE"}}
    layout = make_layout(acme.company, columns={**parties, "Peso 1": {}, "Peso 2": {}, "Saldo 11": {}})
    ambiguous = put(acme, layout, {"answers": [{"heading": "nombre", "field": "shipper_name"}]})
    assert "group" in ambiguous.json()["details"]["answers[0].heading"][0]
    shipper = {"heading": "nombre", "group": "Remitente", "field": "shipper_name"}
    of_others = [{"heading": "PESO 2", "field": "weight_kg"}, {"heading": "saldo 12", "field": "fob_usd"}]
    row = put(acme, layout, {"answers": [shipper, *of_others]}).json()
    assert [each["field"] for each in row["columns"]] == [None, "shipper_name", None, "weight_kg", "fob_usd"]


def test_what_an_operator_has_confirmed_only_an_operator_changes(acme: Caller, mine: Layout) -> None:
    put(acme, mine, {"answers": [HAWB]})
    confirm(mine, None)
    answer = put(acme, mine, {"answers": []})
    assert error(answer) == (409, "layout_confirmed")
    (row,) = listed(acme)
    assert row["confirmed_at"] is not None
    assert {each["strength"] for each in row["columns"]} == {"told"}


def test_another_companys_layout_is_not_found_and_a_courier_has_none(acme: Caller, rival: Caller, mine: Layout) -> None:
    for layout in (mine, "none"):
        assert error(put(rival, layout, {"answers": [HAWB]})) == (404, "not_found")
    courier = make_caller("SWIFT", kind="courier")
    courier.company.posts_for.add(acme.company)
    assert error(put(courier, mine, {"answers": [HAWB]})) == (400, "company_is_courier")
    assert error(courier.get("/layouts")) == (400, "company_is_courier")
    assert not LayoutAnswer.objects.exists()


@pytest.mark.parametrize("body", [b"[]", b"{", b"", b'{"answers": [], "answers": []}', b" " * (256 * 1024 + 1)])
def test_a_body_that_is_no_object_or_longer_than_256_kb_is_refused(acme: Caller, mine: Layout, body: bytes) -> None:
    assert error(put(acme, mine, body)) == (400, "invalid_body")


def test_browsers_may_put(mine: Layout) -> None:
    sent = {"Access-Control-Request-Method": "PUT"}
    answer = Client().options(f"{BASE}/layouts/{mine.pk}/answers", headers=sent)
    assert (answer.status_code, answer["Access-Control-Allow-Methods"]) == (204, "GET, POST, PUT, OPTIONS")


def test_a_clients_answer_stands_in_the_audit_log_without_a_text_of_its_own(acme: Caller, mine: Layout) -> None:
    put(acme, mine, {"answers": [HAWB], "labels": [{"label": "Juan Pérez", "field": "mawb"}]})
    put(acme, mine, {"answers": [HAWB], "labels": [{"label": "Juan Pérez", "field": "mawb"}]})
    change = Change.objects.get(object_pk=mine.pk)
    assert change.changes_dict == {"answers": ["–", "hawb, mawb"]}
    assert change.additional_data == {
        "actor": "client:ACME", "password_hint": acme.company.api_password_hint
    }  # fmt: skip
    assert "Juan" not in str(vars(change))


def test_the_list_has_a_tag_that_an_answer_changes(acme: Caller, mine: Layout) -> None:
    tag = acme.get("/layouts")["ETag"]
    known = {**acme.headers, "If-None-Match": tag}
    assert acme.client.get(f"{BASE}/layouts", headers=known).status_code == 304
    put(acme, mine, {"answers": [HAWB]})
    assert acme.client.get(f"{BASE}/layouts", headers=known).status_code == 200


def test_who_answered_is_kept_and_an_equal_answer_stays_its_own(acme: Caller, mine: Layout) -> None:
    olga = User.objects.create_user("olga", is_staff=True)
    LayoutAnswer.objects.create(
        layout=mine,
        name="pedido",
        heading="Pedido",
        field="",
        key="order",
        answered_by=olga,
        answered_at=timezone.now(),
    )
    put(acme, mine, {"answers": [HAWB, {"heading": "Pedido", "field": None, "key": "order"}]})
    assert {each.heading: each.answered_by for each in mine.answers.all()} == {"N° seguimiento": None, "Pedido": olga}
