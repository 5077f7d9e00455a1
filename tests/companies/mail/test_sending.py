"""A mail is a row: sent once if the server takes it, tried again within two minutes if it does not."""

import ssl
from datetime import timedelta
from typing import Any

import pytest
import time_machine
import trustme
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.mail import outbox, smtp
from companies.models import Mail, MailKind, MailState
from tests.companies.mail.conftest import deliver, operator
from tests.live.server import free_port
from tests.mail_server import Post, post_office, text_of

pytestmark = pytest.mark.django_db
NOON = "2026-11-25 12:00:00+00:00"
WITHIN = timedelta(minutes=2)


def write(user: User) -> Mail:
    user.operator_profile.invited_at = timezone.now()
    user.operator_profile.save()
    outbox.write(MailKind.INVITATION, user)
    return Mail.objects.filter(operator=user).latest("pk")


def state_of(mail: Mail) -> tuple[str, str]:
    mail.refresh_from_db()
    return mail.state, mail.error


def test_what_the_server_took_is_not_sent_again(post: Post) -> None:
    mail = write(operator("nora"))
    deliver()
    deliver()
    assert (post.seen, post.readers) == (1, ["nora@example.org"])
    assert state_of(mail) == ("sent", "")


def test_a_mail_has_the_same_text_twice_and_says_who_sends_it(post: Post, settings: Any) -> None:
    settings.SITE_NAME = "Aduana Sur"
    settings.SITE_URL = "https://carga.example.com"
    write(operator("nora", language="es"))
    deliver()
    (message,) = post.taken
    assert str(message["From"]) == "Aduana Sur <prealerts@example.com>"
    assert str(message["Subject"]).startswith("Aduana Sur: ")
    assert message["Auto-Submitted"] == "auto-generated"
    for kind in ("plain", "html"):
        said = text_of(message, kind)
        assert "Hola Nora," in said
        assert "https://carga.example.com/admin/invitation/" in said


def test_what_it_did_not_take_is_tried_again_within_two_minutes(post: Post) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        mail = write(operator("nora"))
        post.data = "451 try later"
        deliver()
        assert (post.seen, state_of(mail)) == (1, ("waiting", "451 try later"))
        post.data = "250 OK"
        clock.shift(WITHIN)
        deliver()
    assert post.readers == ["nora@example.org"]
    assert state_of(mail) == ("sent", "")


def test_an_address_that_is_refused_holds_up_no_other_and_is_given_up_in_the_end(
    post: Post, admin_client: Client
) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        post.refused["nora@example.org"] = "550 no such user"
        refused, taken = write(operator("nora")), write(operator("pablo"))
        deliver()
        assert state_of(refused) == ("waiting", "550 no such user")
        assert state_of(taken) == ("sent", "")
        for _ in range(4):
            clock.shift(WITHIN)
            deliver()
    assert state_of(refused) == ("failed", "550 no such user")
    assert post.readers == ["pablo@example.org"]
    page = admin_client.get(reverse("admin:companies_mail_changelist")).content.decode()
    assert "550 no such user" in page
    assert "not accepted by the server" in admin_client.get(reverse("admin:index")).content.decode()


def test_an_administrator_sends_again_what_was_given_up(post: Post, admin_client: Client) -> None:
    mail = write(operator("nora"))
    Mail.objects.filter(pk=mail.pk).update(state=MailState.FAILED, error="550 no", finished_at=timezone.now())
    page = reverse("admin:companies_mail_send_again", args=[mail.pk])
    assert "it arrives twice" in admin_client.get(page).content.decode()
    assert admin_client.post(page, {"step": "run"}).status_code == 302
    deliver()
    assert (state_of(mail), post.readers) == (("sent", ""), ["nora@example.org"])
    admin_client.post(page, {"step": "run"})
    deliver()
    assert post.seen == 1, "what was sent is not sent again"


