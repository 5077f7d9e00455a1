"""The operators' API: machines that may ask for tokens, and the sessions behind the tokens of people and machines."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_totp.models import TOTPDevice

from companies import passwords
from companies.country_names import operator_countries, zone_choices
from companies.passwords import digest_with_pepper
from companies.scope import ALL_COUNTRIES

LONGEST_SUBJECT = 255
"""OpenID Connect Core 1.0, 2."""


def is_subject(value: object) -> bool:
    """Whether `value` can be a `sub`: text that a database can store and a page can show."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_SUBJECT and value.isprintable()


class OperatorProfile(models.Model):
    """What an operator sees, by which clock, which mails are wanted, what the account still needs, and who the operator
    is at the provider of single sign-on.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="operator_profile", verbose_name=_("user")
    )
    countries = models.JSONField(
        _("countries"),
        default=list,
        blank=True,
        validators=[operator_countries],
        help_text=_("Destinations the operator sees and works on."),
    )
    time_zone = models.CharField(
        _("time zone"),
        max_length=40,
        blank=True,
        default="",
        db_default="",
        choices=zone_choices,
        help_text=_("The clock by which times are shown. Flights and arrivals keep the destination's."),
    )

    # Set with a password that somebody else chose, until the operator changes it.
    must_change_password = models.BooleanField(_("must change the password"), default=False, db_default=False)

    issuer = models.CharField(_("provider of single sign-on"), max_length=255, default="", db_default="")
    subject = models.CharField(_("identifier at the provider"), max_length=LONGEST_SUBJECT, default="", db_default="")
    language = models.CharField(
        _("language of mails"), max_length=2, choices=settings.LANGUAGES, blank=True, default="", db_default=""
    )
    has_digest = models.BooleanField(default=False, db_default=False)
    has_alerts = models.BooleanField(default=True, db_default=True)
    # Of the invitation that is not accepted yet; its link is worth nothing without.
    invited_at = models.DateTimeField(_("invited at"), null=True, editable=False)

    class Meta:
        verbose_name = _("scope of an operator")
        verbose_name_plural = _("scopes of operators")
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], condition=~Q(subject=""), name="operator_of_subject")
        ]

    def __str__(self) -> str:
        if ALL_COUNTRIES in self.countries:
            return str(_("All countries"))
        return ", ".join(self.countries) or str(_("No country"))


USERNAME_PREFIX = "access:"
"""How the user names of machines begin. No form accepts a colon in a name, so no person has one."""
MOST_DAYS = 365


class OperatorAccess(models.Model):
    """A machine that works as an operator. Its rights are those of a Django user that nobody can log in as.

    user: without a password and without `is_staff`; its group is the machine's role. Its name, such as
    `access:counter-2`, is the actor of what the machine does.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="operator_access", verbose_name=_("user")
    )
    name = models.CharField(
        _("name"),
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", _("Letters, digits, dots, hyphens and _."))],
        help_text=_("What it is used for, such as counter-2 or customs-broker. Timelines and the log show it."),
    )
    secret_digest = models.CharField(max_length=64, editable=False)
    hint = models.CharField(_("secret begins with"), max_length=passwords.HINT_LENGTH, editable=False)
    secret_set_at = models.DateTimeField(_("secret set at"), editable=False)
    created_by = models.CharField(_("made by"), max_length=150, editable=False)
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)
    expires_at = models.DateTimeField(
        _("ends at"), help_text=_("After this time it stops working. At most 365 days from now; then create a new one.")
    )
    last_used_at = models.DateTimeField(_("last used at"), null=True, editable=False)

    objects: ClassVar[models.Manager[OperatorAccess]] = models.Manager()

    class Meta:
        verbose_name = _("access")
        verbose_name_plural = _("accesses")
        ordering = ["-expires_at", "name"]
        default_permissions = ()  # who may see and add operators may see and add these

    def __str__(self) -> str:
        return self.name

    @property
    def client_id(self) -> str:
        """What the machine sends beside its secret."""
        return f"oa_{self.pk}"

    @property
    def is_over(self) -> bool:
        return self.expires_at <= timezone.now()

    def set_new_secret(self) -> str:
        """Generate a secret, and return it in clear. Does not save. Tokens got with the old one die on commit."""
        secret = passwords.generate(passwords.OPERATOR)
        self.secret_digest, self.hint = passwords.digest(secret), passwords.hint(secret)
        self.secret_set_at = timezone.now()
        if self.pk:
            OperatorSession.objects.filter(access=self).end()
        return secret

    def has_secret(self, secret: str) -> bool:
        return constant_time_compare(self.secret_digest, passwords.digest(secret))

    def end(self) -> None:
        """Let it open nothing from now on; its live tokens die with it."""
        self.expires_at = timezone.now()
        self.save(update_fields=["expires_at"])
        OperatorSession.objects.filter(access=self).end()


