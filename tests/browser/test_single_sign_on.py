"""A login at a provider of OpenID Connect, as a person does it."""

import json
from collections.abc import Iterator
from typing import Any

import oidc_provider_mock
import pytest
import requests
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.live import server
from tests.live.server import Server

pytestmark = [
    pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning"),  # between the mock and its library
    pytest.mark.filterwarnings("ignore::authlib.deprecate.AuthlibDeprecationWarning"),  # the same
]


@pytest.fixture(scope="session")
def provider() -> Iterator[str]:
    with oidc_provider_mock.run_server_in_thread() as running:
        yield f"http://127.0.0.1:{running.server_port}"


@pytest.fixture(scope="session")
def service(tmp_path_factory: Any, provider: str) -> Iterator[Server]:
    """As it is where nobody has a password: the provider's second factor counts."""
    settings = {
        "OIDC_ISSUER": provider, "OIDC_CLIENT_ID": "prealerts", "OIDC_CLIENT_SECRET": "secret",
        "OIDC_ROLES": json.dumps({"ops": "Operations"}), "OIDC_COUNTRIES": json.dumps({"cl": ["CL"]}),
        "LOCAL_PASSWORDS": "off", "BREAK_GLASS_USER": "rescue", "ADMIN_SECOND_FACTOR": "on",
    }  # fmt: skip
    directory = tmp_path_factory.mktemp("single_sign_on")
    with server.served(directory, STATIC_ROOT=server.collected_static(), **settings) as running:
        yield running


def test_somebody_logs_in_at_the_provider_and_out_again(open_page: OpenPage, service: Server, provider: str) -> None:
    claims = {"groups": ["ops", "cl"], "amr": ["mfa"], "given_name": "Ana"}
    requests.put(f"{provider}/users/ana", json=claims, timeout=10).raise_for_status()
    page = open_page(service)
    page.goto("/admin/shipments/guide/")
    page.get_by_role("link", name="Log in with 127.0.0.1").click()
    page.fill("[name=sub]", "ana")
    page.press("[name=sub]", "Enter")
    expect(page).to_have_url(f"{service.address}/admin/shipments/guide/")
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="Today's work")).to_be_visible()
    page.evaluate("document.querySelector('#logout-form').requestSubmit()")
    page.wait_for_url("**/logout/")
    page.get_by_role("link", name="Log out there, too").click()
    page.wait_for_url(f"{provider}/oauth2/end_session?**")


def test_somebody_without_a_role_reads_why_there_is_no_way_in(
    open_page: OpenPage, service: Server, provider: str
) -> None:
    requests.put(f"{provider}/users/eva", json={"groups": ["cl"]}, timeout=10).raise_for_status()
    page = open_page(service, locale="es-CL")
    page.goto("/admin/")
    page.get_by_role("link", name="Iniciar sesión con 127.0.0.1").click()
    page.fill("[name=sub]", "eva")
    page.press("[name=sub]", "Enter")
    expect(page.get_by_role("heading", name="Todavía no tiene acceso aquí")).to_be_visible()
    expect(page.get_by_text("eva")).to_be_visible()
