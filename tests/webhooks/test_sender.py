"""One POST against endpoints as they are in the world: over real sockets and real TLS, under one deadline."""

import asyncio
import gzip
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.webhooks.posting import BODY, DEADLINE, Post, looked_up, posting
from tests.webhooks.receivers import Authority, Receiver, answer, forever, hang, raw, unheard_port
from webhooks.admin.advice import advice
from webhooks.checks import tls_context
from webhooks.models import Delivery, State
from webhooks.verdicts import Failure


def test_the_request_is_the_contracts_to_the_letter(post: Post, receiver: Receiver) -> None:
    verdict = post(posting(receiver.url + "/a%2Fb?tenant=7"))
    (request,) = receiver.received
    assert (request.method, request.path) == ("POST", "/hook/a%2Fb?tenant=7")
    assert request.body == BODY
    assert request.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "authorization": "Bearer s3cret",
        "content-type": "application/json",
        "user-agent": "Service-Webhook/1.0",
        "x-service-delivery-id": "evt_1",
        "x-service-event": "guide.delivered",
        "content-length": str(len(BODY)),
    }
    assert verdict.is_delivered
    assert (verdict.http_status, verdict.remote_address, verdict.excerpt) == (200, "127.0.0.1", "ok")


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_success(post: Post, receivers: Any, status: int) -> None:
    assert post(receivers(answer(status, b"")).url).is_delivered


@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503, 599])
def test_any_other_answer_is_failure_and_its_words_are_kept(post: Post, receivers: Any, status: int) -> None:
    verdict = post(receivers(answer(status, b"we are closed")).url)
    assert (verdict.error, verdict.http_status) == (Failure.HTTP_STATUS, status)
    assert verdict.reason == f"{status} Told"
    assert verdict.excerpt == "we are closed"


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
def test_a_redirect_is_not_followed(post: Post, receivers: Any, status: int) -> None:
    private = receivers()
    verdict = post(receivers(answer(status, b"", Location=private.url)).url)
    assert (verdict.error, verdict.http_status) == (Failure.REDIRECT, status)
    assert private.url in verdict.reason
    assert private.connections == 0


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(hang, id="no answer"),
        pytest.param(forever(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.1), id="header drip"),
        pytest.param(forever(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x", 0.1), id="body drip"),
        pytest.param(
            forever(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 0.1), id="chunk drip"
        ),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), id="200 then stall"),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\n\r\n"), id="200 without length then stall"),
        pytest.param(raw(b"HTTP/1.1 100 Continue\r\n\r\n"), id="100 then stall"),
        pytest.param(raw(b"HT"), id="half a status line"),
    ],
)
def test_the_deadline_counts_everything_to_the_bodys_end(post: Post, receivers: Any, behave: Any) -> None:
    verdict = post(receivers(behave).url, deadline=DEADLINE)
    assert verdict.error == Failure.TIMEOUT
    assert verdict.duration_ms >= DEADLINE * 1000 - 1  # the event loop's timers count in whole milliseconds
    assert verdict.reason


