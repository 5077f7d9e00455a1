"""The admin in tests: clients with permissions, URLs, and the text of pages."""

import re
from typing import Any

from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from companies.errors import InvalidApiKey
from companies.models import Company, OperatorProfile

LIST = reverse("admin:companies_company_changelist")
ADD = reverse("admin:companies_company_add")


def page(name: str, company: Company) -> str:
    return reverse(f"admin:companies_company_{name}", args=[company.pk])


def operator(*codenames: str, username: str = "olga") -> Client:
    """A browser in which a member of the staff for all countries, with these permissions, is logged in."""
    user = User.objects.create_user(username, is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["all"])
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client = Client()
    client.force_login(user)
    return client


def is_in(browser: Client) -> bool:
    """Whether the browser is logged in, asked at the lightest of the pages that are closed to strangers."""
    return browser.get(reverse("admin:jsi18n")).status_code == 200


def form(**fields: Any) -> dict[str, Any]:
    """A company filled in as an operator would."""
    complete = {
        "name": "Acme Ltda.",
        "client_code": "ACME",
        "kind": "client",
        "allowed_countries": ["CL"],
        "read_by_headings": ["CL"],
        "may_correct": "on",
    }
    return {**complete, "tracking_prefix": "", **fields}


def text_of(response: Any) -> str:
    return str(response.content.decode())


def messages_of(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def shown_password(response: Any) -> str | None:
    """The password shown on a page, if any."""
    found = re.search(r"pa_live_[0-9A-Za-z]{49}", text_of(response))
    return found.group() if found else None


def opens_for(password: str) -> Company | None:
    """The company for which `password` opens the API."""
    try:
        return Company.with_password(password)
    except InvalidApiKey:
        return None
