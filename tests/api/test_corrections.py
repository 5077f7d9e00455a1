"""`PATCH guides/:tracking_code`: what a client may correct, until when, and what follows from it."""

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from companies.models import Company
from shipments.manifests.guide_fields import CORRECTABLE
from shipments.models import Guide, GuideCorrection, GuideTaking, Manifest
from shipments.privacy.erasing import erase_person
from shipments.privacy.person import Documents, Person
from shipments.statuses import GuideStatus
from shipments.tracking.corrections import may_correct
from shipments.tracking.review import lift_retention
from tests.api.answers import answered, error
from tests.api.changing import patch, sent
from tests.books import guide_row, workbook_bytes
from tests.companies.admin_pages import operator
from tests.conftest import BASE, Caller
from tests.documents import guide
from tests.shipments.shipping import assert_sound, bring, correct_as_operator
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db

RUT, OTHER_RUT, WRONG_RUT = "12345678-5", "7654321-6", "12345678-9"
PRODUCT = {"description": "Cadena", "quantity": 2, "unit_value": 10, "weight_kg": 0.5}
VALUES: dict[str, Any] = {
    "consignee_name": "Otra Persona", "consignee_document_type": "RUN", "consignee_document": OTHER_RUT,
    "consignee_address": "Calle Nueva 1", "consignee_city": "Arica", "consignee_region": "Arica y Parinacota",
    "consignee_postal_code": 1000000, "consignee_phone": 56955550101, "consignee_email": "otra@example.com",
    "shipper_name": "Otra Tienda", "weight_kg": "2.5", "packages_count": 3, "description_original": "Libros",
    "product_value": 70, "fob_usd": 70.5, "freight_usd": 8.5, "bag": "SCL-1", "hs_code": "490199",
    "vat_collected": True,
    "platform_tax_id": "59.123.456-0", "sale_id": "V-1", "products": [PRODUCT],
}  # fmt: skip
STORED = {
    "consignee_postal_code": "1000000", "consignee_phone": "56955550101", "weight_kg": Decimal("2.5"),
    "freight_usd": Decimal("8.50"),
    "platform_tax_id": "59123456-0", "consignee_document_type": "RUT",
    "products": [
        {"description": "Cadena", "quantity": "2.000", "unit_value": "10.0000", "weight_kg": "0.500", "hs_code": ""}
    ],
}  # fmt: skip
"""What is stored where it is not what is sent."""
DELIVERY_FIELDS = {
    "consignee_address", "consignee_city", "consignee_region", "consignee_postal_code", "consignee_phone",
    "consignee_email",
}  # fmt: skip
UNTIL_THE_LAST_MILE = {
    "customs_processing", "customs_held", "customs_documents_required", "customs_duties_pending", "customs_released",
    "in_transit", "on_hold",
}  # fmt: skip


@pytest.fixture
def mine(acme: Caller, rival: Caller) -> Guide:
    sent(rival)
    return sent(acme)[0]


def reloaded(guide: Guide) -> Guide:
    assert_sound(guide.manifest)
    return Guide.objects.get(pk=guide.pk)


def test_the_table_of_values_has_each_field_that_can_be_corrected() -> None:
    assert VALUES.keys() == CORRECTABLE["sender"].keys()


@pytest.mark.parametrize("name", VALUES)
def test_each_field_alone_is_corrected_while_the_guide_is_registered(acme: Caller, mine: Guide, name: str) -> None:
    before = {field: getattr(mine, field) for field in VALUES}
    body = answered(patch(acme, mine.tracking_code.lower(), {name: VALUES[name]}))
    after = reloaded(mine)
    assert getattr(after, name) == STORED.get(name, VALUES[name])
    changed = {field for field in VALUES if getattr(after, field) != before[field]}
    derived = {"weight_kg", "fob_usd", "product_value", "description_original"} if name == "products" else set()
    assert changed == ({name} | derived) - {"consignee_document_type"}
    assert body == {**acme.get(f"/guides/{mine.tracking_code}").json(), "warnings": body["warnings"]}
    if name != "consignee_document_type":  # a RUN is stored as a RUT, so that nothing changes
        record = GuideCorrection.objects.get()
        assert (set(record.fields), record.guide_id, record.actor) == (changed, mine.pk, "client:ACME")
        assert acme.password.startswith(record.password_hint)


