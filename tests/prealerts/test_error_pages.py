"""Error pages of the admin: an operator who is logged in keeps the header and the sidebar."""

from typing import Any

import pytest
from django.contrib.auth.views import LoginView
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from shipments.admin.guides import GuideAdmin
from tests.companies.admin_pages import text_of
from tests.country_scope.operators import operator_of

pytestmark = pytest.mark.django_db

GUIDES = reverse("admin:shipments_guide_changelist")
SIDEBAR = f'href="{reverse("admin:shipments_manifest_changelist")}"'
HEADER = "Ctrl K"
WRONG = "Something went wrong on our side"


def fail(*_arguments: object, **_named: object) -> Any:
    raise RuntimeError("a bug")


@pytest.fixture
def staff() -> Client:
    client = operator_of("CL")
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"{GUIDES}?nonsense=1", 400),
        (reverse("admin:auth_user_changelist"), 403),
        ("/admin/nowhere/", 404),
        (reverse("admin:shipments_guide_change", args=[404]), 404),
    ],
)
def test_a_refused_page_keeps_the_frame(staff: Client, address: str, status: int) -> None:
    response = staff.get(address)
    page = text_of(response)
    assert response.status_code == status
    assert SIDEBAR in page
    assert HEADER in page


def test_an_internal_error_keeps_the_frame_without_a_query(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def failing(*_arguments: object, **_named: object) -> Any:
        connection.execute_wrappers.append(count)
        raise RuntimeError

    def count(execute: Any, sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    monkeypatch.setattr(GuideAdmin, "get_search_results", failing)
    response = staff.get(GUIDES)
    connection.execute_wrappers.remove(count)
    page = text_of(response)
    assert response.status_code == 500
    assert WRONG in page
    assert response["X-Request-Id"] in page
    assert SIDEBAR in page
    assert HEADER in page
    assert asked == []


def test_without_the_database_the_page_depends_on_nothing(staff: Client) -> None:
    def unreachable(*_arguments: object) -> Any:
        raise OperationalError

    with connection.execute_wrapper(unreachable):
        response = staff.get(GUIDES)
    page = text_of(response)
    assert response.status_code == 500
    assert WRONG in page
    assert "Algo falló de nuestro lado" in page
    assert SIDEBAR not in page


def test_nobody_learns_of_the_admin_from_an_error_before_the_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LoginView, "dispatch", fail)
    response = Client(raise_request_exception=False).get(reverse("admin:login"))
    assert response.status_code == 500
    assert SIDEBAR not in text_of(response)


def test_an_address_that_is_not_ours_has_a_plain_page_in_both_languages(client: Client) -> None:
    response = client.get(reverse("admin:index"), headers={"host": "elsewhere.example"})
    page = text_of(response)
    assert response.status_code == 400
    assert "The request cannot be read" in page
    assert "La solicitud no se puede leer" in page
    assert SIDEBAR not in page