def test_a_stalled_tls_handshake_is_a_timeout(post: Post, receivers: Any) -> None:
    async def silent(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(3600)

    verdict = post(receivers(context=None, connection=silent).url, deadline=DEADLINE)
    assert verdict.error == Failure.TIMEOUT
    assert "no TLS connection" in verdict.reason
    assert verdict.remote_address == "127.0.0.1"


def test_an_endless_body_counts_as_delivered_after_16_kib(post: Post, receivers: Any) -> None:
    verdict = post(receivers(forever(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096)).url)
    assert verdict.is_delivered
    assert verdict.excerpt == "x" * 1024


def test_a_gzip_bomb_is_never_unpacked(post: Post, receivers: Any) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    verdict = post(receivers(answer(200, bomb, Content_Encoding="gzip")).url)
    assert verdict.is_delivered
    assert len(verdict.excerpt) <= 1024


def test_endless_headers_are_cut_short(post: Post, receivers: Any) -> None:
    verdict = post(receivers(forever(b"HTTP/1.1 200 OK\r\n", b"X-Flood: " + b"y" * 500 + b"\r\n")).url)
    assert verdict.error == Failure.PROTOCOL  # not a timeout


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"], Failure.DISCONNECTED),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"], Failure.DISCONNECTED),
        ([b"HTTP/1.1 200 OK\r\nX: y\r\n"], Failure.DISCONNECTED),
        ([], Failure.DISCONNECTED),
        ([b"SSH-2.0-OpenSSH_9.2\r\n"], Failure.PROTOCOL),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"], Failure.PROTOCOL),
    ],
)
@pytest.mark.parametrize("then", ["reset", "close"])
def test_a_broken_answer_is_failure(post: Post, receivers: Any, pieces: list[bytes], error: Failure, then: str) -> None:
    receiver = receivers(raw(*pieces, pause=0.05, then=then))
    verdict = post(receiver.url)
    assert verdict.error == error
    assert len(receiver.received) == 1  # and no second attempt


def test_a_refusal_whose_body_stalls_is_reported_by_its_status(post: Post, receivers: Any) -> None:
    verdict = post(receivers(raw(b"HTTP/1.1 503 Later\r\nContent-Length: 99\r\n\r\nbusy")).url)
    assert (verdict.error, verdict.http_status, verdict.excerpt) == (Failure.HTTP_STATUS, 503, "busy")


def test_nobody_listening_is_not_a_connection(post: Post) -> None:
    with unheard_port() as port:
        verdict = post(f"https://127.0.0.1:{port}/")
    assert verdict.error == Failure.CONNECT
    assert verdict.reason


@pytest.mark.parametrize(
    ("certificate", "words", "told"),
    [
        ({"not_after": datetime.now(UTC) - timedelta(days=1)}, "expired", "has expired"),
        ({"not_before": datetime.now(UTC) + timedelta(days=1)}, "not yet valid", "not valid yet"),
        ({"names": ["other.test"]}, "127.0.0.1", "for another name"),
    ],
)
def test_a_certificate_that_does_not_hold_is_refused_with_the_reason(
    post: Post, receivers: Any, authority: Authority, certificate: dict[str, Any], words: str, told: str
) -> None:
    """The words are the TLS library's; where they changed, operators would read the general sentence."""
    names = certificate.pop("names", [])
    receiver = receivers(context=authority.server(*names, **certificate))
    verdict = post(receiver.url)
    assert verdict.error == Failure.TLS
    assert words in verdict.reason
    assert told in advice(Delivery(state=State.FAILED, error=verdict.error, reason=verdict.reason))
    assert receiver.received == []


def test_a_self_signed_certificate_is_refused(post: Post, receivers: Any) -> None:
    receiver = receivers()
    verdict = post(receiver.url, context=tls_context())
    assert verdict.error == Failure.TLS
    assert "self-signed" in verdict.reason or "issuer" in verdict.reason
    assert receiver.received == []


def test_plain_http_behind_an_https_url_is_a_tls_failure(post: Post, receivers: Any) -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.2)

    assert post(receivers(context=None, connection=plain).url).error == Failure.TLS


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://127.0.0.1:{port}/hook", Failure.URL_REFUSED),
        ("https://user:pass@127.0.0.1:{port}/hook", Failure.URL_REFUSED),
        ("https://2130706433:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://0x7f000001:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://0177.0.0.1:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://127.1:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://127.0.0.1:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://127\u30020\u30020\u30021:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://[::1]:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://[::ffff:127.0.0.1]:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://[64:ff9b::7f00:1]:{port}/hook", Failure.ADDRESS_REFUSED),
        ("https://localhost:{port}/hook", Failure.URL_REFUSED),
        ("https://hooks.localhost:{port}/hook", Failure.ADDRESS_REFUSED),
    ],
)
def test_no_way_of_writing_this_machine_reaches_it(post: Post, receiver: Receiver, url: str, error: Failure) -> None:
    verdict = post(url.format(port=receiver.port), allowed=())
    assert verdict.error == error
    assert receiver.connections == 0