@pytest.mark.parametrize("status", GuideStatus)
def test_each_field_has_its_last_moment(status: GuideStatus) -> None:
    on_the_way = DELIVERY_FIELDS if status in UNTIL_THE_LAST_MILE else set[str]()
    expected = {*VALUES} if status == "registered" else on_the_way
    assert {name for name in VALUES if may_correct("sender", name, status)} == expected


@pytest.mark.parametrize(
    ("way", "late"),
    [
        (["customs_processing"], {"sale_id"}),
        (["out_for_delivery"], {"sale_id", "consignee_city"}),
        (["delivered"], {"sale_id", "consignee_city"}),
    ],
)
def test_after_it_neither_is_anything_changed_that_came_in_time(
    acme: Caller, mine: Guide, way: list[str], late: set[str]
) -> None:
    bring(mine, *way)
    before = Guide.objects.filter(pk=mine.pk).values().get()
    body = answered(patch(acme, mine.tracking_code, {"consignee_city": "Arica", "sale_id": "X"}), 409)
    assert (body["error"], body["status"], set(body["fields"])) == ("guide_under_way", way[-1], late)
    assert Guide.objects.filter(pk=mine.pk).values().get() == before
    answered(patch(acme, mine.tracking_code, {"consignee_city": "Arica"}), 409 if "consignee_city" in late else 200)


def test_what_is_so_already_is_never_too_late_and_writes_nothing(acme: Caller, mine: Guide) -> None:
    bring(mine, "customs_processing")
    tag, version = acme.get(f"/guides/{mine.tracking_code}")["ETag"], Manifest.objects.get(pk=mine.manifest_id).version
    same = {
        "consignee_document": "12.345.678-5",
        "weight_kg": "1.5",
        "fob_usd": 100.25,
        "products": [],
        "sale_id": None,
    }
    answer = patch(acme, mine.tracking_code, {**same, "sale_id": None})
    answered(answer)
    assert answer["ETag"] == tag
    assert Manifest.objects.get(pk=mine.manifest_id).version == version
    assert not GuideCorrection.objects.exists()


@pytest.mark.parametrize("body", [{}, {"hawb": "X"}, {"category": 2}, {"platform_name": "x"}, {"extra_data": {}},
                                  {"nonsense": 1}, {"consignee_phone": "1", "status": "delivered"}])  # fmt: skip
def test_other_keys_and_none_are_refused(acme: Caller, mine: Guide, body: Any) -> None:
    assert error(patch(acme, mine.tracking_code, body)) == (400, "validation_failed")
    assert reloaded(mine).consignee_phone == ""


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"weight_kg": 0}, {"weight_kg"}),
        ({"weight_kg": None}, {"weight_kg"}),
        ({"consignee_name": "  "}, {"consignee_name"}),
        ({"consignee_phone": "x" * 65, "fob_usd": "viel"}, {"consignee_phone", "fob_usd"}),
        ({"products": [{}]}, {"products[0].description", "products[0].quantity", "products[0].unit_value",
                              "products[0].weight_kg"}),
        ({"products": [PRODUCT], "weight_kg": 1}, {"weight_kg"}),
        ({"fob_usd": -1, "consignee_document": WRONG_RUT}, {"fob_usd"}),
        ({"vat_collected": "ja"}, {"vat_collected"}),
        ({"products": [PRODUCT] * 1001}, {"products"}),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_and_nothing_is_changed(acme: Caller, mine: Guide, body: Any, named: set[str]) -> None:
    before = Guide.objects.filter(pk=mine.pk).values().get()
    answer = patch(acme, mine.tracking_code, body | {"consignee_city": "Arica"})
    assert answered(answer, 400)["error"] == "validation_failed"
    assert set(answer.json()["details"]) == named
    assert Guide.objects.filter(pk=mine.pk).values().get() == before


