"""Programs that speak to the operators' API, for people and machines. Each answer is held to the API's document."""

import json
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client

from companies.models import OperatorAccess, OperatorProfile
from companies.models.operators import make_access
from tests.companies.operators.authenticators import PASSWORD
from tests.prealerts.reference.schema import hold

BASE = "/api/operators/v1"


@dataclass
class Program:
    """A program with an operator's token."""

    token: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def ask(self, method: str, path: str, body: Any = None, **extra: Any) -> Any:
        content = "" if body is None else body if isinstance(body, str | bytes) else json.dumps(body)
        headers = {"Authorization": f"Bearer {self.token}", **extra.pop("headers", {})}
        content_type = extra.pop("content_type", "application/json")
        return hold(self.client.generic(method, BASE + path, content, content_type, headers=headers, **extra))

    def get(self, path: str, **extra: Any) -> Any:
        return self.ask("GET", path, **extra)

    def post(self, path: str, body: Any, **extra: Any) -> Any:
        return self.ask("POST", path, body, **extra)

    def patch(self, path: str, body: Any, **extra: Any) -> Any:
        return self.ask("PATCH", path, body, **extra)


def person(username: str = "olga", *countries: str, role: str = "Operations") -> User:
    """An operator with a password, a role and countries; all countries if none are named."""
    user = User.objects.create_user(username, password=PASSWORD, is_staff=True)
    user.groups.set(Group.objects.filter(name=role))
    OperatorProfile.objects.create(user=user, countries=list(countries or ["all"]))
    return user


def ask_for_token(client: Client | None = None, **fields: Any) -> Any:
    """POST tokens, as JSON."""
    sent = {"grant_type": "password", "username": "olga", "password": PASSWORD, **fields}
    asking = client or Client(raise_request_exception=False)
    return hold(asking.generic("POST", f"{BASE}/tokens", json.dumps(sent), "application/json"))


def program_of(user: User) -> Program:
    answer = ask_for_token(username=user.get_username())
    assert answer.status_code == 200, answer.content
    return Program(answer.json()["access_token"])


def machine(name: str = "counter-2", *countries: str, role: str = "Operations") -> tuple[OperatorAccess, str]:
    """An access, and its secret."""
    return make_access(name, Group.objects.get(name=role), list(countries or ["all"]), days=30, actor="olga")


def token_of_machine(access: OperatorAccess, secret: str, **fields: Any) -> Any:
    return ask_for_token(grant_type="client_credentials", client_id=access.client_id, client_secret=secret, **fields)


def program(name: str = "counter-2", *countries: str, role: str = "Operations") -> Program:
    """A machine's program."""
    answer = token_of_machine(*machine(name, *countries, role=role))
    assert answer.status_code == 200, answer.content
    return Program(answer.json()["access_token"])
