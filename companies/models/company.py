"""The companies that use the service, their credentials and their rights."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, RegexValidator
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, models, transaction
from django.db.models.functions import Cast
from django.db.models.lookups import Contains
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from base.db.rows import RowReader, first_row
from base.errors import Translatable
from companies import errors, passwords
from companies.countries import SERVED
from companies.country_names import country_list
from companies.models.contact import ON_ONE_LINE, WithContact
from companies.scope import Viewer, scope_of


class EndingPasswordQuerySet(models.QuerySet["EndingPassword"]):
    def working(self) -> Self:
        return self.filter(ends_at__gt=timezone.now())

    def ended(self) -> Self:
        return self.filter(ends_at__lte=timezone.now())


class EndingPassword(models.Model):
    """The previous password of a company, until it ends. A company has at most one."""

    company = models.OneToOneField(
        "companies.Company", on_delete=models.CASCADE, primary_key=True, related_name="ending_password"
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(_("API password"), max_length=passwords.HINT_LENGTH, editable=False)
    ends_at = models.DateTimeField(_("works until"))
    last_used_at = models.DateTimeField(_("last used at"), null=True)

    objects: ClassVar[EndingPasswordQuerySet] = EndingPasswordQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("ending password")
        verbose_name_plural = _("ending passwords")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.hint}…"


def sweep_ended(*, dry_run: bool = False) -> int:
    """Delete the passwords that have ended, and return how many. dry_run: only count them."""
    ended = EndingPassword.objects.ended()
    return ended.count() if dry_run else ended.delete()[0]


LAST_USED_RESOLUTION = timedelta(minutes=1)
"""`last_used_at` is written at most this often, so that a busy client does not turn every read into a write."""

_OTHER = Translatable("This is a password of the live service; this is the sandbox.")


class ExtraSelect(NamedTuple):
    """What a request reads in the statement that finds its company: a poll then takes one statement, not two.

    columns: SQL that begins with a comma. joins: SQL of LEFT JOINs to `company`, with at most one row for each company.
    parameters: of the joins.
    """

    columns: str = ""
    joins: str = ""
    parameters: Sequence[str] = ()


def _read_by_headings() -> list[str]:
    return ["CL"]


class Kind(models.TextChoices):
    """A client ships; a courier posts on behalf of the clients it is linked to."""

    CLIENT = "client", _("Client")
    COURIER = "courier", _("Courier")


def ships_to_one_of(countries: Iterable[str]) -> models.Q:
    """Match companies that list any of the countries; as text, because SQLite has no `contains` lookup for JSON."""
    listed = Cast("allowed_countries", models.TextField())
    found = models.Q(pk__in=[])
    for code in sorted(countries):
        found |= models.Q(Contains(listed, f'"{code}"'))  # the quotes prevent one code from matching within another
    return found


def _posts_for_one_of(clients: models.Q) -> models.Q:
    """Match couriers that post for at least one company that `clients` matches."""
    links = Company.posts_for.through.objects.filter(to_company__in=Company.objects.filter(clients).order_by())
    return models.Q(pk__in=links.values("from_company"))


class CompanyQuerySet(models.QuerySet["Company"]):
    def active(self) -> Self:
        """Companies whose password the API accepts."""
        return self.filter(is_active=True)

    def clients(self) -> Self:
        return self.filter(kind=Kind.CLIENT)

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: companies that ship to one of the operator's countries, and their couriers.

        Of a company that also ships elsewhere, the operator sees only the record; see `managed_by` for the rest.
        """
        countries = scope_of(user).countries
        if countries is None:
            return self
        ships_there = ships_to_one_of(countries)
        return self.filter(ships_there | _posts_for_one_of(ships_there))

    def managed_by(self, user: Viewer) -> Self:
        """Companies the operator may change and whose deliveries the operator may see: every country is in scope.

        A password, a subscription or a delivery of a company that also ships elsewhere concerns those countries too.
        """
        countries = scope_of(user).countries
        if countries is None:
            return self
        ships_beyond = ships_to_one_of(SERVED.keys() - countries)
        return self.visible_to(user).exclude(ships_beyond | _posts_for_one_of(ships_beyond))

    def sharing_prefix_with(self, company: Company) -> Self:
        """Other companies with the same tracking prefix: allowed, but confusing to people."""
        return self.exclude(pk=company.pk).exclude(tracking_prefix="").filter(tracking_prefix=company.tracking_prefix)

    def for_courier(self, courier: Company, client_code: str) -> Company:
        """Return the active client with `client_code` that `courier` may post for, or raise `ClientNotResolved`."""
        try:
            return self.active().clients().get(client_code=client_code, couriers=courier)
        except self.model.DoesNotExist:
            raise errors.ClientNotResolved(client_code=client_code) from None