def test_null_and_blanks_empty_an_optional_field(acme: Caller) -> None:
    (mine,) = sent(acme, guide(1, consignee_phone="1", packages_count=4, vat_collected=True, sale_id="V"))
    answered(patch(acme, mine.tracking_code, {"consignee_phone": "", "packages_count": None, "vat_collected": None,
                                              "sale_id": " "}))  # fmt: skip
    after = reloaded(mine)
    assert (after.consignee_phone, after.packages_count, after.vat_collected, after.sale_id) == ("", 1, None, None)
    assert Manifest.objects.get(pk=mine.manifest_id).total_pieces == 1


def test_a_phone_is_corrected_beside_a_wrong_rut_and_a_right_rut_ends_the_review(acme: Caller, rival: Caller) -> None:
    code = acme.upload(workbook_bytes([guide_row(1, RUT=WRONG_RUT)])).json()["guides"][0]["tracking_code"]
    mine = Guide.objects.get(tracking_code=code)
    GuideTaking.objects.create(guide=mine, operator=User.objects.create(username="ana"))
    rival.upload(workbook_bytes([guide_row(1, RUT=WRONG_RUT)]))
    seen = acme.get(f"/guides/{code}").json()
    assert seen["needs_correction"] is True
    assert [(each["field"], each["error_code"]) for each in seen["review"]] == [
        ("consignee_document", "rut_invalid_format")
    ]
    assert seen["review"][0]["message"]
    answered(patch(acme, code, {"consignee_phone": "+56 9 5550 0199"}))
    for wrong, kind in ((WRONG_RUT, "invalid_document"), ("", "invalid_document")):
        body = answered(patch(acme, code, {"consignee_document": wrong, "consignee_city": "Arica"}), 400)
        assert (body["error"], set(body["details"])) == (kind, {"consignee_document"})
    body = answered(patch(acme, code, {"consignee_document_type": "DNI"}, HTTP_ACCEPT_LANGUAGE="es"), 400)
    said = "Ese tipo de documento no existe en el país; indique uno de estos: RUT."
    assert (body["error"], body["details"]["consignee_document_type"]) == ("invalid_document_type", [said])
    assert reloaded(mine).consignee_city == "Providencia"
    tag = acme.get(f"/guides/{code}")["ETag"]
    answer = patch(acme, code, {"consignee_document": "12.345.678-5"})
    assert (answered(answer)["needs_correction"], answer.json()["review"]) == (False, [])
    assert answer["ETag"] != tag
    assert acme.get(f"/guides/{code}")["ETag"] == answer["ETag"]
    after = reloaded(mine)
    assert (after.needs_review, after.review_reasons, after.reviewed_by) == (False, [], "client:ACME")
    assert not GuideTaking.objects.exists()
    assert acme.get(f"/mawbs/{mine.manifest.mawb}").json()["rut_invalid_count"] == 1
    assert Guide.objects.to_review().count() == 1, "the other company's"


