"""ETag and If-None-Match: what has not changed is not sent again, and what has changed always is."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from shipments.models import Manifest
from shipments.tracking.voiding import void_manifest
from tests.api.answers import error
from tests.books import MAWB, guide_row, workbook_bytes
from tests.conftest import BASE, Caller
from tests.shipments.shipping import bring, shipped, tell

pytestmark = pytest.mark.django_db


@pytest.fixture
def manifest(acme: Caller, rival: Caller) -> Manifest:
    shipped(rival.company, 2, mawb=MAWB)
    return shipped(acme.company, 3, mawb=MAWB, retention_reason="FOB above 2,000")


def paths(manifest: Manifest) -> dict[str, str]:
    return {
        "list": "/mawbs",
        "filtered list": "/mawbs?country=CL&limit=2",
        "detail": f"/mawbs/{manifest.mawb}",
        "guides": f"/mawbs/{manifest.mawb}/guides?limit=2",
        "findings": f"/mawbs/{manifest.mawb}/findings",
        "guide": f"/guides/{manifest.guides.all()[0].tracking_code}",
    }


@pytest.fixture
def path(manifest: Manifest, kind: str) -> str:
    return paths(manifest)[kind]


KINDS = ["list", "filtered list", "detail", "guides", "findings", "guide"]
either_way = pytest.mark.parametrize("kind", ["list", "detail"])
"""A view of DRF, and one that answers 304 before DRF has the request."""


def tag(caller: Caller, path: str, **headers: Any) -> str:
    answer = caller.get(path, **headers)
    assert answer.status_code == 200
    assert answer["ETag"].startswith('"')
    return str(answer["ETag"])


def asked(caller: Caller, path: str, known: str, **headers: Any) -> Any:
    return caller.get(path, HTTP_IF_NONE_MATCH=known, **headers)


class TestNothingHappened:
    @pytest.mark.parametrize("kind", KINDS)
    def test_is_a_304_without_a_body(self, acme: Caller, path: str) -> None:
        known = tag(acme, path)
        answer = asked(acme, path, known, HTTP_X_REQUEST_ID="poll-1")
        assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", known)
        assert answer["X-Request-Id"] == "poll-1"
        assert answer["Cache-Control"] == "no-store"
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "Content-Length" not in answer
        assert "Content-Type" not in answer

    @either_way
    @pytest.mark.parametrize("known", ["*", '"other", {}', "W/{}", '{} , "x"'])
    def test_whatever_the_client_may_write(self, acme: Caller, path: str, known: str) -> None:
        assert asked(acme, path, known.format(tag(acme, path))).status_code == 304

    @either_way
    @pytest.mark.parametrize("known", ['"other"', "", "nonsense", '"', "W/*"])
    def test_is_a_200_with_any_other_tag(self, acme: Caller, path: str, known: str) -> None:
        answer = asked(acme, path, known)
        assert (answer.status_code, answer.json()) == (200, acme.get(path).json())

    @either_way
    def test_other_conditions_are_ignored(self, acme: Caller, path: str) -> None:
        for condition in ("HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_MODIFIED_SINCE"):
            assert acme.get(path, **{condition: "Sat, 21 Nov 2026 12:00:00 GMT"}).status_code == 200

    @either_way
    def test_head_has_the_same_tag(self, acme: Caller, path: str) -> None:
        known = tag(acme, path)
        head = acme.client.head(BASE + path, headers=acme.headers)
        assert (head.status_code, head["ETag"], head.content) == (200, known, b"")
        again = acme.client.head(BASE + path, headers={**acme.headers, "If-None-Match": known})
        assert again.status_code == 304

    @either_way
    def test_another_language_is_another_answer(self, acme: Caller, path: str) -> None:
        known = tag(acme, path)
        assert asked(acme, path, known, HTTP_ACCEPT_LANGUAGE="es").status_code == 200
        assert asked(acme, path, known, HTTP_ACCEPT_LANGUAGE="en-GB, en;q=0.5").status_code == 304

    @either_way
    def test_another_version_of_the_api_is_another_answer(self, acme: Caller, path: str, settings: Any) -> None:
        known = tag(acme, path)
        settings.API_VERSION = "99.0"
        assert asked(acme, path, known).status_code == 200

    @pytest.mark.parametrize("kind", KINDS)
    def test_another_companys_tag_is_worth_nothing(self, acme: Caller, rival: Caller, path: str) -> None:
        assert asked(rival, path, tag(acme, path)).status_code == (404 if path.startswith("/guides") else 200)

    @either_way
    def test_without_the_password_the_tag_is_worth_nothing(self, acme: Caller, path: str) -> None:
        known = tag(acme, path)
        acme.password = "wrong"
        assert error(asked(acme, path, known)) == (401, "invalid_api_key")
        assert error(asked(acme, path, "*")) == (401, "invalid_api_key")


class TestSomethingHappened:
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_move_changes_every_tag(self, acme: Caller, manifest: Manifest, kind: str) -> None:
        path = paths(manifest)[kind]
        known = tag(acme, path)
        bring(manifest.guides.all()[0], "in_transit")
        answer = asked(acme, path, known)
        assert answer.status_code == 200
        assert answer["ETag"] != known
        assert asked(acme, path, answer["ETag"]).status_code == 304

    def test_two_guides_that_swap_statuses_change_the_details_and_their_own(
        self, acme: Caller, manifest: Manifest
    ) -> None:
        first, second, third = manifest.guides.all()
        bring(first, "in_transit")
        bring(second, "customs_processing")
        watched = [f"/mawbs/{MAWB}", "/mawbs", f"/guides/{first.tracking_code}", f"/guides/{second.tracking_code}"]
        tags = {path: tag(acme, path) for path in watched}
        still = tag(acme, f"/guides/{third.tracking_code}")
        counts = acme.get(f"/mawbs/{MAWB}").json()["guides_by_status"]
        bring(first, "customs_processing")
        bring(second, "in_transit")
        assert acme.get(f"/mawbs/{MAWB}").json()["guides_by_status"] == counts
        assert {path: asked(acme, path, known).status_code for path, known in tags.items()} == dict.fromkeys(tags, 200)
        assert asked(acme, f"/guides/{third.tracking_code}", still).status_code == 304

    def test_a_late_scan_changes_the_guides_tag(self, acme: Caller, manifest: Manifest) -> None:
        guide = manifest.guides.all()[0]
        bring(guide, "in_transit")
        path = f"/guides/{guide.tracking_code}"
        known = tag(acme, path)
        assert tell(guide, "customs_processing", occurred_at=guide.created_at).outcome == "history"
        assert len(asked(acme, path, known).json()["events"]) == 3

    def test_erasing_a_persons_data_changes_the_tags(self, acme: Caller, manifest: Manifest) -> None:
        watched = [paths(manifest)["guide"], paths(manifest)["findings"]]
        tags = {path: tag(acme, path) for path in watched}
        Manifest.objects.update(created_at="2020-01-01T00:00:00Z")
        call_command("anonymise", "--older-than", "7", stdout=StringIO())
        assert {asked(acme, path, known).status_code for path, known in tags.items()} == {200}

    def test_a_mawb_voided_and_sent_again_has_another_tag(self, acme: Caller) -> None:
        content = workbook_bytes([guide_row(1)])
        acme.upload(content)
        known = tag(acme, f"/mawbs/{MAWB}")
        void_manifest(Manifest.objects.get(), reason="sent by mistake", actor="ana")
        assert error(asked(acme, f"/mawbs/{MAWB}", known)) == (404, "not_found")
        acme.upload(content)
        assert Manifest.objects.of(acme.company).get().version == 1
        assert asked(acme, f"/mawbs/{MAWB}", known).status_code == 200

    @pytest.mark.usefixtures("manifest")
    def test_a_new_mawb_changes_the_lists_tag(self, acme: Caller, rival: Caller) -> None:
        known = tag(acme, "/mawbs")
        shipped(rival.company, 1)
        assert asked(acme, "/mawbs", known).status_code == 304
        shipped(acme.company, 1)
        assert asked(acme, "/mawbs", known).status_code == 200

    @pytest.mark.usefixtures("manifest")
    def test_a_new_page_changes_the_tag_of_the_page_before(self, acme: Caller) -> None:
        known = tag(acme, "/mawbs?limit=1")
        older = shipped(acme.company, 1)
        Manifest.objects.filter(pk=older.pk).update(created_at="2020-01-01T00:00:00Z")
        assert asked(acme, "/mawbs?limit=1", known).json()["next_cursor"]

    def test_an_empty_lists_tag_is_the_companys_own(self, acme: Caller, rival: Caller) -> None:
        assert tag(acme, "/mawbs") != tag(rival, "/mawbs")


class TestTheCost:
    @pytest.mark.parametrize(("name", "table"), [("detail", "shipments_guide"), ("guide", "shipments_guideevent")])
    def test_of_what_has_not_changed_is_the_passwords_query_alone(
        self, acme: Caller, manifest: Manifest, django_assert_num_queries: Any, name: str, table: str
    ) -> None:
        path = paths(manifest)[name]
        known = tag(acme, path)
        with django_assert_num_queries(1) as queries:
            assert asked(acme, path, known).status_code == 304
        assert not [query["sql"] for query in queries.captured_queries if table in query["sql"]]

    def test_of_a_guide_of_somebody_else_or_of_nobody_is_not_found(
        self, acme: Caller, rival: Caller, manifest: Manifest
    ) -> None:
        path = paths(manifest)["guide"]
        known = tag(acme, path)
        assert asked(rival, path, known).status_code == 404
        assert asked(rival, path, "*").status_code == 404
        assert asked(acme, "/guides/NOBODYS", known).status_code == 404
        assert asked(acme, path, "*").status_code == 304
