"""The client that the documentation gives away, against answers that no live service gives when it is asked to."""

import json
import threading

import pytest

from tests.books import MAWB
from tests.documents import manifest
from tests.live.example_client import Pauses, example, scripted, scripted_client
from tests.live.unreliable import network


class TestBackingOff:
    def test_the_first_wait_is_below_half_a_second_and_the_bound_doubles(self, pauses: Pauses) -> None:
        with scripted(*[(503, {}, "")] * 6) as (address, _seen), pytest.raises(example.Unavailable):
            scripted_client(address, pauses).mawbs()
        assert all(0 <= pause <= 0.5 * 2**attempt for attempt, pause in enumerate(pauses))
        assert len(set(pauses)) == 6

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
    def test_it_waits_at_least_as_long_as_it_is_reported(self, pauses: Pauses, status: int) -> None:
        with scripted((status, {"Retry-After": "7"}, "<html>"), (200, {}, '{"mawbs": []}')) as (address, _seen):
            assert scripted_client(address, pauses).mawbs() == []
        (pause,) = pauses
        assert 7 <= pause <= 7.5

    def test_a_post_that_met_a_503_is_confirmed_by_get_before_it_is_sent_again(self, pauses: Pauses) -> None:
        refused = json.dumps({"success": False, "error": "unavailable", "message": "..."})
        absent = json.dumps({"success": False, "error": "not_found", "message": "..."})
        taken = json.dumps({"success": True, "manifest_id": "M", "mawb": MAWB, "guides": []})
        with scripted((503, {"Retry-After": "5"}, refused), (404, {}, absent), (201, {}, taken)) as (address, seen):
            assert scripted_client(address, pauses).post_json(manifest()).manifest_id == "M"
        assert [line.split()[0] for line in seen] == ["POST", "GET", "POST"]
        assert pauses[0] >= 5

    def test_a_proxys_404_does_not_count_as_not_found(self, pauses: Pauses) -> None:
        with scripted((503, {}, ""), (404, {}, "<html>")) as (address, seen), pytest.raises(example.ApiError):
            scripted_client(address, pauses).post_json(manifest())
        assert len(seen) == 2

    def test_an_answer_without_its_body_counts_as_lost(self, pauses: Pauses) -> None:
        with scripted((200, {}, ""), (200, {}, '{"mawbs": []}')) as (address, _seen):
            assert scripted_client(address, pauses).mawbs() == []
        assert len(pauses) == 1

    def test_a_redirect_is_not_followed(self, pauses: Pauses) -> None:
        with scripted((302, {"Location": "https://elsewhere.example/"}, "")) as (address, _seen):
            with pytest.raises(example.ApiError) as refused:
                scripted_client(address, pauses).mawbs()
            assert refused.value.status == 302


class TestTolerance:
    def test_unknown_fields_statuses_and_sources_pass_through(self, pauses: Pauses) -> None:
        event = {"status": "abducted", "status_code": 77, "source": "saucer", "timestamp": "x", "mood": "odd"}
        guide = {"hawb": "H", "status": "abducted", "status_code": 77, "events": [event], "colour": "green"}
        with scripted((200, {}, json.dumps(guide))) as (address, _seen):
            assert scripted_client(address, pauses).guide("A") == guide

    @pytest.mark.parametrize("body", ['{"success": false, "error": "brand_new", "message": "?", "hint": 1}', "<html>"])
    def test_an_unknown_code_is_a_refusal_by_its_status(self, pauses: Pauses, body: str) -> None:
        with scripted((422, {}, body)) as (address, seen), pytest.raises(example.ApiError) as refused:
            scripted_client(address, pauses).post_json(manifest())
        assert refused.value.status == 422
        assert refused.value.code in {"brand_new", ""}
        assert len(seen) == 1


def test_a_slow_service_does_not_hold_the_client_for_ever(pauses: Pauses) -> None:
    release = threading.Event()
    with network(_silent(release), *[]) as between:
        client = example.PreAlerts(between.address, "pa_live_x", attempts=1, read_seconds=0.2, sleep=pauses)
        with pytest.raises(example.Unavailable, match="Timeout"):
            client.mawbs()
        release.set()


def _silent(release: threading.Event) -> tuple[str, int]:
    """A service that takes a connection and says nothing until it is released."""
    import socket  # noqa: PLC0415  # kept beside its only use

    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0]:
            release.wait(20)

    threading.Thread(target=serve, daemon=True).start()
    return "127.0.0.1", int(listener.getsockname()[1])