def test_totals_follow_and_both_are_found_by_their_change(acme: Caller, rival: Caller) -> None:
    mine, other = sent(acme, guide(1), guide(2))
    since = acme.get(f"/mawbs/{mine.manifest.mawb}").json()["updated_at"]
    answered(patch(acme, mine.tracking_code, {"weight_kg": 3, "packages_count": 2, "fob_usd": 50}))
    detail = acme.get(f"/mawbs/{mine.manifest.mawb}").json()
    assert (detail["total_weight_kg"], detail["total_pieces"], detail["total_fob_usd"]) == (4.5, 3, 150.25)
    output = StringIO()
    call_command("check_totals", stdout=output)
    assert mine.manifest.mawb not in output.getvalue()
    query = {"updated_since": detail["updated_at"]}
    assert [each["mawb"] for each in acme.get("/mawbs", data=query).json()["mawbs"]] == [mine.manifest.mawb]
    changed = acme.get("/guides", data=query).json()["guides"]
    assert [each["tracking_code"] for each in changed] == [mine.tracking_code]
    assert detail["updated_at"] > since
    assert rival.get("/guides", data={"updated_since": since}).json()["guides"] == []
    assert other.updated_at == reloaded(other).updated_at


class TestPeru:
    def test_a_raised_value_is_retained_and_a_lowered_one_is_not(self, acme: Caller) -> None:
        (mine,) = sent(acme, country="PE")
        body = answered(patch(acme, mine.tracking_code, {"fob_usd": 2000.01}))
        assert body["retention"]["required"] is True
        assert [each["error_code"] for each in body["warnings"]] == ["retention_required", "ruc_advised"]
        assert (reloaded(mine).category, reloaded(mine).retention_required) == (4, True)
        body = answered(patch(acme, mine.tracking_code, {"fob_usd": 300}))
        assert (body["retention"], body["warnings"], reloaded(mine).category) == (None, [], 3)

    def test_a_limit_marks_for_review_and_a_correction_ends_it(self, acme: Caller) -> None:
        (mine,) = sent(acme, guide(1, "PE", fob_usd=1500), country="PE")
        assert (mine.needs_review, mine.review_reasons) == (True, ["ruc_advised"])
        body = answered(patch(acme, mine.tracking_code, {"consignee_document": "20100070970"}))
        assert (body["warnings"], reloaded(mine).needs_review, reloaded(mine).review_reasons) == ([], False, [])
        answered(patch(acme, mine.tracking_code, {"consignee_document": "12345678"}))
        assert (reloaded(mine).needs_review, reloaded(mine).review_reasons) == (True, ["ruc_advised"])
        correct_as_operator(
            reloaded(mine), {"consignee_document_type": "", "consignee_document": "20100070970"}, actor="ana"
        )
        assert (reloaded(mine).needs_review, reloaded(mine).review_reasons) == (False, [])

    def test_a_correction_is_judged_by_the_day_of_arrival_at_receipt(self, acme: Caller) -> None:
        days: Any = ("045-12345675", "2024-11-30", ["courier_limit_exceeded"]), ("123-12345675", "2024-12-01", [])
        for mawb, day, found in days:
            (mine,) = sent(acme, country="AR", mawb=mawb, scheduled_arrival=f"{day}T23:59:00-03:00")
            Manifest.objects.filter(guides=mine).update(eta=timezone.now())  # the flight was late
            body = answered(patch(acme, mine.tracking_code, {"fob_usd": 2000}))
            assert [each["error_code"] for each in body["warnings"]] == found
            assert reloaded(mine).review_reasons == found

    def test_what_an_operator_lifted_is_raised_by_another_value_alone(self, acme: Caller) -> None:
        (mine,) = sent(acme, guide(1, "PE", fob_usd=2500), country="PE")
        lift_retention(mine, reason="declared", actor="ana")
        answered(patch(acme, mine.tracking_code, {"weight_kg": 9}))
        assert reloaded(mine).retention_required is False
        answered(patch(acme, mine.tracking_code, {"fob_usd": 2600}))
        after = reloaded(mine)
        assert (after.retention_required, after.retention_lifted_at) == (True, None)

    @pytest.mark.parametrize(
        ("claimed", "before", "after", "category"),
        [(1, 100, 5000, 1), (4, 100, 150, 4), (3, 100, 5000, 3), (3, 5000, 9000, 3), (3, 5000, 10001, 4),
         (None, 100, 500, 3), (None, 500, 100, 2), (3, 100, 150, 3), (2, 100, 5000, 4)],
    )  # fmt: skip
    def test_a_claimed_category_stays_while_it_is_allowed(
        self, acme: Caller, claimed: int | None, before: float, after: float, category: int
    ) -> None:
        (mine,) = sent(acme, guide(1, "PE", fob_usd=before, category=claimed), country="PE")
        answered(patch(acme, mine.tracking_code, {"fob_usd": after}))
        assert reloaded(mine).category == category

    def test_a_number_of_another_kind_than_the_stored_type_says_so_by_its_shape(self, acme: Caller) -> None:
        (mine,) = sent(acme, country="PE")
        answered(patch(acme, mine.tracking_code, {"consignee_document": "20601234565"}))
        assert reloaded(mine).consignee_document_type == "RUC"


