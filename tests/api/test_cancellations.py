"""Cancelling a guide and voiding a MAWB by API: while nothing has happened, and as often as it takes."""

from collections.abc import Callable
from typing import Any

import pytest

from companies.models import Company
from shipments.models import Guide, GuideEvent, Manifest
from shipments.tracking.voiding import void_manifest
from tests.api.answers import answered, error
from tests.api.changing import cancel, sent, void
from tests.companies.admin_pages import operator
from tests.conftest import Caller
from tests.documents import guide
from tests.shipments.shipping import assert_sound, bring
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db

MAWB = "045-12345675"


@pytest.fixture
def mine(acme: Caller, rival: Caller) -> Guide:
    sent(rival, guide(1), guide(2))
    return sent(acme, guide(1), guide(2))[0]


class TestCancel:
    def test_cancels_a_registered_guide_once_however_often_it_is_sent(self, acme: Caller, mine: Guide) -> None:
        answer = cancel(acme, mine.tracking_code.lower())
        body = answered(answer)
        assert (body["status"], body["status_code"]) == ("cancelled", 94)
        assert (body["events"][-1]["source"], "reason" in body["events"][-1]) == ("pre_alert", False)
        assert acme.get(f"/guides/{mine.tracking_code}").json() == body
        assert acme.get(f"/guides/{mine.tracking_code}")["ETag"] == answer["ETag"]
        event = GuideEvent.objects.get(guide=mine, status="cancelled")
        assert (event.actor, event.internal_note, event.client_note) == ("client:ACME", "withdrawn", "")
        version = Manifest.objects.get(pk=mine.manifest_id).version
        assert answered(cancel(acme, mine.tracking_code)) == body
        assert GuideEvent.objects.filter(guide=mine).count() == 2
        assert Manifest.objects.get(pk=mine.manifest_id).version == version
        assert_sound(mine.manifest)

    @pytest.mark.parametrize(
        ("statuses", "code"),
        [
            (["customs_processing"], "invalid_transition"),
            (["in_transit"], "invalid_transition"),
            (["delivered"], "guide_already_terminal"),
            (["lost"], "guide_already_terminal"),
        ],
    )
    def test_is_refused_once_it_is_under_way(self, acme: Caller, mine: Guide, statuses: list[str], code: str) -> None:
        bring(mine, *statuses)
        body = answered(cancel(acme, mine.tracking_code), 409)
        assert (body["error"], Guide.objects.get(pk=mine.pk).status) == (code, statuses[-1])

    @pytest.mark.parametrize(
        "body", [{}, {"reason": ""}, {"reason": " "}, {"reason": "x" * 256}, {"reason": None}, {"reason": []},
                 {"reason": "a\x00b"}, {"reason": "x", "status": "lost"}],
    )  # fmt: skip
    def test_needs_a_reason_and_nothing_else(self, acme: Caller, mine: Guide, body: Any) -> None:
        answer = cancel(acme, mine.tracking_code, body)
        assert answer.status_code == 400
        assert answer.json()["error"] in {"validation_failed", "invalid_body"}
        assert Guide.objects.get(pk=mine.pk).status == "registered"

    def test_of_another_companys_guide_is_a_404_as_of_an_unknown_one(self, rival: Caller, mine: Guide) -> None:
        theirs, unknown = cancel(rival, mine.tracking_code), cancel(rival, "ACM00000000000")
        assert (theirs.status_code, theirs.content) == (404, unknown.content)
        assert Guide.objects.get(pk=mine.pk).status == "registered"

    def test_by_a_courier_of_what_it_posted(self, courier: Caller, acme: Caller) -> None:
        (posted,) = sent(courier, client_code="ACME")
        (own,) = sent(acme, mawb="045-12345686")
        body = {"client_code": "ACME", "reason": "withdrawn"}
        expected = {"success": True, "tracking_code": posted.tracking_code, "fields": ["status"]}
        assert answered(cancel(courier, posted.tracking_code, body)) == expected
        assert answered(cancel(courier, posted.tracking_code, body)) == {**expected, "fields": []}
        assert error(cancel(courier, own.tracking_code, body)) == (404, "not_found")
        assert GuideEvent.objects.get(guide=posted, status="cancelled").actor == "courier:SWIFT"
        page = operator("view_guide", "view_manifest").get(f"/admin/shipments/guide/{posted.pk}/change/")
        assert "courier:SWIFT" in page.content.decode()