def test_a_name_is_resolved_and_its_certificate_checked_by_name(post: Post, receiver: Receiver) -> None:
    verdict = post(f"https://receiver.test:{receiver.port}/hook", lookup=looked_up(["127.0.0.1"]))
    assert verdict.is_delivered
    assert receiver.received[0].headers["host"] == f"receiver.test:{receiver.port}"


def test_localhost_has_two_addresses_and_opening_one_opens_both(post: Post, receiver: Receiver) -> None:
    assert post(f"https://localhost:{receiver.port}/hook", allowed=["127.0.0.0/8"]).is_delivered


def test_one_private_answer_among_public_ones_refuses_the_name(post: Post, receiver: Receiver) -> None:
    lookup = looked_up(["8.8.8.8", "127.0.0.1"])
    verdict = post(f"https://receiver.test:{receiver.port}/hook", lookup=lookup, allowed=())
    assert verdict.error == Failure.ADDRESS_REFUSED
    assert "127.0.0.1" in verdict.reason
    assert receiver.connections == 0


def test_an_answer_that_changes_between_check_and_use_changes_nothing(post: Post, receivers: Any) -> None:
    """Rebinding: an address that may be reached first, one that may not then. One look-up serves both purposes."""
    receiver = receivers(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", then="close"))
    url = f"https://receiver.test:{receiver.port}/hook"
    lookup = looked_up(["127.0.0.1"], ["127.0.0.2"])
    first, second = post(url, url, lookup=lookup, allowed=["127.0.0.1/32"])
    assert first.is_delivered
    assert second.error == Failure.ADDRESS_REFUSED
    assert receiver.connections == 1


@pytest.mark.parametrize("line", [b"HTTP/1.1 000 No", b"HTTP/1.1 99 No", b"HTTP/1.1 99999 No", b"HTTP/1.1 200OK",
                                  b"HTTP/1.1 -200 No", b"HTTP/9.9 200 OK", b"ICY 200 OK"])  # fmt: skip
def test_a_status_that_is_none_is_not_a_success(post: Post, receivers: Any, line: bytes) -> None:
    verdict = post(receivers(raw(line + b"\r\nContent-Length: 0\r\n\r\n", then="close")).url)
    assert not verdict.is_delivered
    assert verdict.http_status is None or verdict.http_status < 1000


def test_words_that_no_database_takes_are_made_harmless(post: Post, receivers: Any) -> None:
    status = post(receivers(raw(b"HTTP/1.1 500 \xff\xfe\xed\xa0\x80 no\r\nContent-Length: 0\r\n\r\n")).url)
    redirect = post(
        receivers(raw(b"HTTP/1.1 302 X\r\nLocation: https://\xff\xed\xa0\x80/\r\nContent-Length: 0\r\n\r\n")).url
    )
    for verdict in (status, redirect):
        assert not verdict.is_delivered
        verdict.reason.encode()  # no half of a surrogate pair
        assert verdict.reason.isprintable()


def test_proxies_of_the_environment_are_not_used(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unheard_port() as port:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        assert post(receiver.url).is_delivered


def test_cookies_are_not_kept(post: Post, receivers: Any) -> None:
    receiver = receivers(answer(200, b"", Set_Cookie="session=1; Path=/"))
    post(receiver.url, receiver.url)
    assert "cookie" not in receiver.received[1].headers


def test_the_excerpt_holds_nothing_a_database_refuses(post: Post, receivers: Any) -> None:
    verdict = post(receivers(answer(500, b"\x00\xff" + "ñ".encode() * 900)).url)
    assert "\0" not in verdict.excerpt
    assert len(verdict.excerpt) <= 1024
    verdict.excerpt.encode()


def test_a_secret_with_a_blank_inside_arrives_as_it_is(post: Post, receiver: Receiver) -> None:
    post(posting(receiver.url, secret="two words"))
    assert receiver.received[0].headers["authorization"] == "Bearer two words"