def test_products_are_replaced_whole_and_the_rest_follows(acme: Caller) -> None:
    mine, _other = sent(acme, guide(1, products=[PRODUCT]), guide(2))
    more = [PRODUCT, {**PRODUCT, "description": "Sillín", "hs_code": "87149500"}]
    answered(patch(acme, mine.tracking_code, {"products": more}))
    after = reloaded(mine)
    assert [after.weight_kg, after.fob_usd, after.product_value] == [Decimal(1), Decimal(40), Decimal(40)]
    assert (after.description_original, after.hs_code, len(after.products)) == ("Cadena, Sillín", "87149500", 2)
    body = answered(patch(acme, mine.tracking_code, {"weight_kg": 7}), 400)
    assert set(body["details"]) == {"weight_kg"}
    answered(patch(acme, mine.tracking_code, {"products": []}))
    assert (reloaded(mine).products, reloaded(mine).weight_kg) == ([], Decimal(1))
    answered(patch(acme, mine.tracking_code, {"weight_kg": 7}))
    assert Manifest.objects.get(pk=mine.manifest_id).total_weight_kg == Decimal("8.5")


def test_warnings_are_those_of_an_upload(acme: Caller, mine: Guide) -> None:
    body = answered(patch(acme, mine.tracking_code, {"hs_code": "12", "vat_collected": True, "fob_usd": 600}))
    assert [(each["field"], each["error_code"], each["severity"]) for each in body["warnings"]] == [
        ("hs_code", "hs_code_invalid", "warning"),
        ("platform_tax_id", "vat_without_platform", "warning"),
        ("vat_collected", "vat_above_limit", "warning"),
    ]
    assert {each["hawb"] for each in body["warnings"]} == {mine.hawb}


def test_an_erased_guide_is_a_404(acme: Caller, mine: Guide) -> None:
    erase_person(Person(Documents([RUT])), reference="PRIV-1", actor="camila")
    assert error(patch(acme, mine.tracking_code, {"consignee_name": "Ana"})) == (404, "not_found")
    assert Guide.objects.get(pk=mine.pk).consignee_name == ""
    assert acme.get(f"/guides/{mine.tracking_code}").status_code == 200


def test_if_match_is_ignored(acme: Caller, mine: Guide) -> None:
    answered(patch(acme, mine.tracking_code, {"consignee_city": "Arica"}, HTTP_IF_MATCH='"other"'))


def test_another_companys_guide_is_a_404_as_an_unknown_one(rival: Caller, mine: Guide) -> None:
    for body in ({"consignee_city": "Arica"}, {"nonsense": 1}, {"consignee_document": WRONG_RUT}, {"weight_kg": 0}):
        theirs, unknown = patch(rival, mine.tracking_code, body), patch(rival, "ACM00000000000", body)
        assert (theirs.status_code, theirs.content) == (unknown.status_code, unknown.content)
        assert theirs.status_code in {400, 404}
    assert reloaded(mine).consignee_city == ""