class TestVoid:
    def test_voids_once_and_repeats_the_first_answer(self, acme: Caller, rival: Caller, mine: Guide) -> None:
        answered(cancel(acme, mine.tracking_code))
        body = answered(void(acme, "045 12345675"))
        assert body == {
            "success": True, "mawb": MAWB, "manifest_id": str(mine.manifest_id), "voided_at": body["voided_at"],
            "guides_cancelled": 1,
        }  # fmt: skip
        assert answered(void(acme, MAWB)) == answered(void(acme, MAWB, manifest_id=body["manifest_id"])) == body
        assert acme.get(f"/mawbs/{MAWB}").status_code == 404
        manifest = Manifest.objects.get(pk=mine.manifest_id)
        assert (manifest.voided_by, manifest.void_reason) == ("client:ACME", "sent twice")
        sources = set(GuideEvent.objects.filter(guide__manifest=manifest).values_list("source", flat=True))
        assert sources == {"pre_alert"}
        assert rival.get(f"/mawbs/{MAWB}").json()["status"] == "registered"

    def test_frees_the_mawb_and_a_late_repetition_never_voids_what_was_sent_since(
        self, acme: Caller, mine: Guide
    ) -> None:
        first = str(mine.manifest_id)
        answered(void(acme, MAWB, manifest_id=first))
        (again,) = sent(acme)
        body = answered(void(acme, MAWB, manifest_id=first), 409)
        assert body["error"] == "manifest_already_voided"
        assert Manifest.objects.get(pk=again.manifest_id).voided_at is None
        answered(void(acme, MAWB, manifest_id=str(again.manifest_id)))
        assert answered(void(acme, MAWB))["manifest_id"] == str(again.manifest_id)
        assert answered(void(acme, MAWB, manifest_id=first))["manifest_id"] == first

    def test_is_refused_once_a_guide_is_under_way(self, acme: Caller, mine: Guide) -> None:
        bring(mine, "customs_processing")
        body = answered(void(acme, MAWB), 409)
        assert (body["error"], body["guides_by_status"]) == (
            "manifest_under_way", {"registered": 1, "customs_processing": 1},
        )  # fmt: skip
        assert Manifest.objects.get(pk=mine.manifest_id).voided_at is None

    def test_what_an_operator_voided_is_answered_as_it_is(self, acme: Caller, mine: Guide) -> None:
        void_manifest(mine.manifest, reason="on the telephone", actor="ana")
        assert answered(void(acme, MAWB))["guides_cancelled"] == 2
        assert Manifest.objects.get(pk=mine.manifest_id).voided_by == "ana"

    def test_of_another_companys_mawb_is_a_404_as_of_an_unknown_one(
        self, rival: Caller, company_maker: Callable[..., Caller], mine: Guide
    ) -> None:
        other = company_maker("OTHER")
        theirs = void(other, MAWB, manifest_id=str(mine.manifest_id))
        unknown = void(other, "045-12345686", manifest_id=str(mine.manifest_id))
        assert (theirs.status_code, theirs.content) == (404, unknown.content)
        assert void(rival, MAWB, manifest_id=str(mine.manifest_id)).status_code == 409, "its own stands"
        assert not Manifest.objects.exclude(voided_at=None).exists()

    @pytest.mark.parametrize("body", [{"manifest_id": "x"}, {"manifest_id": []}, {"reason": 7.5e400}, {"key": "x"}])
    def test_refuses_other_values(self, acme: Caller, mine: Guide, body: Any) -> None:
        answer = void(acme, MAWB, **body)
        assert answer.status_code == 400
        assert Manifest.objects.get(pk=mine.manifest_id).voided_at is None

    @pytest.mark.usefixtures("mine")
    def test_is_announced_to_version_2(self, acme: Caller, settings: Any) -> None:
        settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
        register(acme.company, "https://127.0.0.1/", "s" * 32)
        register_signed(acme.company, "https://127.0.0.1/")
        answered(void(acme, MAWB))
        answered(void(acme, MAWB))
        sent_types = sorted(Delivery.objects.values_list("event_type", "subscription__version"))
        assert sent_types == [("guide.exception", 1)] * 2 + [("guide.exception", 2)] * 2 + [("pre_alert.voided", 2)]
        assert all(b"sent twice" not in bytes(each.body) for each in Delivery.objects.all())

    def test_by_a_courier_of_what_it_posted(self, courier: Caller, acme: Caller) -> None:
        (posted,) = sent(courier, client_code="ACME")
        sent(acme, mawb="045-12345686")
        assert error(void(courier, "045-12345686", client_code="ACME")) == (404, "not_found")
        assert answered(void(courier, MAWB, client_code="ACME"))["manifest_id"] == str(posted.manifest_id)
        assert Manifest.objects.get(pk=posted.manifest_id).voided_by == "courier:SWIFT"


def test_switched_off_nothing_is_cancelled(acme: Caller, mine: Guide) -> None:
    Company.objects.filter(pk=acme.company.pk).update(may_correct=False)
    for answer in (cancel(acme, mine.tracking_code), void(acme, MAWB)):
        assert answered(answer, 403)["error"] == "forbidden"
    assert Guide.objects.get(pk=mine.pk).status == "registered"
