"""The contact of a company: entered in the admin, shown where operators are advised to ask, not in the API."""

from datetime import timedelta

import pytest
from auditlog.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from shipments.models import RefusedRequest
from tests import documents
from tests.companies.admin_pages import form, page, text_of
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from webhooks import outbox
from webhooks.models import Delivery, State, Subscription
from webhooks.subscriptions import register
from webhooks.verdicts import Failure

pytestmark = pytest.mark.django_db

CONTACT = {"contact_name": "Paula Soto", "contact_email": "paula@example.com", "contact_phone": "+56 9 8765 4321"}


def failing(company: Company, url: str) -> Subscription:
    subscription, _secret = register(company, url, "s" * 24)
    delivery = outbox.send_test(subscription, "A test.")
    Delivery.objects.filter(pk=delivery.pk).update(
        state=State.FAILED, finished_at=timezone.now() - timedelta(hours=2), error=Failure.TIMEOUT, reason="No answer."
    )
    return subscription


def test_an_operator_enters_it_and_the_change_is_audited(staff: Client, acme: Caller) -> None:
    company = acme.company
    given = form(name=company.name, tracking_prefix=company.tracking_prefix, **CONTACT)
    assert staff.post(page("change", company), given).status_code == 302
    company.refresh_from_db()
    assert {name: getattr(company, name) for name in CONTACT} == CONTACT
    changed = LogEntry.objects.filter(object_id=company.pk, content_type__model="company").latest("pk").changes
    assert changed["contact_email"] == ["", "paula@example.com"]


@pytest.mark.parametrize(
    ("field", "value"), [("contact_email", "paula"), ("contact_phone", "call Paula"), ("contact_name", "Paula\tSoto")]
)
def test_an_invalid_one_is_refused(staff: Client, acme: Caller, field: str, value: str) -> None:
    given = form(name=acme.company.name, tracking_prefix=acme.company.tracking_prefix, **{field: value})
    answer = staff.post(page("change", acme.company), given)
    assert field in answer.context["adminform"].form.errors


def test_it_is_shown_where_the_client_is_to_be_asked(admin_client: Client, acme: Caller, rival: Caller) -> None:
    Company.objects.filter(pk=acme.company.pk).update(**CONTACT)
    for caller, url in ((acme, "https://8.8.8.8/acme"), (rival, "https://8.8.8.8/rival")):
        failing(caller.company, url)
        RefusedRequest.objects.create(company=caller.company, endpoint="POST upload", status=400, code="no_rows_parsed")
    for company, is_shown in ((acme.company, True), (rival.company, False)):
        addresses = [
            reverse("admin:webhooks_subscription_change", args=[company.subscriptions.get().pk]),
            reverse("admin:webhooks_delivery_change", args=[Delivery.objects.get(company=company).pk]),
            reverse("admin:shipments_refusedrequest_change", args=[company.refused_requests.get().pk]),
        ]
        for address in addresses:
            assert ("mailto:paula@example.com" in text_of(admin_client.get(address))) is is_shown, address


def test_an_operator_of_another_country_does_not_see_it(acme: Caller) -> None:
    Company.objects.filter(pk=acme.company.pk).update(allowed_countries=["CL"], **CONTACT)
    failing(acme.company, "https://8.8.8.8/acme")
    abroad = operator_of("PE")
    assert "paula" not in text_of(abroad.get(reverse("admin:index")))
    assert abroad.get(page("change", acme.company)).status_code == 404


def test_the_api_does_not_answer_it(acme: Caller) -> None:
    Company.objects.filter(pk=acme.company.pk).update(**CONTACT)
    answers = [acme.post_json(documents.manifest()), acme.get("/mawbs"), acme.post_json({})]
    assert not any("paula" in answer.content.decode().lower() for answer in answers)
