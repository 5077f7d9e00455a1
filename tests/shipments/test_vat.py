"""VAT charged at the sale (Chile): read, warned of, answered, filtered and exported, for one company at a time."""

import csv
import io
from typing import Any

import pytest
from django.urls import reverse

from shipments.models import Guide
from tests.books import HEADER, guide_row, workbook_bytes
from tests.companies.admin_pages import operator
from tests.conftest import Caller
from tests.documents import guide, manifest
from tests.shipments.shipping import bring

pytestmark = pytest.mark.django_db

COLUMNS = ("IVA recaudado", "RUT plataforma", "ID de venta")
FIELDS = ("vat_collected", "platform_tax_id", "sale_id")
RUT, WRONG_RUT = "59123456-0", "59123456-1"


def upload(caller: Caller, *rows: tuple[Any, Any, Any], **further: Any) -> Any:
    """An upload of a guide for each (VAT, tax id, sale id)."""
    cells = [
        guide_row(number, **dict(zip(COLUMNS, values, strict=True)), **further) for number, values in enumerate(rows, 1)
    ]
    answer = caller.upload(workbook_bytes(cells, header=(*HEADER, *COLUMNS)))
    assert answer.status_code == 201, answer.json()
    return answer.json()


def answered(caller: Caller, body: Any) -> list[tuple[Any, ...]]:
    guides = [caller.get(f"/guides/{each['tracking_code']}").json() for each in body["guides"]]
    return [tuple(each[name] for name in FIELDS) for each in guides]


def codes(body: Any) -> list[tuple[str, str]]:
    return [(each["field"], each["error_code"]) for each in body["warnings"]]


def test_a_workbook_says_yes_and_no_in_many_ways_and_nothing_stays_unknown(acme: Caller, rival: Caller) -> None:
    said = {"sí": True, "SI": True, "x": True, 1: True, "true": True, "no": False, 0: False, None: None}
    body = upload(acme, *((cell, "59.123.456-0", f"V{number}") for number, cell in enumerate([*said])))
    expected = [(value, RUT, f"V{number}") for number, value in enumerate(said.values())]
    assert answered(acme, body) == expected
    assert body["warnings"] == []
    assert body["notices"] == []
    assert rival.get(f"/guides/{body['guides'][0]['tracking_code']}").status_code == 404


def test_what_is_neither_yes_nor_no_is_left_open_with_a_warning(acme: Caller) -> None:
    body = upload(acme, *[("sí", RUT, "V")] * 8, ("quizás", RUT, "V"))
    assert answered(acme, body)[-1][0] is None
    assert codes(body) == [("vat_collected", "vat_collected_invalid")]


def test_an_amount_of_vat_is_no_answer(acme: Caller) -> None:
    body = upload(acme, (19.04, RUT, "V1"), (11.3, RUT, "V2"))
    assert [each[0] for each in answered(acme, body)] == [None, None]


def test_rows_of_one_guide_that_contradict_each_other_leave_it_open(acme: Caller) -> None:
    cells = [guide_row(1, **{COLUMNS[0]: said, COLUMNS[1]: RUT}) for said in ("sí", "no", "sí")]
    body = acme.upload(workbook_bytes(cells, header=(*HEADER, *COLUMNS))).json()
    assert answered(acme, body) == [(None, RUT, None)]
    assert ("vat_collected", "vat_collected_invalid") in codes(body)


@pytest.mark.parametrize(
    ("changes", "warned"),
    [
        ({"vat_collected": True, "platform_tax_id": RUT, "fob_usd": 500}, []),
        ({"vat_collected": True, "platform_name": "Shop"}, []),
        ({"vat_collected": True}, [("platform_tax_id", "vat_without_platform")]),
        ({"vat_collected": False}, []),
        ({"vat_collected": True, "platform_tax_id": RUT, "fob_usd": 500.01}, [("vat_collected", "vat_above_limit")]),
        ({"platform_tax_id": WRONG_RUT}, [("platform_tax_id", "platform_tax_id_invalid")]),
        ({"vat_collected": True, "platform_tax_id": "IM3720000123"}, []),
    ],
)
def test_chile_warns_and_never_refuses_and_other_countries_have_no_rule(
    acme: Caller, changes: dict[str, Any], warned: list[tuple[str, str]]
) -> None:
    body = acme.post_json(manifest(guide(1, **changes))).json()
    assert (body["success"], codes(body)) == (True, warned)
    abroad = {**guide(1, "AR"), **changes}
    other = acme.post_json(manifest(abroad, country="AR", mawb="045-12345686")).json()
    assert codes(other) == []
    assert answered(acme, other) == [tuple(changes.get(name) for name in FIELDS)]


def test_json_takes_true_and_false_alone(acme: Caller) -> None:
    answer = acme.post_json(manifest(*(guide(n, vat_collected=value) for n, value in enumerate(["yes", 1, [], {}]))))
    assert answer.status_code == 400
    assert [row["field"] for row in answer.json()["invalid_rows"]] == ["vat_collected"] * 4


def test_operators_see_on_which_guides_vat_is_to_be_paid_and_export_what_is_known(acme: Caller, rival: Caller) -> None:
    body = upload(acme, ("no", None, None), (None, None, None), ("sí", RUT, "V3"), ("no", RUT, "V4"))
    upload(rival, ("sí", RUT, "R1"))
    upload_above = acme.post_json(manifest(guide(9, fob_usd=501), mawb="045-12345686"))
    assert upload_above.status_code == 201
    by_code = {each.tracking_code: each for each in Guide.objects.filter(manifest__company=acme.company)}
    ours = [by_code[each["tracking_code"]] for each in body["guides"]]
    bring(ours[3], "customs_released", "in_transit")
    bring(ours[1], "in_transit")
    staff = operator("view_guide", "view_manifest", "change_guide", "change_manifest")
    listed = staff.get(reverse("admin:shipments_guide_changelist"), {"vat": "to_pay"}).content.decode()
    assert [each.tracking_code in listed for each in ours] == [True, True, False, False]
    page = staff.get(reverse("admin:shipments_manifest_change", args=[ours[0].manifest_id])).content.decode()
    assert "2 guides" in page
    assert f"manifest__id__exact={ours[0].manifest_id}&amp;vat=to_pay" in page
    exported = staff.get(reverse("admin:shipments_guide_export_for_programs"), {"company": "ACME"}).getvalue()
    rows = {row["hawb"]: row for row in csv.DictReader(io.StringIO(exported.decode("utf-8-sig")))}
    assert [rows[each.hawb]["sale_id"] for each in ours] == ["", "", "V3", "V4"]
    assert len({rows[each.hawb]["vat_collected"] for each in ours}) == 3
