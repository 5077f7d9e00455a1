"""Both spellings of a route, and what needs no password."""

from typing import Any

import pytest
from django.test import Client

from tests.books import MAWB
from tests.conftest import BASE, Caller

pytestmark = pytest.mark.django_db


class TestRoutes:
    def test_both_spellings_answer_and_neither_redirects(self, acme: Caller) -> None:
        code = acme.upload().json()["guides"][0]["tracking_code"]
        for path in ("/mawbs", f"/mawbs/{MAWB}", f"/guides/{code}"):
            assert acme.get(path).content == acme.get(f"{path}/").content
        response = acme.client.post(f"{BASE}/upload/", headers=acme.headers)
        assert response.json()["error"] == "manifest_file_required"

    @pytest.mark.parametrize(
        "path",
        [
            "/api",
            "/api/",
            "/aPi/public",
            "/apis",
            f"{BASE}/nothing",
            "/api/public/pre-alerts/V1/mawbs",
            "/api/x/%2F",
            "/internal",
            "/internal/",
            "/internal/x",
            "/health/x",
            "http://testserver//api/public",
        ],
    )
    def test_a_path_that_is_none_is_answered_as_the_api_does(self, anyone: Client, path: str) -> None:
        response = anyone.get(path)
        assert (response.status_code, response.json()["error"]) == (404, "not_found")
        assert response["Access-Control-Allow-Origin"] == "*"
        assert "X-Request-Id" in response["Access-Control-Expose-Headers"]
        assert response["X-Request-Id"]
        assert path in {"/health/x", "http://testserver//api/public"} or response["Cache-Control"] == "no-store"

    @pytest.mark.parametrize("method", ["post", "delete"])
    def test_nor_is_a_form_asked_for_its_token_there(self, method: str) -> None:
        answer = getattr(Client(enforce_csrf_checks=True), method)("/api/v2/mawbs")
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")

    @pytest.mark.parametrize("path", ["/health", "/health/"])
    def test_health_is_constant_and_asks_no_database(
        self, anyone: Client, path: str, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(0):
            response = anyone.get(path, headers={"Host": "10.0.0.7"})
        assert (response.status_code, response.json()) == (200, {"status": "ok"})

    def test_health_takes_no_post(self, anyone: Client) -> None:
        assert anyone.post("/health").status_code == 405

    def test_the_template_is_there_for_everybody_and_uploads_as_it_is(self, anyone: Client, acme: Caller) -> None:
        response = anyone.get("/docs/templates/manifest-CL.xlsx")
        body = acme.upload(response.getvalue()).json()
        assert body["success"] is True
        assert (body["warnings"], body["notices"], body["rut_invalid_count"]) == ([], [], 0)

    def test_the_front_door_leads_to_the_documentation_and_operators_to_the_admin(
        self, anyone: Client, admin_client: Client, settings: Any
    ) -> None:
        assert (anyone.get("/")["Location"], admin_client.get("/")["Location"]) == ("/docs/", "/admin/")
        for page in ("/docs/", "/docs/es/quickstart/"):  # from both the login is one click away
            assert 'href="/admin/login/"' in anyone.get(page).content.decode()
        settings.API_DOCS = False
        assert anyone.get("/")["Location"] == anyone.get("/admin")["Location"] == "/admin/"
