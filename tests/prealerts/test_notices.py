"""What mails tell operators: a summary each morning, and at once what cannot wait, each within one's countries."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from companies.models import Mail, OperatorProfile
from prealerts.notices import write_digests, write_overdue_erasures
from shipments.models import Erasure
from tests.companies.mail.conftest import deliver, operator, post
from tests.conftest import Caller, make_caller
from tests.mail_server import Post, text_of
from tests.prealerts.dashboard.test_refused_uploads import refused_book
from tests.prealerts.dashboard.test_start_page import arriving_at
from tests.webhooks.conftest import subscribe_signed
from webhooks.dispatcher import endpoint_health
from webhooks.models import DisabledReason

__all__ = ["post"]
pytestmark = pytest.mark.django_db
MORNING = datetime(2026, 11, 25, 7, 5, tzinfo=UTC)


@pytest.fixture
def lima(db: None) -> Caller:  # noqa: ARG001  # the database must be there first
    return make_caller("LIMA", allowed_countries=["PE"], read_by_headings=["PE"])


def reader(name: str, *countries: str, may_see: bool = True, **profile: Any) -> User:
    user = operator(name, time_zone="UTC", **{"has_digest": True, **profile})
    OperatorProfile.objects.filter(user=user).update(countries=list(countries))
    if may_see:
        user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return user


def digests() -> None:
    write_digests()
    deliver()


def test_the_summary_tells_of_what_waits_in_the_readers_countries_in_their_language(
    post: Post, lima: Caller, acme: Caller
) -> None:
    refused_book(lima, "Juan Secreto")
    late = arriving_at(acme.company, datetime.now(UTC) - timedelta(hours=3))
    reader("pia", "PE", language="es")
    reader("clara", "CL")
    reader("nadie", "CL", "PE", may_see=False)
    reader("quieta", "CL", "PE", has_digest=False)
    with time_machine.travel(timezone.now().replace(hour=23, minute=0), tick=False):
        digests()
    peru, chile = sorted(post.taken, key=lambda message: str(message["To"]), reverse=True)
    assert (str(peru["To"]), str(chile["To"])) == ("pia@example.org", "clara@example.org")
    for kind in ("plain", "html"):
        assert lima.company.name in text_of(peru, kind)
        assert "1 envío rechazado" in text_of(peru, kind)
        assert late.mawb not in text_of(peru, kind)
        assert late.mawb in text_of(chile, kind)
        assert "Secreto" not in text_of(peru, kind) + text_of(chile, kind), "nothing that a client typed leaves by mail"
        assert "http://testserver" in text_of(chile, kind) or "://localhost" in text_of(chile, kind)


def test_one_a_day_from_seven_by_the_readers_clock(post: Post, lima: Caller) -> None:
    reader("pia", "PE")
    with time_machine.travel(MORNING - timedelta(minutes=10), tick=False) as clock:
        refused_book(lima, "Zurbo")
        digests()
        assert post.seen == 0
        clock.move_to(MORNING)
        digests()
        digests()
        assert post.seen == 1
        clock.shift(timedelta(days=1))
        digests()
    assert post.seen == 2


def test_where_nothing_waits_there_is_no_mail(post: Post) -> None:
    reader("pia", "PE")
    with time_machine.travel(MORNING, tick=False):
        digests()
        digests()
    assert post.seen == 0
    assert [mail.state for mail in Mail.objects.all()] == ["needless"]


def test_a_summary_that_was_not_taken_in_time_says_nothing_the_day_after(post: Post, lima: Caller) -> None:
    reader("pia", "PE")
    with time_machine.travel(MORNING, tick=False) as clock:
        refused_book(lima, "Zurbo")
        post.data = "451 later"
        digests()
        clock.shift(timedelta(days=1, hours=-3))
        post.data = "250 OK"
        deliver()
    assert (post.seen, post.taken) == (1, [])


def test_an_endpoint_that_is_disabled_is_told_at_once_to_those_who_may_see_it(post: Post, acme: Caller) -> None:
    subscription = subscribe_signed("https://8.8.8.8/hook?token=secret")
    assert subscription.company.client_code == "ACME"
    acme.company.refresh_from_db()
    for name, countries in (("everywhere", ["all"]), ("pia", ["PE"])):
        reader(name, *countries, has_digest=False)
    reader("silent", "all", has_alerts=False)
    reader("blind", "all", may_see=False)
    endpoint_health._disable(subscription.pk, DisabledReason.GONE)
    endpoint_health._disable(subscription.pk, DisabledReason.GONE)
    deliver()
    (message,) = post.taken
    assert str(message["To"]) == "everywhere@example.org"
    assert subscription.company.name in str(message["Subject"])
    assert reverse("admin:webhooks_subscription_change", args=[subscription.pk]) in text_of(message)
    assert "secret" not in text_of(message)


def test_an_erasure_that_does_not_end_is_told_once(post: Post) -> None:
    erasure = Erasure.objects.create(reference="Case 7 of Juan Secreto", country="CL", actor="anyone", digest="0" * 64)
    reader("clara", "CL", has_digest=False, language="es")
    reader("pia", "PE", has_digest=False)
    write_overdue_erasures()
    deliver()
    assert post.seen == 0
    Erasure.objects.update(created_at=timezone.now() - timedelta(days=8))
    for _ in range(2):
        write_overdue_erasures()
        deliver()
    (message,) = post.taken
    assert str(message["To"]) == "clara@example.org"
    assert reverse("admin:shipments_erasure_change", args=[erasure.pk]) in text_of(message)
    assert "Secreto" not in text_of(message) + str(message["Subject"])
