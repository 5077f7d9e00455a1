"""POST process-pre-alert-json: who may post for whom, and which identifiers a marketplace sends."""

import json
from typing import Any

import pytest

from companies.models import Company
from shipments.models import Manifest
from tests.api.answers import error, nothing_stored
from tests.conftest import BASE, Caller, make_caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db


class TestCouriers:
    def test_post_for_a_client_that_owns_the_manifest(self, acme: Caller, courier: Caller, rival: Caller) -> None:
        response = courier.post_json(manifest(client_code="ACME"))
        assert response.status_code == 201
        stored = Manifest.objects.get()
        assert (stored.company, stored.posted_by) == (acme.company, courier.company)
        assert response.json()["guides"][0]["tracking_code"].startswith("ACM")
        assert len(acme.get("/mawbs").json()["mawbs"]) == 1
        assert rival.get("/mawbs").json()["mawbs"] == []

    def test_do_not_see_what_they_posted(self, courier: Caller) -> None:
        code = courier.post_json(manifest(client_code="ACME")).json()["guides"][0]["tracking_code"]
        Company.objects.filter(pk=courier.company.pk).update(allowed_countries=["CL"])
        assert courier.get("/mawbs").json()["mawbs"] == []
        assert courier.get(f"/guides/{code}").status_code == 404

    @pytest.mark.parametrize("code", [None, "", "  "])
    def test_must_name_a_client(self, courier: Caller, code: str | None) -> None:
        body = manifest() | {"client_code": code}
        assert error(courier.post_json(body)) == (400, "company_is_courier")

    def test_hear_of_unknown_inactive_and_unlinked_clients_in_one_voice(self, courier: Caller) -> None:
        make_caller("RIVAL")
        make_caller("ASLEEP", is_active=False).company.couriers.add(courier.company)
        answers = {code: courier.post_json(manifest(client_code=code)) for code in ("NOBODY", "RIVAL", "ASLEEP")}
        assert {error(answer) for answer in answers.values()} == {(403, "client_not_resolved")}
        assert {code: answer.json()["client_code"] for code, answer in answers.items()} == {
            code: code for code in answers
        }
        assert len({answer.json()["message"] for answer in answers.values()}) == 1

    @pytest.mark.usefixtures("acme")
    def test_of_one_installation_reach_nothing_of_each_other(self, courier: Caller, rival: Caller) -> None:
        other = make_caller("RAPIDO", kind="courier", allowed_countries=[])
        other.company.posts_for.add(rival.company)
        ours = courier.post_json(manifest(guide(1, bag="SACO-1"), client_code="ACME"))
        code = ours.json()["guides"][0]["tracking_code"]
        theirs = other.post_json(manifest(guide(2, bag="SACO-1"), client_code="RIVAL"))  # the same MAWB and bag
        assert theirs.status_code == 201
        assert other.post_json(manifest(guide(3), client_code="ACME")).status_code == 403
        assert [each["client_code"] for each in other.get("/me").json()["clients"]] == ["RIVAL"]
        for method, path, sent in (
            ("GET", f"/guides/{code}", None), ("GET", "/mawbs/045-12345675", None),
            ("PATCH", f"/guides/{code}", {"bag": "X"}), ("POST", f"/guides/{code}/cancel", {"reason": "x"}),
        ):  # fmt: skip
            content = json.dumps(sent) if sent else ""
            answer = other.client.generic(method, BASE + path, content, "application/json", headers=other.headers)
            assert answer.status_code in {400, 403, 404}
            assert code not in answer.content.decode()

    def test_bring_the_clients_rights_not_their_own(self, acme: Caller, courier: Caller) -> None:
        Company.objects.filter(pk=acme.company.pk).update(allowed_countries=["PE"])
        Company.objects.filter(pk=courier.company.pk).update(allowed_countries=["CL"])
        assert error(courier.post_json(manifest(client_code="ACME"))) == (403, "country_not_allowed")

    @pytest.mark.parametrize("code", ["ACME", "NOBODY", {}, False])
    def test_are_the_only_ones_to_send_a_client_code(self, acme: Caller, code: Any) -> None:
        assert error(acme.post_json(manifest(client_code=code))) == (403, "client_code_not_allowed")

    @pytest.mark.parametrize("code", [None, "", "  "])
    def test_a_client_may_send_it_empty(self, acme: Caller, code: str | None) -> None:
        assert acme.post_json(manifest() | {"client_code": code}).status_code == 201


class TestTheMarketplaceRule:
    IDENTIFIERS = {"marketplace_cop_no": "C1", "marketplace_waybill": "W1"}

    def test_a_marketplace_sends_both_identifiers_with_every_guide(self) -> None:
        market = make_caller("MARKET", is_marketplace=True)
        rows = [guide(1, extra_data=self.IDENTIFIERS), guide(2, extra_data={"marketplace_cop_no": "C2"}), guide(3)]
        response = market.post_json(manifest(*rows))
        assert error(response) == (422, "marketplace_fields_missing")
        assert {row["row_index"] for row in response.json()["invalid_rows"]} == {1, 2}
        assert nothing_stored()
        assert market.post_json(manifest(guide(1, extra_data=self.IDENTIFIERS))).status_code == 201

    def test_nobody_else_sends_them(self, acme: Caller) -> None:
        response = acme.post_json(manifest(guide(1), guide(2, extra_data={"marketplace_waybill": "W"})))
        assert error(response) == (422, "marketplace_fields_not_allowed")
        assert {row["row_index"] for row in response.json()["invalid_rows"]} == {1}

    def test_is_asked_only_of_rows_that_are_well_formed(self, acme: Caller) -> None:
        row = guide(1, weight_kg=0, extra_data=self.IDENTIFIERS)
        assert error(acme.post_json(manifest(row))) == (400, "manifest_validation_failed")
