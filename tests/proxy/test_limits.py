"""How much may be sent through the proxy, and who refuses more."""

import uuid

import pytest

from tests.books import workbook_bytes
from tests.live.server import Server
from tests.live.test_over_http import form
from tests.proxy.nginx import Proxy
from tests.proxy.passing import JSON, MIB, UPLOAD, logged_in, pieces, uploads


class TestLimits:
    def test_exactly_twenty_megabytes_are_within(self, proxy: Proxy, client: dict[str, str]) -> None:
        files = {"manifest_file": workbook_bytes(), "invoice_file": b"%PDF-" + bytes(20 * MIB - 5)}
        assert proxy.post(UPLOAD, files=files, headers=client).status_code == 201

    @pytest.mark.parametrize("field", ["manifest_file", "invoice_file"])
    def test_a_byte_more_is_refused_by_its_field(self, proxy: Proxy, client: dict[str, str], field: str) -> None:
        files = {"manifest_file": workbook_bytes(), field: b"%PDF-" + bytes(20 * MIB - 4)}
        refused = proxy.post(UPLOAD, files=files, headers=client)
        assert (refused.status_code, refused.json()["error"]) == (400, "validation_failed")
        assert list(refused.json()["details"]) == [field]

    @pytest.mark.parametrize("framing", ["length", "chunked"])
    def test_what_no_upload_can_be_is_refused_before_the_application(
        self, proxy: Proxy, service: Server, client: dict[str, str], framing: str
    ) -> None:
        request_id, before = uuid.uuid4().hex, uploads(service)
        body = form(bytes(43 * MIB))
        headers = {
            **client,
            "Content-Type": "multipart/form-data; boundary=BOUNDARY",
            "X-Request-Id": request_id,
        }
        refused = proxy.post(UPLOAD, data=pieces(body, MIB) if framing == "chunked" else body, headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (400, "validation_failed")
        assert "manifest_file" in refused.json()["details"]
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        assert refused.headers["X-Request-Id"] == request_id
        assert uploads(service) == before

    @pytest.mark.parametrize("size", [10 * MIB + 1, 12 * MIB])
    def test_json_over_ten_megabytes_is_an_invalid_body_whoever_refuses_it(
        self, proxy: Proxy, client: dict[str, str], size: int
    ) -> None:
        headers = {**client, "Content-Type": "application/json"}
        refused = proxy.post(JSON, data=b" " * (size - 2) + b"{}", headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_body")
        assert refused.json()["message"] == "The body is larger than 10 MB."
        assert refused.headers["Access-Control-Allow-Origin"] == "*"

    @pytest.mark.parametrize(
        ("path", "password", "reported"),
        [
            (UPLOAD, "pa_live_unknown", (401, "invalid_api_key")),
            (f"{UPLOAD}/of/what", "", (400, "validation_failed")),
            ("/api/public/pre-alerts/v1/mawbs", "", (400, "validation_failed")),
        ],
    )
    def test_a_refusal_that_reads_no_body_arrives_however_long_the_body_is(
        self, proxy: Proxy, client: dict[str, str], path: str, password: str, reported: tuple[int, str]
    ) -> None:
        """Closing the connection on what is unread would reset it, and nginx lose the answer now and then."""
        headers = client | ({"Authorization": f"Bearer {password}"} if password else {})
        headers["Content-Type"] = "application/octet-stream"
        answers = [proxy.post(path, data=bytes(900 * 1024 if path != UPLOAD else 40 * MIB), headers=headers)]
        answers += [proxy.post(path, data=bytes(900 * 1024), headers=headers) for _ in range(8)]
        assert {(answer.status_code, answer.json()["error"]) for answer in answers} == {reported}

    @pytest.mark.parametrize("path", ["mawbs", "upload/of/what"])
    def test_a_small_body_where_none_is_taken_is_heard_out(
        self, proxy: Proxy, client: dict[str, str], path: str
    ) -> None:
        answer = proxy.post(f"{proxy.api_path}/{path}", data=bytes(16 * 1024), headers=client)
        assert (answer.status_code, answer.json()["error"]) in {(404, "not_found"), (405, "method_not_allowed")}

    def test_an_operators_file_may_have_as_much_as_the_pages_say(self, proxy: Proxy, service: Server) -> None:
        service.operator("importer", "a-long-password-1")
        browser = logged_in(proxy, "importer", "a-long-password-1")
        taken = browser.post(f"{proxy.https}/admin/events/import/", files={"file": bytes(20 * MIB)}, timeout=60)
        refused = browser.post(f"{proxy.https}/admin/events/import/", files={"file": bytes(22 * MIB)}, timeout=60)
        assert taken.status_code == 403  # the application's: the form has no token
        assert refused.status_code == 413
        assert "20 MB" in refused.text
