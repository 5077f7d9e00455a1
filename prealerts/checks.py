"""System checks for settings that are unsafe or contradict each other, each with a hint."""

from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's own word for it
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from base.exposition import host_and_port
from companies import passwords
from companies.models import Company
from prealerts.connections import SERVER_LIMITS

MIN_PEPPER_LENGTH = 32
_THIS_MACHINE = {"127.0.0.1", "localhost", "[::1]", "testserver"}


@register(Tags.security)
def secrets_are_usable(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """The pepper is long and not reused; the field keys are valid."""
    if len(settings.API_PASSWORD_PEPPER) < MIN_PEPPER_LENGTH:
        text = f"API_PASSWORD_PEPPER is shorter than {MIN_PEPPER_LENGTH} characters."
        hint = (
            "Generate one: python -c 'import secrets; print(secrets.token_urlsafe(48))'. "
            "Changing it later invalidates every API password."
        )
        yield Error(text, hint=hint, id="prealerts.E001")
    if settings.API_PASSWORD_PEPPER == settings.SECRET_KEY:
        hint = "Give each its own value: SECRET_KEY may be rotated, the pepper may not."
        yield Error("API_PASSWORD_PEPPER and SECRET_KEY are the same.", hint=hint, id="prealerts.E002")
    if not settings.FIELD_ENCRYPTION_KEYS or not all(map(_is_fernet_key, settings.FIELD_ENCRYPTION_KEYS)):
        hint = (
            "Generate one: python -c 'from cryptography.fernet import Fernet; "
            "print(Fernet.generate_key().decode())'. Separate several with commas; the first encrypts."
        )
        yield Error("FIELD_ENCRYPTION_KEYS is empty or contains an invalid Fernet key.", hint=hint, id="prealerts.E003")


def _is_fernet_key(key: str) -> bool:
    try:
        Fernet(key)
    except ValueError:
        return False
    return True


@register(Tags.security)
def hosts_fit_the_mode(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """ALLOWED_HOSTS, HTTPS and the second factor match DEBUG."""
    is_public = bool(set(settings.ALLOWED_HOSTS) - _THIS_MACHINE)
    beyond = "while ALLOWED_HOSTS names more than this machine."
    if settings.DEBUG:
        if is_public:
            hint = "Turn DEBUG off: its error pages show settings and personal data."
            yield Error(f"DEBUG is on {beyond}", hint=hint, id="prealerts.E004")
        return
    if "*" in settings.ALLOWED_HOSTS:
        hint = "List the hosts that clients and operators use."
        yield Warning("ALLOWED_HOSTS is * while DEBUG is off.", hint=hint, id="prealerts.W001")
    if is_public and not settings.BEHIND_HTTPS:
        hint = "Put a TLS proxy in front and set BEHIND_HTTPS=on; passwords and personal data travel here."
        yield Warning(f"BEHIND_HTTPS is off {beyond}", hint=hint, id="prealerts.W002")
    if is_public and not settings.ADMIN_SECOND_FACTOR:
        hint = "Leave it out, or set ADMIN_SECOND_FACTOR=on: a guessed password would open the admin."
        yield Warning(f"ADMIN_SECOND_FACTOR is off {beyond}", hint=hint, id="prealerts.W004")
    if not settings.ALLOWED_HOSTS:
        text = "ALLOWED_HOSTS is empty while DEBUG is off: every request except /health is rejected."
        yield Warning(text, hint="List the hosts, for example ALLOWED_HOSTS=prealerts.example.com", id="prealerts.W003")


@register(Tags.files)
def files_stay_private(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Uploaded files are never stored where static files are served from."""
    media, static = Path(settings.MEDIA_ROOT).resolve(), Path(settings.STATIC_ROOT).resolve()
    if media.is_relative_to(static) or static.is_relative_to(media):
        text = "MEDIA_ROOT and STATIC_ROOT overlap: manifests and invoices would be public."
        yield Error(text, hint="Give each its own directory.", id="prealerts.E006")


@register()
def retention_makes_sense(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Retention periods are positive, and files are not kept longer than the personal data they contain."""
    files, personal = settings.RETENTION_DAYS_FILES, settings.RETENTION_DAYS_PERSONAL_DATA
    others = (settings.RETENTION_DAYS_CARRIER_BODIES, settings.RETENTION_DAYS_UNMATCHED_EVENTS)
    if any(days is not None and days < 1 for days in (files, personal, *others)):
        text = "RETENTION_DAYS_FILES, _PERSONAL_DATA, _CARRIER_BODIES and _UNMATCHED_EVENTS must be at least 1 day."
        yield Error(text, hint="Leave a setting out to keep the data.", id="prealerts.E007")
    elif personal is not None and files is not None and files > personal:
        text = "Files would outlive RETENTION_DAYS_PERSONAL_DATA, and they contain the same personal data."
        hint = "Set RETENTION_DAYS_FILES to at most RETENTION_DAYS_PERSONAL_DATA."
        yield Error(text, hint=hint, id="prealerts.E008")


@register(Tags.security)
def pooled_connections_prepare_nothing(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """PREPARED_STATEMENTS has no effect behind PgBouncer."""
    if settings.PREPARED_STATEMENTS and settings.BEHIND_PGBOUNCER:
        hint = "Turn PREPARED_STATEMENTS off: the next transaction may be on a connection without them."
        yield Error("PREPARED_STATEMENTS and BEHIND_PGBOUNCER are both on.", hint=hint, id="prealerts.E011")


@register(Tags.database)
def pooled_role_has_limits(databases: Sequence[str] | None = None, **_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Behind PgBouncer, which accepts no limits from us, the role has them. Asked for by `check --database default`."""
    if not settings.BEHIND_PGBOUNCER or "default" not in (databases or ()):
        return
    connection = connections["default"]
    if connection.vendor != "postgresql":
        text = "BEHIND_PGBOUNCER is on, and DATABASE_URL is not a PostgreSQL database."
        yield Error(text, hint="Turn it off.", id="prealerts.E010")
        return
    limits = dict(limit.split("=") for limit in SERVER_LIMITS)
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings WHERE name = ANY(%s) AND source = 'default'", [list(limits)])
        unset = sorted(name for (name,) in cursor.fetchall())
    if unset:
        statements = " ".join(f"ALTER ROLE CURRENT_USER SET {name} = '{limits[name]}';" for name in unset)
        hint = f"Execute this as that role, then RECONNECT in PgBouncer's console: {statements}"
        text = f"The database's role has no limits of its own: {', '.join(unset)}."
        yield Warning(text, hint=hint, id="prealerts.W005")


@register(Tags.security)
def mails_name_this_service(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Mails have a sender, and their links lead to a host that nobody else chooses."""
    if not settings.MAIL:
        return
    try:
        validate_email(parseaddr(settings.EMAIL_FROM)[1])
    except ValidationError:
        hint = "Set it, for example EMAIL_FROM=prealerts@example.com"
        yield Error("EMAIL_FROM is not an e-mail address.", hint=hint, id="prealerts.E022")
    hint = "Set it, for example SITE_URL=https://prealerts.example.com"
    if settings.SITE_URL and not settings.SITE_URL.startswith(("https://", "http://")):
        yield Error("SITE_URL is not an address.", hint=hint, id="prealerts.E023")
    if "*" in settings.ALLOWED_HOSTS and not settings.SITE_URL:
        text = "ALLOWED_HOSTS is *, so whoever asks for a new password chooses the host of the mail's link."
        yield Error(text, hint=hint, id="prealerts.E024")


def find_mixed_passwords(connection: BaseDatabaseWrapper) -> str:
    """Return what is wrong if companies have passwords of the other kind of service: live ones, or a sandbox's."""
    with connection.cursor() as cursor:
        if Company._meta.db_table not in connection.introspection.table_names(cursor):
            return ""  # a new database
        query = f"SELECT 1 FROM {Company._meta.db_table} WHERE api_password_hint LIKE %s LIMIT 1"  # noqa: S608  # our own table's name
        cursor.execute(query, [passwords.other_prefix() + "%"])
        if cursor.fetchone() is None:
            return ""
    here, there = ("on", "a live service") if settings.SANDBOX else ("off", "a sandbox")
    return f"SANDBOX is {here}, and the database is that of {there}: it has passwords {passwords.other_prefix()}..."


@register(Tags.database)
def database_is_of_this_service(databases: Sequence[str] | None = None, **_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """A sandbox never runs on a live database, nor the reverse. `migrate` asks."""
    if "default" in (databases or ()) and (sentence := find_mixed_passwords(connections["default"])):
        hint = "Give the sandbox a database of its own (DATABASE_URL), and set SANDBOX=on only there."
        yield Error(sentence, hint=hint, id="prealerts.E012")


_SETTINGS = ("METRICS_BIND", "DISPATCHER_METRICS_BIND", "WORKER_METRICS_BIND")


@register(Tags.security)
def metrics_are_not_public(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Each address is host:port, no two are equal, and none listens on every interface."""
    binds = {name: getattr(settings, name) for name in _SETTINGS if getattr(settings, name)}
    for name, bind in binds.items():
        try:
            host, _port = host_and_port(bind)
        except ValueError:
            hint = f"Set it, for example {name}=127.0.0.1:9108, or leave it out to disable the metrics."
            yield Error(f"{name} is not an address and a port.", hint=hint, id="prealerts.E020")
            continue
        if ip_address(host).is_unspecified:
            hint = "Bind it to the interface that Prometheus uses, or block other clients with a firewall."
            yield Warning(f"{name} listens on every interface.", hint=hint, id="prealerts.W020")
    if len(set(binds.values())) < len(binds):
        hint = "Use different ports for the web server and the dispatcher."
        yield Error(f"{' and '.join(binds)} are the same.", hint=hint, id="prealerts.E021")
