"""A second factor that was lost: reset by a colleague who may, or by the command."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.urls import reverse
from django_otp.plugins.otp_static.models import StaticDevice

from base.admin.activity import act_in_words
from companies.models import OperatorProfile
from companies.models.operators import Authenticator
from companies.operators import second_factor
from tests.companies.admin_pages import is_in, text_of
from tests.companies.operators.authenticators import (
    ENROL,
    PASSWORD,
    START,
    enrolled,
    text_of_redirect,
    verified,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("second_factor_required")]


def test_an_administrator_resets_a_colleagues_second_factor_and_it_is_logged(olga: User) -> None:
    colleague = User.objects.create_superuser("rita", password=PASSWORD)
    staff, hers = verified(olga), verified(colleague)
    second_factor.renew_recovery_codes(colleague)
    address = reverse("admin:auth_user_reset_second_factor", args=[colleague.pk])
    assert "Make sure that the request really comes from your colleague" in text_of(staff.get(address))
    assert second_factor.authenticator_of(colleague) is not None  # asked, and nothing done
    staff.post(address, {"step": "run"})
    assert second_factor.authenticator_of(colleague) is None
    assert not StaticDevice.objects.filter(user=colleague).exists()
    assert text_of_redirect(hers.get(START)).startswith(ENROL)
    assert is_in(staff)
    entry = LogEntry.objects.get(object_id=str(colleague.pk), user=olga)
    assert "Reset the second factor." in act_in_words(entry)


def test_a_manager_of_users_resets_no_superusers(olga: User) -> None:
    enrolled(olga)
    manager = User.objects.create_user("marta", password=PASSWORD, is_staff=True)
    OperatorProfile.objects.create(user=manager, countries=["all"])
    manager.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))
    address = reverse("admin:auth_user_reset_second_factor", args=[olga.pk])
    assert verified(manager).post(address, {"step": "run"}).status_code == 403
    assert second_factor.authenticator_of(olga) is not None


def test_the_command_is_the_last_resort(olga: User, capsys: pytest.CaptureFixture[str]) -> None:
    enrolled(olga)
    other = enrolled(User.objects.create_superuser("rita"))
    call_command("reset_second_factor", "olga")
    assert "is forgotten" in capsys.readouterr().out
    assert list(Authenticator.objects.all()) == [other]
    call_command("reset_second_factor", "olga")
    assert "nothing changed" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no user nobody"):
        call_command("reset_second_factor", "nobody")