def test_a_courier_corrects_what_it_posted_and_nothing_else(courier: Caller, acme: Caller, rival: Caller) -> None:
    (posted,) = sent(courier, client_code="ACME")
    (own,) = sent(acme, mawb="045-12345686")
    sent(rival)
    answer = patch(courier, posted.tracking_code, {"client_code": "ACME", "consignee_city": "Arica", "weight_kg": 2})
    assert answered(answer) == {
        "success": True, "tracking_code": posted.tracking_code, "fields": ["consignee_city", "weight_kg"],
    }  # fmt: skip
    assert GuideCorrection.objects.get().actor == "courier:SWIFT"
    assert error(patch(courier, own.tracking_code, {"client_code": "ACME", "consignee_city": "Arica"})) == (
        404, "not_found",
    )  # fmt: skip
    assert error(patch(courier, posted.tracking_code, {"consignee_city": "x"})) == (400, "company_is_courier")
    assert error(patch(courier, posted.tracking_code, {"client_code": "RIVAL", "sale_id": "x"})) == (
        403, "client_not_resolved",
    )  # fmt: skip
    assert error(patch(acme, own.tracking_code, {"client_code": "ACME", "sale_id": "x"})) == (
        403, "client_code_not_allowed",
    )  # fmt: skip
    answered(patch(acme, posted.tracking_code, {"consignee_city": "Iquique"}))
    Company.objects.filter(pk=acme.company.pk).update(may_correct=False)
    answered(patch(courier, posted.tracking_code, {"client_code": "ACME", "consignee_city": "Arica"}))


def test_the_event_names_fields_and_no_value_and_reaches_version_2_alone(
    acme: Caller, rival: Caller, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    (mine,) = sent(acme)
    for caller in (acme, rival):
        register(caller.company, "https://127.0.0.1/", "s" * 32)
        register_signed(caller.company, "https://127.0.0.1/")
    caplog.set_level("DEBUG")
    answered(patch(acme, mine.tracking_code, {"consignee_name": "Secretísima", "consignee_phone": "5550199"}))
    delivery = Delivery.objects.get()
    body = json.loads(bytes(delivery.body))
    assert delivery.subscription is not None
    assert (delivery.subscription.company, delivery.subscription.version) == (acme.company, 2)
    assert (body["type"], body["data"]["fields"]) == ("guide.corrected", ["consignee_name", "consignee_phone"])
    assert body["data"]["mawb_version"] == Manifest.objects.get(pk=mine.manifest_id).version == 2
    for text in ("Secretísima", "5550199"):
        assert text not in bytes(delivery.body).decode()
        assert text not in caplog.text
        assert text not in json.dumps(list(GuideCorrection.objects.values_list("fields", "actor")))


def test_switched_off_nothing_is_corrected_and_me_says_so(acme: Caller, rival: Caller, mine: Guide) -> None:
    Company.objects.filter(pk=acme.company.pk).update(may_correct=False)
    assert answered(patch(acme, mine.tracking_code, {"consignee_city": "Arica"}), 403)["error"] == "forbidden"
    assert (acme.get("/me").json()["may_correct"], rival.get("/me").json()["may_correct"]) == (False, True)


def test_browsers_may_send_it(acme: Caller) -> None:
    answer = acme.client.options(f"{BASE}/guides/ACM0", headers={"Access-Control-Request-Method": "PATCH"})
    assert (answer.status_code, answer["Access-Control-Allow-Methods"]) == (204, "GET, POST, PATCH, OPTIONS")


def test_operators_see_on_the_guides_page_what_its_client_changed(acme: Caller, mine: Guide) -> None:
    answered(patch(acme, mine.tracking_code, {"consignee_phone": "5550199"}))
    staff = operator("view_guide", "view_manifest")
    page = staff.get(f"/admin/shipments/guide/{mine.pk}/change/").content.decode()
    assert "client:ACME" in page
    assert "Corrected by API" in page
