"""Operators by country and role, the text of their pages, and rows that belong to one country."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from auditlog.context import disable_auditlog
from django.contrib.auth.models import Group, Permission, User
from django.core.files.base import ContentFile
from django.db import transaction
from django.test import Client

from companies.models import Company, OperatorProfile
from shipments.carriers.reported import folded
from shipments.models import (
    BulkMove,
    Carrier,
    CarrierCode,
    CarrierEvent,
    CarrierReceipt,
    Erasure,
    FileKind,
    Guide,
    InboundBatch,
    ManifestFile,
    OutgoingLayout,
    RefusedRequest,
    UploadJob,
)
from tests.shipments.layouts.rows import make_layout
from webhooks.outbox import send_test
from webhooks.subscriptions import register

PERUVIAN = "QUISPE"
CHILEAN = "SOTO"
URL = "https://203.0.114.5/hook"


def operator_of(*countries: str, username: str = "camila", role: str | None = None) -> Client:
    """A browser of an operator with these countries, or all of them: with every permission, or a role's."""
    user = User.objects.create_user(username, is_staff=True)
    if role is None:
        with disable_auditlog():  # which names each permission in its entry, by a query for each
            user.user_permissions.set(Permission.objects.all())
    else:
        user.groups.set(Group.objects.filter(name=role))
    OperatorProfile.objects.create(user=user, countries=list(countries or ["all"]))
    client = Client()
    client.force_login(user)
    return client


@contextmanager
def undone() -> Iterator[None]:
    """Undo what is done within, so that a walk makes its rows once."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def text_of(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    text = str((response.getvalue() if response.streaming else response.content).decode())
    assert not OWN_MARKUP.search(text)
    return text


OWN_MARKUP = re.compile("&(amp;)?lt;/?(span|div|a href|ul|li|strong|br)")
"""What only we write, escaped: a badge or a link that was put into other text, and is shown as HTML. No page has it."""


def _of_carriers(guide: Guide, company: Company) -> dict[str, Any]:
    """A carrier that serves only the guide's country, and what it sent."""
    country = guide.manifest.country
    carrier = Carrier.objects.create(
        slug=f"c-{country.lower()}-{company.pk}", name=f"{company.name} Cargo", source="carrier", countries=[country]
    )
    receipt = CarrierReceipt.objects.create(carrier=carrier, sha256="0" * 64, size_bytes=2, body=b"{}")
    return {
        "shipments_carrier": carrier,
        "shipments_carrierreceipt": receipt,
        "shipments_carriercode": CarrierCode.objects.create(
            carrier=carrier, code=company.name, folded=folded(company.name)
        ),
        "shipments_carrierevent": CarrierEvent.objects.create(
            carrier=carrier,
            receipt=receipt,
            external_id="1",
            hawb=guide.hawb,
            outcome="parked",
        ),
    }


def rows_of(guide: Guide, company: Company) -> dict[str, Any]:
    """A row of each scoped model that belongs to the guide's country, or to a company that is only there."""
    subscription, _secret = register(company, f"{URL}/{company.pk}", "a-secret-of-its-own")
    delivery = send_test(subscription, "A test.")
    manifest = guide.manifest
    stored = ContentFile(b"x", name=f"{manifest.pk}.xlsx")
    ManifestFile.objects.create(manifest=manifest, kind=FileKind.MANIFEST, file=stored, size_bytes=1, sha256="0" * 64)
    return {
        **_of_carriers(guide, company),
        "shipments_bulkmove": BulkMove.objects.create(
            operator=User.objects.filter(operator_profile__countries=[manifest.country]).first(),
            actor="anyone",
            event={"language": "en"},
            original_name=f"{company.name}.csv",
            total=1,
        ),
        "shipments_erasure": Erasure.objects.create(
            reference=f"For {company.name}", country=manifest.country, actor="anyone", digest="0" * 64
        ),
        "shipments_refusedrequest": RefusedRequest.objects.create(
            company=company, endpoint="POST upload", status=400, code="no_rows_parsed"
        ),
        "shipments_uploadjob": UploadJob.objects.create(company=company, received={}, flight={}, language="en"),
        "companies_company": company,
        "shipments_inboundbatch": InboundBatch.objects.create(
            facility=f"{manifest.country}-01", country=manifest.country, opened_by="anyone"
        ),
        "shipments_guide": guide,
        "shipments_layout": make_layout(guide.manifest.company, manifest.country),
        "shipments_manifest": manifest,
        "shipments_outgoinglayout": OutgoingLayout.objects.create(
            name=f"{company.name} broker", country=manifest.country, company=manifest.company
        ),
        "shipments_flight": manifest.flight,
        "webhooks_subscription": subscription,
        "webhooks_delivery": delivery,
    }
