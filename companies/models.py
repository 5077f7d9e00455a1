"""Who uses the service: companies, their credentials, their rights."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import connection, models
from django.db.models.functions import Cast
from django.db.models.lookups import Contains
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from companies import errors, passwords
from companies.authenticator import Authenticator  # noqa: F401  # Django looks for models here
from companies.operators.scope import Viewer, scope_of
from companies.rows import RowReader

LAST_USED_RESOLUTION = timedelta(minutes=1)
"""`last_used_at` is written at most this often: a busy client must not turn every read into a write."""


class Country(models.TextChoices):
    """The destinations the service knows rules for."""

    CHILE = "CL", _("Chile")
    PERU = "PE", _("Peru")
    ARGENTINA = "AR", _("Argentina")


class Kind(models.TextChoices):
    """A client ships; a courier posts on behalf of the clients it is linked to."""

    CLIENT = "client", _("Client")
    COURIER = "courier", _("Courier")


def country_list(value: object) -> None:
    """Validate `allowed_countries`: a list of distinct codes that we serve."""
    if (
        not isinstance(value, list)
        or not all(code in Country.values for code in value)
        or len(set(value)) != len(value)
    ):
        raise ValidationError(_("Choose among %(codes)s, each at most once."), params={"codes": ", ".join(Country)})


def _ships_to_one_of(countries: Iterable[str]) -> models.Q:
    """The condition on a company; as text, because SQLite has no `contains` for JSON."""
    listed = Cast("allowed_countries", models.TextField())
    found = models.Q(pk__in=[])
    for code in sorted(countries):
        found |= models.Q(Contains(listed, f'"{code}"'))  # the quotes keep one code from being found in another
    return found


def _posts_for_one_of(clients: models.Q) -> models.Q:
    """The condition on a courier that it posts for a company of which `clients` is true."""
    links = Company.posts_for.through.objects.filter(to_company__in=Company.objects.filter(clients).order_by())
    return models.Q(pk__in=links.values("from_company"))


class CompanyQuerySet(models.QuerySet["Company"]):
    """Reads by name."""

    def active(self) -> Self:
        """Companies whose password opens the API."""
        return self.filter(is_active=True)

    def clients(self) -> Self:
        """Companies that own manifests."""
        return self.filter(kind=Kind.CLIENT)

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: companies that ship to one of the operator's countries, and couriers of such.

        Of a company that ships elsewhere too, its record alone; what moves it is for `governed_by`.
        """
        countries = scope_of(user).countries
        if countries is None:
            return self
        ships_there = _ships_to_one_of(countries)
        return self.filter(ships_there | _posts_for_one_of(ships_there))

    def governed_by(self, user: Viewer) -> Self:
        """What an operator may change and see the deliveries of: companies whose every country is the operator's.

        A password, a subscription, a delivery of a company that also ships elsewhere speaks of both.
        """
        countries = scope_of(user).countries
        if countries is None:
            return self
        ships_beyond = _ships_to_one_of(frozenset(Country.values) - countries)
        return self.visible_to(user).exclude(ships_beyond | _posts_for_one_of(ships_beyond))

    def sharing_prefix_with(self, company: Company) -> Self:
        """Other companies whose tracking codes begin like `company`'s: allowed, but confusing to people."""
        return self.exclude(pk=company.pk).exclude(tracking_prefix="").filter(tracking_prefix=company.tracking_prefix)

    def with_password(self, password: str) -> Company:
        """The active company that `password` belongs to.

        Raises `InvalidApiKey`, in one voice, for an unknown, a rotated and a deactivated company's password.
        """
        if not passwords.is_well_formed(password):
            raise errors.InvalidApiKey
        # Asked by every request of the API. Written by hand: the ORM took longer to compose this than to run it.
        reader = _row_reader()
        table = self.model._meta.db_table
        query = f"SELECT {reader.columns} FROM {table} WHERE api_password_digest = %s AND is_active"  # noqa: S608  # our own table's name
        with connection.cursor() as cursor:
            cursor.execute(query, [passwords.digest(password)])
            row = cursor.fetchone()
        if row is None:
            raise errors.InvalidApiKey
        return reader.instance(row, connection)

    def for_courier(self, courier: Company, client_code: str) -> Company:
        """The active client behind `client_code` that `courier` may post for; else `ClientNotResolved`."""
        try:
            return self.active().clients().get(client_code=client_code, couriers=courier)
        except self.model.DoesNotExist:
            raise errors.ClientNotResolved(client_code=client_code) from None