class Company(WithContact):
    """A tenant: what it may do, and its API password.

    extra: the values of the columns that were read with it; see `ExtraSelect`. password_expires_at: when the password
    that found it ends, if a rotation has replaced it; else None.
    """

    extra: Sequence[Any] = ()
    password_expires_at: datetime | None = None

    name = models.CharField(
        _("name"), max_length=200, validators=[ON_ONE_LINE], help_text=_("As written in the contract.")
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
        help_text=_("The password of an inactive company does not work; its data is kept."),
    )
    allowed_countries = models.JSONField(
        _("allowed countries"),
        default=list,
        blank=True,
        validators=[country_list],
        help_text=_("Destinations the company may ship to."),
    )
    read_by_headings = models.JSONField(
        _("workbooks read by their headings"),
        default=_read_by_headings,
        blank=True,
        validators=[country_list],
        help_text=_("Destinations whose workbooks are read, whatever their layout."),
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
    requests_per_second = models.PositiveSmallIntegerField(
        _("requests per second"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(settings.MAX_REQUESTS_PER_SECOND)],
        help_text=_("Empty: the limit of this installation. 0: no limit. Ten seconds' worth may come at once."),
    )
    may_correct = models.BooleanField(
        _("may correct and cancel by API"),
        default=True,
        help_text=_("Guides and MAWBs that it sent, while customs does not have them."),
    )
    api_password_digest = models.CharField(max_length=64, unique=True, null=True, editable=False)  # noqa: DJ001  # null: several companies may have none yet, and unique must not see them
    api_password_hint = models.CharField(
        _("API password"), max_length=passwords.HINT_LENGTH, blank=True, editable=False
    )
    api_password_set_at = models.DateTimeField(_("password set at"), null=True, editable=False)
    last_used_at = models.DateTimeField(_("last used at"), null=True, editable=False)
    # When the worker last began to read one of its upload jobs; `shipments.intake.jobs` gives each company its turn.
    last_job_began_at = models.DateTimeField(null=True, editable=False)
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
        """Required by DRF of `request.user`: a company found by its password is always authenticated."""
        return True

    @property
    def is_courier(self) -> bool:
        return self.kind == Kind.COURIER

    def clean(self) -> None:
        """Validate what spans several fields: a courier owns no manifests."""
        if self.is_courier and self.is_marketplace:
            raise ValidationError({"is_marketplace": _("A courier cannot be a marketplace; mark its client instead.")})

    def set_new_password(self, *, old_works_for: timedelta = timedelta()) -> str:
        """Generate and store a new password, and return it in clear; the old one stops working on commit.

        old_works_for: how long the old one works on instead. What was left of the one before it ends now, unless the
        old one has not reached the client, as after a second click on *Rotate*: then that one works on.
        """
        password = passwords.generate()
        now = timezone.now()
        with transaction.atomic():
            old = Company.objects.select_for_update(no_key=True).get(pk=self.pk)
            ending, ends_at = EndingPassword.objects.filter(company=self), now + old_works_for
            if not (old_works_for and old.has_unsent_password and ending.working().update(ends_at=ends_at)):
                ending.delete()
                if old_works_for and old.api_password_digest:
                    ending.create(
                        company=self,
                        digest=old.api_password_digest,
                        hint=old.api_password_hint,
                        ends_at=ends_at,
                        last_used_at=old.last_used_at,
                    )
            self.api_password_digest = passwords.digest(password)
            self.api_password_hint = passwords.hint(password)
            self.api_password_set_at, self.last_used_at = now, None
            self.save(update_fields=["api_password_digest", "api_password_hint", "api_password_set_at", "last_used_at"])
        return password

    @property
    def has_unsent_password(self) -> bool:
        """Whether the password has probably not reached the client: it was made minutes ago and never used."""
        return passwords.is_unsent(self.api_password_set_at, self.last_used_at)

    @property
    def last_seen_at(self) -> datetime | None:
        """When either of its passwords was last used. Read it from a query that selects `ending_password` too."""
        ending: EndingPassword | None = getattr(self, "ending_password", None)
        moments = (self.last_used_at, ending.last_used_at if ending else None)
        return max((moment for moment in moments if moment), default=None)

    def end_old_password(self) -> bool:
        """End what is left of the previous password. Return whether one still worked."""
        return bool(EndingPassword.objects.filter(company=self).working().delete()[0])

    @classmethod
    def with_password(cls, password: str, extra: ExtraSelect | None = None) -> Company:
        """Return the active company that `password` belongs to, with `extra` read in the same statement.

        Raises `InvalidApiKey`, the same error for an unknown, a rotated and a deactivated company's password.
        """
        if passwords.is_well_formed(password, passwords.other_prefix()):
            raise errors.OtherServicesApiKey(_OTHER if settings.SANDBOX else "")
        if not passwords.is_well_formed(password):
            if password.startswith(passwords.prefix()) and len(password) == passwords.LENGTH:
                raise errors.MistypedApiKey
            raise errors.InvalidApiKey(
                Translatable(
                    "This is not an API password: one begins with %(prefix)s and has %(length)s characters. Check that "
                    "it was copied whole.",
                    prefix=passwords.prefix(),
                    length=passwords.LENGTH,
                )
            )
        # Runs on every API request. Raw SQL, and no queryset: the ORM took longer to compose this query than to run it.
        columns, joins, parameters = extra or ExtraSelect()
        digest = passwords.digest(password)
        row = first_row(_build_query("api_password_digest", columns, joins), [*parameters, digest])
        expires_at = None
        if row is None and (previous := EndingPassword.objects.working().filter(digest=digest).first()):
            expires_at = previous.ends_at
            row = first_row(_build_query("id", columns, joins), [*parameters, previous.pk])
        if row is None:
            raise errors.InvalidApiKey
        reader = _row_reader()
        company = reader.instance(row[: reader.width], connections[DEFAULT_DB_ALIAS])
        company.extra = row[reader.width :]
        company.password_expires_at = expires_at
        return company

    def note_use(self) -> None:
        """Record which password was used, at most once a minute; on SQLite only if nobody else is writing."""
        now = timezone.now()
        if self.password_expires_at:
            old = EndingPassword.objects.filter(company=self).exclude(last_used_at__gt=now - LAST_USED_RESOLUTION)
            with _unless_busy():
                old.update(last_used_at=now)
        elif self.last_used_at is None or now - self.last_used_at >= LAST_USED_RESOLUTION:
            with _unless_busy():
                Company.objects.filter(pk=self.pk).update(last_used_at=now)
                self.last_used_at = now

    def tracking_prefix_or_refuse(self) -> str:
        """Return the prefix of its tracking codes; raise `TrackingPrefixMissing` if there is none."""
        if not self.tracking_prefix:
            raise errors.TrackingPrefixMissing
        return self.tracking_prefix

    def require_any_country(self, served: Collection[str]) -> None:
        """Raise `UnsupportedCountry` unless one of the company's countries is among `served`."""
        if not any(country in served for country in self.allowed_countries):
            raise errors.UnsupportedCountry(
                country=",".join(self.allowed_countries), allowed_countries=list(self.allowed_countries)
            )

    def require_country(self, country: str) -> None:
        """Raise `CountryNotAllowed` unless the company may ship to `country` (alpha-2)."""
        if country not in self.allowed_countries:
            raise errors.CountryNotAllowed(country=country)


@contextmanager
def _unless_busy() -> Iterator[None]:
    """Leave the block's write undone if SQLite's only writer is at work: a read would wait seconds for an upload."""
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    sqlite: sqlite3.Connection = connection.connection
    (milliseconds,) = sqlite.execute("PRAGMA busy_timeout").fetchone()
    sqlite.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:  # of extended codes, too
            raise
    finally:
        sqlite.execute(f"PRAGMA busy_timeout = {milliseconds:d}")


@cache
def _row_reader() -> RowReader[Company]:
    """What requests of the API need. Each further column takes time in all of them; a time takes most."""
    needed = ("id", "client_code", "kind", "is_active", "allowed_countries", "tracking_prefix", "is_marketplace")
    return RowReader(Company, *needed, "read_by_headings", "requests_per_second", "last_used_at")


@cache
def _build_query(column: str, columns: str, joins: str) -> str:
    """The query of `with_password`. columns, joins: as in `ExtraSelect`, whose few values are constants."""
    return (
        f"SELECT {_row_reader().columns_of('company')} {columns} FROM {Company._meta.db_table} company {joins} "  # noqa: S608  # our own names
        f"WHERE company.{column} = %s AND company.is_active"
    )
