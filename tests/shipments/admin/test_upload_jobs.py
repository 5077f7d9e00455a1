"""Operators see the uploads that clients do not wait for, and are warned when nothing reads them."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from shipments.models import JobState, UploadJob
from shipments.models.uploads import oldest_waiting_at
from tests.books import workbook_bytes
from tests.conftest import BASE, Caller, as_file
from tests.country_scope.operators import operator_of, text_of
from tests.factories import ClientFactory

pytestmark = pytest.mark.django_db

LIST, START = reverse("admin:shipments_uploadjob_changelist"), reverse("admin:index")


def queue(caller: Caller, content: bytes | None = None) -> str:
    """Upload without waiting; the id of the job."""
    file = as_file(workbook_bytes() if content is None else content)
    headers = {**caller.headers, "Prefer": "respond-async", "X-Request-Id": f"req-{caller.company.client_code}"}
    return str(caller.client.post(f"{BASE}/upload", {"manifest_file": file}, headers=headers).json()["job_id"])


def job_of(company: Company, *, minutes: float, **fields: Any) -> UploadJob:
    job = UploadJob.objects.create(company=company, received={}, flight={}, language="en", **fields)
    UploadJob.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=minutes))
    return job


def plain(page: str) -> str:
    return re.sub(r"\s+", " ", page)


def states(page: str) -> list[str]:
    """In the order of the list."""
    return re.findall(r'class="pa-badge[^>]*>\s*([^<]+?)\s*<', page)


def test_a_job_is_listed_with_its_end_and_found_by_its_own_id_and_by_its_requests(acme: Caller, rival: Caller) -> None:
    staff = operator_of()
    accepted, refused = queue(acme), queue(rival, workbook_bytes(mawb=None, labels={"Destino": "SCL"}))
    assert states(text_of(staff.get(LIST))) == ["queued", "queued"]
    call_command("work", "--once")
    page = text_of(staff.get(LIST))
    assert "The MAWB of the workbook is missing or ambiguous." in page
    assert states(page) == ["refused", "accepted"]
    for searched, job in ((accepted, accepted), ("req-RIVAL", refused), ("nothing", None), ("\0", "all")):
        found: Any = staff.get(LIST, {"q": searched})
        jobs = {str(each.pk) for each in found.context["cl"].result_list}
        assert jobs == ({accepted, refused} if job == "all" else {job} - {None})
    page = text_of(staff.get(reverse("admin:shipments_uploadjob_change", args=[refused])))
    assert "mawb_not_found_in_file" in page
    assert "req-RIVAL" in page


@pytest.mark.parametrize(("minutes", "is_reported"), [(1.9, False), (2.1, True)])
def test_the_start_page_warns_of_what_waits_for_more_than_two_minutes(
    admin_client: Client, acme: Caller, minutes: float, is_reported: bool  # noqa: FBT001  # a table
) -> None:  # fmt: skip
    job_of(acme.company, minutes=0)
    job_of(acme.company, minutes=minutes)
    page = plain(text_of(admin_client.get(START)))
    assert ("2 uploads wait to be read, the oldest for 2" in page) is is_reported
    assert ("worker has probably stopped" in page) is is_reported


@pytest.mark.parametrize(
    ("fields", "is_reported"),
    [
        ({"state": JobState.RUNNING, "held_until": timezone.now() + timedelta(days=1)}, False),
        ({"state": JobState.RUNNING, "held_until": timezone.now() - timedelta(days=1)}, True),
        ({"state": JobState.FAILED, "finished_at": timezone.now()}, False),
    ],
)
def test_a_job_waits_unless_a_worker_holds_it(
    admin_client: Client, acme: Caller, fields: dict[str, Any], is_reported: bool  # noqa: FBT001  # a table
) -> None:  # fmt: skip
    job_of(acme.company, minutes=10, **fields)
    assert ("1 upload has been waiting to be read" in plain(text_of(admin_client.get(START)))) is is_reported
    assert (oldest_waiting_at(connection, timezone.now()) is not None) is is_reported


def test_operators_are_warned_of_their_countries_companies_only() -> None:
    job_of(ClientFactory.create(allowed_countries=["PE"]), minutes=10)
    job_of(ClientFactory.create(allowed_countries=["CL", "PE"]), minutes=10)
    assert "wait to be read" not in plain(text_of(operator_of("CL").get(START)))
    assert "1 upload has been waiting" in plain(text_of(operator_of("PE", username="rosa").get(START)))


def test_who_may_not_view_jobs_is_not_warned(acme: Caller) -> None:
    job_of(acme.company, minutes=10)
    staff = operator_of(role="Nobody")
    assert "waiting to be read" not in plain(text_of(staff.get(START)))
    assert staff.get(LIST).status_code == 403