class Company(models.Model):
    """A tenant: what it may do, and the one password that opens the API for it."""

    name = models.CharField(
        _("name"),
        max_length=200,
        validators=[
            # Control characters break tables and mails; PostgreSQL refuses NUL, and no encoder takes a lone surrogate.
            RegexValidator(
                r"[\x00-\x1f\x7f\ud800-\udfff]",
                _("Write it on one line, without control characters."),
                inverse_match=True,
            )
        ],
        help_text=_("As it stands on the contract."),
    )
    client_code = models.CharField(
        _("client code"),
        max_length=32,
        unique=True,
        validators=[RegexValidator(r"^[A-Z0-9][A-Z0-9_-]{1,31}\Z", _("2 to 32 capital letters, digits, - or _."))],
        help_text=_("Short and unique, for example ACME. Couriers and commands name the company by it."),
    )
    kind = models.CharField(
        _("kind"),
        max_length=8,
        choices=Kind.choices,
        default=Kind.CLIENT,
        help_text=_("A client ships its own goods; a courier posts on behalf of clients."),
    )
    is_active = models.BooleanField(
        pgettext_lazy("company", "active"),
        default=True,
        help_text=_("An inactive company's password opens nothing; its data stays."),
    )
    allowed_countries = models.JSONField(
        _("allowed countries"),
        default=list,
        blank=True,
        validators=[country_list],
        help_text=_("Destinations the company may ship to."),
    )
    tracking_prefix = models.CharField(
        _("tracking prefix"),
        max_length=5,
        blank=True,
        validators=[RegexValidator(r"^[A-Z0-9]{2,5}\Z", _("2 to 5 capital letters or digits."))],
        help_text=_("How its tracking codes begin, for example ACM. Without one its pre-alerts are refused."),
    )
    is_marketplace = models.BooleanField(
        _("marketplace"),
        default=False,
        help_text=_("Its JSON guides must carry marketplace_cop_no and marketplace_waybill; other clients' must not."),
    )
    posts_for = models.ManyToManyField(
        "self",
        verbose_name=_("posts for"),
        symmetrical=False,
        related_name="couriers",
        blank=True,
        limit_choices_to={"kind": Kind.CLIENT},
        help_text=_("Only for a courier: the clients it may post for."),
    )
    api_password_digest = models.CharField(max_length=64, unique=True, null=True, editable=False)  # noqa: DJ001  # null: several companies may have none yet, and unique must not see them
    api_password_hint = models.CharField(
        _("API password"), max_length=passwords.HINT_LENGTH, blank=True, editable=False
    )
    api_password_set_at = models.DateTimeField(_("password set at"), null=True, editable=False)
    last_used_at = models.DateTimeField(_("last used at"), null=True, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    objects: ClassVar[CompanyQuerySet] = CompanyQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("company")
        verbose_name_plural = _("companies")
        ordering = ["name", "client_code"]

    def __str__(self) -> str:
        return f"{self.name} ({self.client_code})"

    @property
    def is_authenticated(self) -> bool:
        """What DRF asks of whoever made the request: a company found by its password is nobody unknown."""
        return True

    @property
    def is_courier(self) -> bool:
        return self.kind == Kind.COURIER

    def clean(self) -> None:
        """Hold what no single field can: a courier owns no manifests."""
        if self.is_courier and self.is_marketplace:
            raise ValidationError({"is_marketplace": _("A courier is no marketplace; the rule is its client's.")})

    def set_new_password(self) -> str:
        """Make, store and return a new password in clear; the old one is dead once this is committed."""
        password = passwords.generate()
        self.api_password_digest = passwords.digest(password)
        self.api_password_hint = passwords.hint(password)
        self.api_password_set_at = timezone.now()
        self.save(update_fields=["api_password_digest", "api_password_hint", "api_password_set_at"])
        return password

    def note_use(self) -> None:
        """Remember that the password was used, at most once a minute."""
        now = timezone.now()
        if self.last_used_at is None or now - self.last_used_at >= LAST_USED_RESOLUTION:
            Company.objects.filter(pk=self.pk).update(last_used_at=now)
            self.last_used_at = now

    def tracking_prefix_or_refuse(self) -> str:
        """The prefix of its tracking codes; raises `TrackingPrefixMissing`."""
        if not self.tracking_prefix:
            raise errors.TrackingPrefixMissing
        return self.tracking_prefix

    def require_any_country(self, served: tuple[str, ...]) -> None:
        """Raise `UnsupportedCountry` unless one of the company's countries is among `served`."""
        if not set(self.allowed_countries) & set(served):
            raise errors.UnsupportedCountry(
                country=",".join(self.allowed_countries), allowed_countries=list(self.allowed_countries)
            )

    def require_country(self, country: str) -> None:
        """Raise `CountryNotAllowed` unless the company may ship to `country` (alpha-2)."""
        if country not in self.allowed_countries:
            raise errors.CountryNotAllowed(country=country)


class OperatorProfile(models.Model):
    """What the service keeps of an operator beside the user: whose destinations the operator sees."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="operator_profile", verbose_name=_("user")
    )
    countries = models.JSONField(
        _("countries"),
        default=list,
        blank=True,
        validators=[country_list],
        help_text=_("Destinations the operator sees and works on. None chosen: all of them."),
    )

    class Meta:
        verbose_name = _("scope of an operator")
        verbose_name_plural = _("scopes of operators")

    def __str__(self) -> str:
        return ", ".join(self.countries) or str(_("All countries"))


@cache
def _row_reader() -> RowReader[Company]:
    return RowReader(Company)