def test_a_server_that_is_away_is_tried_again_and_gets_each_mail_once(settings: Any, admin_client: Client) -> None:
    port = free_port()
    settings.MAIL = Post(port=port).settings
    with time_machine.travel(NOON, tick=False) as clock:
        mails = [write(operator(name)) for name in ("nora", "pablo")]
        deliver()
        assert state_of(mails[0])[0] == "waiting"
        assert "refused" in state_of(mails[0])[1]
        clock.shift(WITHIN)
        with post_office(port) as post:
            deliver()
    assert post.readers == ["nora@example.org", "pablo@example.org"]
    assert {state_of(mail) for mail in mails} == {("sent", "")}
    assert admin_client.get(reverse("admin:companies_mail_changelist")).status_code == 200


def test_after_three_days_it_is_given_up(settings: Any) -> None:
    settings.MAIL = Post(port=free_port()).settings
    with time_machine.travel(NOON, tick=False) as clock:
        mail = write(operator("nora"))
        clock.shift(timedelta(days=3))
        deliver()
    assert state_of(mail)[0] == "failed"


def test_what_a_server_got_without_an_answer_may_have_arrived_and_is_not_sent_again(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "LAST_SECONDS", 0.2)
    post.delay = 1
    mail = write(operator("nora"))
    deliver()
    deliver()
    assert state_of(mail) == ("unconfirmed", "The server received the mail but did not confirm it.")
    assert post.seen == 1


@pytest.mark.parametrize(("is_handed_over", "taken", "state"), [(True, 0, "unconfirmed"), (False, 1, "sent")])
def test_of_a_worker_that_died_only_what_the_server_cannot_have_is_sent(
    post: Post, *, is_handed_over: bool, taken: int, state: str
) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        mail = write(operator("nora"))
        held = {"held_until": timezone.now() + timedelta(seconds=80), "attempts": 1}
        Mail.objects.filter(pk=mail.pk).update(**held, handed_over_at=timezone.now() if is_handed_over else None)
        deliver()
        assert state_of(mail)[0] == "waiting", "its worker may be alive"
        clock.shift(WITHIN)
        deliver()
    assert (len(post.taken), state_of(mail)[0]) == (taken, state)


def test_whoever_lost_the_hold_hands_nothing_over(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = write(operator("nora"))

    def taken_over(*_args: object) -> str:
        Mail.objects.update(token=None)
        return "hello"

    monkeypatch.setattr("companies.mail.letters.render_to_string", taken_over)
    deliver()
    assert (post.seen, state_of(mail)[0]) == (0, "waiting")


def test_a_reader_who_is_gone_gets_nothing(post: Post) -> None:
    mail = write(operator("nora"))
    User.objects.filter(username="nora").update(is_active=False)
    deliver()
    assert (post.seen, state_of(mail)[0]) == (0, "needless")


@pytest.mark.parametrize("kind", ["smtps", "smtp+tls"])
def test_the_server_speaks_tls_and_its_certificate_is_checked(
    kind: str, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    options = {"ssl_context": context} if kind == "smtps" else {"tls_context": context, "require_starttls": True}
    with time_machine.travel(NOON, tick=False) as clock, post_office(**options) as post:
        settings.MAIL = {**post.settings, "use_ssl": kind == "smtps", "use_tls": kind == "smtp+tls"}
        mail = write(operator("nora"))
        deliver()
        assert "certificate verify failed" in state_of(mail)[1]
        assert post.seen == 0
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        clock.shift(WITHIN)
        deliver()
        assert post.readers == ["nora@example.org"]


def test_ended_mails_are_deleted_after_a_month(post: Post) -> None:
    write(operator("nora"))
    deliver()
    now = timezone.now()
    outbox.prune(now + timedelta(days=29))
    assert Mail.objects.exists()
    outbox.prune(now + timedelta(days=31))
    assert not Mail.objects.exists()
    assert post.seen == 1


def test_where_mail_is_off_nothing_is_written() -> None:
    outbox.write(MailKind.INVITATION, operator("nora"))
    outbox.alert(MailKind.ERASURE_OVERDUE, "1")
    assert not Mail.objects.exists()
