"""The worker as a process sends mails once, whatever befalls it, and a hung mail server delays no upload."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.books import workbook_bytes
from tests.live import server
from tests.mail_server import Post, post_office, text_of
from tests.processes import soon

INVITE = """
from django.contrib.auth.models import User
from django.utils import timezone
from companies.mail import outbox
from companies.models import MailKind, OperatorProfile
user = User.objects.create_user("{name}", "{name}@example.org", is_staff=True)
OperatorProfile.objects.create(user=user, invited_at=timezone.now())
outbox.write(MailKind.INVITATION, user)
"""
STATES = "from companies.models import Mail; print(*Mail.objects.order_by('pk').values_list('state', flat=True))"
LAPSE = """
from companies.models import Mail
from django.utils import timezone
Mail.objects.exclude(held_until=None).update(held_until=timezone.now())
"""


@contextmanager
def worker(service: server.Server) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "manage.py", "work"], cwd=server.ROOT, env=service.environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def office() -> Iterator[Post]:
    with post_office() as post:
        yield post


@pytest.fixture
def service(office: Post, tmp_path: Path) -> Iterator[server.Server]:
    mail = {"EMAIL_URL": f"smtp://127.0.0.1:{office.port}", "EMAIL_FROM": "prealerts@example.com"}
    with server.served(tmp_path, ALLOWED_HOSTS="127.0.0.1", **mail) as running:
        yield running


def shell(service: server.Server, program: str) -> str:
    return service.manage("shell", "--no-imports", "--command", program).strip()


def test_a_killed_worker_sends_no_mail_twice_and_a_mail_server_that_hangs_delays_no_upload(
    service: server.Server, office: Post
) -> None:
    office.delay = 600
    shell(service, INVITE.format(name="nora"))
    with worker(service) as first:
        soon(lambda: office.seen, 60, "the server's getting it")
        first.send_signal(signal.SIGKILL)
        first.wait()
    office.delay = 0
    shell(service, LAPSE)
    shell(service, INVITE.format(name="pablo"))
    with worker(service):
        soon(lambda: shell(service, STATES) == "unconfirmed sent", 90, "the end of both")
        office.delay = 600
        shell(service, INVITE.format(name="rosa"))
        soon(lambda: office.seen == 3, 60, "the server's getting the third")
        headers = {**service.company("ACME"), "Prefer": "respond-async"}
        answer = requests.post(
            f"{service.api}/upload", headers=headers, files={"manifest_file": ("m.xlsx", workbook_bytes())}, timeout=60
        )
        job = f"{service.api}/jobs/{answer.json()['job_id']}"
        soon(lambda: requests.get(job, headers=headers, timeout=60).json()["status"] == "succeeded", 90, "the job")
    assert (office.seen, office.readers) == (3, ["pablo@example.org"])
    assert f"\n{service.address}/admin/invitation/" in text_of(office.taken[0])  # no request said where that is