class OperatorSessionQuerySet(models.QuerySet["OperatorSession"]):
    def live(self) -> Self:
        return self.filter(ended_at=None, expires_at__gt=timezone.now())

    def end(self) -> int:
        return self.live().update(ended_at=timezone.now())

    def over_since(self, moment: object) -> Self:
        return self.filter(Q(ended_at__lt=moment) | Q(expires_at__lt=moment))


class OperatorSession(models.Model):
    """What is behind a token: a token whose session has ended is worth nothing.

    access: of a machine; None for a person. auth_hash: Django's digest of the user's password, which changes with it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="operator_sessions"
    )
    access = models.ForeignKey(OperatorAccess, on_delete=models.CASCADE, null=True, related_name="sessions")
    auth_hash = models.CharField(max_length=128)
    address = models.GenericIPAddressField(_("address"), null=True)
    created_at = models.DateTimeField(_("began at"), auto_now_add=True)
    last_used_at = models.DateTimeField(_("last used at"), null=True)
    expires_at = models.DateTimeField(_("ends at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)

    objects: ClassVar[OperatorSessionQuerySet] = OperatorSessionQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        ordering = ["-created_at"]
        default_permissions = ()
        indexes = [models.Index(fields=["user", "created_at"], name="operator_sessions_of_user")]  # tokens of a minute

    def __str__(self) -> str:
        return str(self.pk)


def is_machine(user: User) -> bool:
    return user.get_username().startswith(USERNAME_PREFIX)


def make_access(
    name: str, role: Group, countries: Sequence[str], *, days: int, actor: str
) -> tuple[OperatorAccess, str]:
    """Make an access, and return it with its secret in clear.

    name: unique, not used before. countries: as in a profile. days: until it ends. actor: who makes it.
    """
    with transaction.atomic():
        user = User(username=f"{USERNAME_PREFIX}{name}", is_staff=False)
        user.set_unusable_password()
        user.save()
        user.groups.set([role])
        OperatorProfile.objects.create(user=user, countries=list(countries))
        access = OperatorAccess(user=user, name=name, created_by=actor, expires_at=timezone.now() + timedelta(days))
        secret = access.set_new_secret()
        access.save()
    return access, secret


class Authenticator(TOTPDevice):
    """An operator's authenticator app. Its key is stored encrypted, useless without the pepper.

    Wrong codes are counted across all sessions, so that logging in more often does not allow more guesses: 100 codes,
    then one every two minutes (`MOST_WRONG_CODES`, `WRONG_CODE_FORGOTTEN_AFTER`). django-otp's own throttling doubles
    without a limit, so anybody with the password could lock the owner out for years. Recovery codes, which cannot be
    guessed, work in the meantime. Source: NIST SP 800-63B, 3.2.2, at most 100 consecutive failures.
    """

    MOST_WRONG_CODES: ClassVar = 100
    WRONG_CODE_FORGOTTEN_AFTER: ClassVar = timedelta(minutes=2)

    class Meta:
        proxy = True

    @property
    def bin_key(self) -> bytes:
        return digest_with_pepper("authenticator", self.key)[:20]

    def verify_is_allowed(self) -> tuple[bool, dict[str, datetime] | None]:
        """Whether a code may be verified now and, if not, from when on; in django-otp's format."""
        last = self.throttling_failure_timestamp
        if last is None or self._wrong_codes() < self.MOST_WRONG_CODES:
            return True, None
        return False, {"locked_until": last + self.WRONG_CODE_FORGOTTEN_AFTER}

    def throttle_increment(self, commit: bool = True) -> None:  # noqa: FBT001, FBT002  # the signature is django-otp's
        self.throttling_failure_count = self._wrong_codes()
        super().throttle_increment(commit)  # type: ignore[no-untyped-call]  # django-otp ships no types

    def _wrong_codes(self) -> int:
        if self.throttling_failure_timestamp is None:
            return 0
        elapsed = max(timezone.now() - self.throttling_failure_timestamp, timedelta())
        return max(0, self.throttling_failure_count - elapsed // self.WRONG_CODE_FORGOTTEN_AFTER)
