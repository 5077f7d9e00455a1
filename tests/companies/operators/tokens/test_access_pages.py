"""The admin of accesses and of live sessions: made, shown once, renewed, ended, and by whom."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from base.admin.activity import act_in_words
from companies.models import OperatorAccess, OperatorSession
from tests.companies.admin_pages import operator
from tests.companies.operators.tokens.speaking import machine, person, program_of, token_of_machine
from tests.country_scope.operators import operator_of, text_of

pytestmark = pytest.mark.django_db
LIST, ADD = (reverse(f"admin:companies_operatoraccess_{name}") for name in ("changelist", "add"))


@pytest.fixture(autouse=True)
def _one_factor(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False


def page(name: str, access: OperatorAccess) -> str:
    return reverse(f"admin:companies_operatoraccess_{name}", args=[access.pk])


def filled_in(**fields: Any) -> dict[str, Any]:
    role = Group.objects.get(name="Operations").pk
    return {"name": "counter-2", "role": role, "countries": ["CL"], "days": 90, **fields}


def secret_on(text: str) -> str:
    (secret,) = re.findall(r"pa_op_[0-9A-Za-z]{49}", text)
    return str(secret)


def test_an_access_is_made_and_its_secret_is_shown_once(admin_client: Client) -> None:
    shown = text_of(admin_client.post(ADD, filled_in(), follow=True))
    access = OperatorAccess.objects.get()
    assert token_of_machine(access, secret_on(shown)).status_code == 200
    assert access.client_id in shown
    assert (access.created_by, access.user.is_staff, access.user.has_usable_password()) == ("admin", False, False)
    assert "has already been shown" in text_of(admin_client.get(page("secret", access)))
    assert secret_on(shown) not in text_of(admin_client.get(page("change", access)))


@pytest.mark.parametrize(
    "fields", [{"countries": []}, {"days": 366}, {"days": 0}, {"role": ""}, {"name": "a:b"}, {"name": ""}]
)
def test_what_is_missing_makes_no_access(admin_client: Client, fields: dict[str, Any]) -> None:
    assert "error" in text_of(admin_client.post(ADD, filled_in(**fields)))
    assert not OperatorAccess.objects.exists()
    assert not User.objects.filter(username__startswith="access:").exists()


def test_a_name_is_used_once(admin_client: Client) -> None:
    machine("counter-2")[0].end()
    assert "already exists" in text_of(admin_client.post(ADD, filled_in()))


def test_an_access_is_renewed_and_ended(admin_client: Client) -> None:
    access, old = machine()
    assert "stop working at once" in text_of(admin_client.get(page("renew", access)))
    new = secret_on(text_of(admin_client.post(page("renew", access), {"step": "run"}, follow=True)))
    access.refresh_from_db()
    assert [token_of_machine(access, each).status_code for each in (old, new)] == [401, 200]
    admin_client.post(page("end", access), {"step": "run"})
    assert token_of_machine(access, new).status_code == 401
    assert not OperatorSession.objects.live().exists()
    assert "over" in text_of(admin_client.get(LIST))
    assert admin_client.get(page("renew", access)).status_code == 404
    said = [act_in_words(entry) for entry in LogEntry.objects.order_by("id")]
    assert said == ["Renewed the secret.", "Ended the access."]


def test_only_who_may_add_operators_and_sees_every_country_makes_accesses() -> None:
    access, _secret = machine()
    reader = operator("view_user", username="rita")
    assert reader.get(LIST).status_code == 200
    for address in (ADD, page("renew", access), page("end", access), page("secret", access)):
        assert reader.get(address).status_code == 403
    chilean = operator_of("CL")
    assert {chilean.get(address).status_code for address in (LIST, ADD)} == {403}
    assert operator("view_guide", username="gil").get(LIST).status_code == 403


def test_the_list_of_operators_leaves_machines_out(admin_client: Client) -> None:
    access, _secret = machine()
    assert "access:" not in text_of(admin_client.get(reverse("admin:auth_user_changelist")))
    assert admin_client.get(reverse("admin:auth_user_change", args=[access.user_id])).status_code != 200


def test_a_live_session_is_ended_on_its_operators_page(admin_client: Client) -> None:
    olga, rita = person("olga"), person("rita")
    own, other = program_of(olga), program_of(rita)
    session = OperatorSession.objects.get(user=olga)
    end = reverse("admin:auth_user_end_session", args=[olga.pk, session.pk])
    change = reverse("admin:auth_user_change", args=[olga.pk])
    assert end in text_of(admin_client.get(change))
    of_rita = reverse("admin:auth_user_end_session", args=[rita.pk, session.pk])
    admin_client.post(of_rita, {"step": "run"})
    assert own.get("/me").status_code == 200
    assert "Its token stops working" in text_of(admin_client.get(end))
    assert operator("view_user", username="gil").post(end, {"step": "run"}).status_code == 403
    admin_client.post(end, {"step": "run"})
    assert [own.get("/me").status_code, other.get("/me").status_code] == [401, 200]
    assert end not in text_of(admin_client.get(change))
    assert "Ended a session" in act_in_words(LogEntry.objects.get())
