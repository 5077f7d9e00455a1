"""Django settings, read from the environment and safe by default. A missing secret is an error that names it.

Values come from the process's environment, then from `.env` beside manage.py. README.md lists all variables.
"""

from pathlib import Path
from typing import Literal

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from prealerts import connections, logs
from prealerts.admin_look import UNFOLD  # noqa: F401  # a setting, too long for this file
from prealerts.environment import ENV_FILE
from prealerts.variables import Variables
from prealerts.version import VERSION  # noqa: F401  # a setting: apps below this one show it, too

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"

env = Variables()
env.read_env(ENV_FILE)

# --- secrets: deliberately without defaults ---------------------------------------------------------------------

SECRET_KEY = env.str("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
"""Former secret keys: sessions and links signed with them stay valid until they are removed."""
API_PASSWORD_PEPPER = env.str("API_PASSWORD_PEPPER")
"""The key of the HMAC of API passwords: a stolen database alone cannot be used to test guesses."""
FIELD_ENCRYPTION_KEYS = env.list("FIELD_ENCRYPTION_KEYS")
"""Fernet keys for secrets at rest; the first encrypts, all decrypt."""

# --- hosts and proxies -----------------------------------------------------------------------------------------

DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost"] if DEBUG else [])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CSRF_FAILURE_VIEW = "prealerts.answers.csrf_failure"
BEHIND_HTTPS = env.bool("BEHIND_HTTPS", default=not DEBUG)
"""A TLS proxy in front sets X-Forwarded-Proto: secure cookies, HSTS, and a redirect of the admin to HTTPS."""

PROXIES_IN_FRONT = env.int("PROXIES_IN_FRONT", default=1 if BEHIND_HTTPS else 0)
"""The number of our own proxies in front: so many addresses at the end of X-Forwarded-For are trusted."""

SANDBOX = env.bool("SANDBOX", default=False)
"""Whether this is a sandbox for clients' developers: passwords of its own, guides that move when asked."""

SANDBOX_ADDRESS = env.str("SANDBOX_ADDRESS", default="").rstrip("/")
"""Where the sandbox of this service is, for the pages that clients' developers read."""

ROOT_URLCONF = "prealerts.sandbox_urls" if SANDBOX else "prealerts.urls"
WSGI_APPLICATION = "prealerts.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "prealerts.apps.PrealertsConfig",
    "unfold",
    "unfold.contrib.filters",
    "prealerts.apps.LazyAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "prealerts.apps.LeanStaticFilesConfig",
    "rest_framework",
    "drf_spectacular_sidecar",
    "auditlog",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "base",
    "companies",
    "webhooks",
    "shipments",
]

MIDDLEWARE = [
    "prealerts.middleware.RequestIdMiddleware",
    "prealerts.middleware.PublicApiMiddleware",
    "prealerts.middleware.ProbesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "prealerts.middleware.WhiteNoiseMiddleware",
    "prealerts.middleware.CSPMiddleware",
    "prealerts.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "prealerts.sandbox.SandboxAnswerMiddleware",
    "prealerts.middleware.ApiShortcutMiddleware",  # what follows is only for pages
    "django.middleware.gzip.GZipMiddleware",  # without a proxy as well: the start page is a third smaller
    "prealerts.middleware.NulFreeQueryMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "companies.operators.logins.WayBackMiddleware",
    "companies.operators.logins.SessionLimitsMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "companies.operators.second_factor.SecondFactorMiddleware",
    "companies.operators.password_gate.OwnPasswordMiddleware",
    "prealerts.audit.AuditMiddleware",
    "companies.clocks.ClockMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "prealerts.sandbox.context",
            ],
        },
    },
]

# --- the database ----------------------------------------------------------------------------------------------

DATABASES = {"default": env.database("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'prealerts.sqlite3'}")}
BEHIND_PGBOUNCER = env.bool("BEHIND_PGBOUNCER", default=False)
"""Whether DATABASE_URL leads to PgBouncer in transaction mode."""
PREPARED_STATEMENTS = env.bool("PREPARED_STATEMENTS", default=False)
"""Whether PostgreSQL keeps the plans of statements that a connection repeats. Not behind PgBouncer."""
DATABASES["default"] |= connections.derive_settings(
    DATABASES["default"], is_pooled=BEHIND_PGBOUNCER, is_prepared=PREPARED_STATEMENTS
)
if DATABASES["default"]["NAME"] == str(VAR_DIR / "prealerts.sqlite3"):
    VAR_DIR.mkdir(mode=0o700, exist_ok=True)

# --- the API ---------------------------------------------------------------------------------------------------

MAX_JSON_BYTES = 10 * 1024 * 1024
"""The contract's limit for a JSON body."""
MAX_FILE_BYTES = 20 * 1024 * 1024
"""The contract's limit for each uploaded file."""

DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_JSON_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000  # the admin's permission forms need hundreds
DATA_UPLOAD_MAX_NUMBER_FILES = 4
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["companies.authentication.BearerPasswordAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["companies.limits.bucket.CompanyThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    # There is only one response format: the Accept header does not select another.
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "shipments.v1.bodies.AlwaysJson",
    "DEFAULT_PARSER_CLASSES": ["shipments.v1.bodies.StrictJsonParser"],
    "EXCEPTION_HANDLER": "prealerts.answers.answer_exception",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}

MAX_REQUESTS_PER_SECOND = 10_000
"""The highest rate limit, of a company or of all."""
_IS_ON_POSTGRESQL = DATABASES["default"]["ENGINE"].endswith("postgresql")
RATE_LIMIT = env.rate("RATE_LIMIT", MAX_REQUESTS_PER_SECOND, default=10 if SANDBOX and _IS_ON_POSTGRESQL else 0)
"""Requests a second of each company that has no limit of its own; 0 if there is none. On SQLite a limited request is a
write, so a sandbox has a limit on PostgreSQL only.
"""

API_DOCS = env.bool("API_DOCS", default=True)
"""Whether the reference, its document, the guides and the samples below /docs/ are served."""
API_DOCS_CONTACT = env.str("API_DOCS_CONTACT", default="")
"""Contact of the operators for the reference: an e-mail address or a URL."""
API_VERSION = "1.4"
"""Of the interface: docs/changelog.md has an entry for each."""

# --- files -----------------------------------------------------------------------------------------------------

MEDIA_ROOT = env.str("MEDIA_ROOT", default=str(VAR_DIR / "media"))
STATIC_URL = "/static/"
STATIC_ROOT = env.str("STATIC_ROOT", default=str(VAR_DIR / "static"))
READY_FREE_MIB = env.int("READY_FREE_MIB", default=256)
"""With less space on the disk where uploads arrive, /health/ready is 503; 0 disables it. An upload has 42 MB."""
# On the file system of MEDIA_ROOT, so that keeping an uploaded file is a rename.
FILE_UPLOAD_TEMP_DIR = str(Path(MEDIA_ROOT) / ".incoming")
SILENCED_SYSTEM_CHECKS = [
    "files.E001",  # the first upload creates the directory; startup writes nothing
    "models.W040",  # SQLite ignores the further columns of an index: slower there, and nothing else
]
STORAGES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "shipments.files.storage.DurableStorage"},
    "staticfiles": {"BACKEND": "prealerts.serving.static_files.HashedFiles"},
}
FILE_UPLOAD_HANDLERS = ["shipments.v1.bodies.BoundedUploadHandler"]

S3_BUCKET = env.str("S3_BUCKET", default="")
"""A private bucket for received files, if web servers share no disk; uploads in progress stay on disk."""
S3_ENDPOINT_URL = env.str("S3_ENDPOINT_URL", default="")
S3_REGION = env.str("S3_REGION", default="")
S3_PREFIX = env.str("S3_PREFIX", default="")
# Without these two, the library uses the machine's own role.
AWS_ACCESS_KEY_ID = env.str("AWS_ACCESS_KEY_ID", default="") or None
AWS_SECRET_ACCESS_KEY = env.str("AWS_SECRET_ACCESS_KEY", default="") or None
if S3_BUCKET:
    STORAGES["default"] = {
        "BACKEND": "shipments.files.object_storage.ObjectStorage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": S3_ENDPOINT_URL or None,
            "region_name": S3_REGION or None,
            "location": S3_PREFIX,
        },
    }

# --- webhooks --------------------------------------------------------------------------------------------------

WEBHOOK_ALLOWED_NETWORKS = env.list("WEBHOOK_ALLOWED_NETWORKS", default=[])
"""Networks (CIDR) that deliveries may reach in addition to the public internet: for tests and private networks."""
WEBHOOK_CA_BUNDLE = env.str("WEBHOOK_CA_BUNDLE", default="")
"""A file of certificate authorities trusted in addition to the system's."""
WEBHOOK_CONCURRENCY = env.int("WEBHOOK_CONCURRENCY", default=1000)
"""The maximum number of concurrent deliveries of a dispatcher."""
WEBHOOK_SUBJECT_PAGE = "shipments.admin.guides.page_of"
"""Takes the company's key and the subject of a delivery, and returns the path of the subject's page, or None."""
DISPATCHER_HEARTBEAT_FILE = env.str("DISPATCHER_HEARTBEAT_FILE", default="")
"""A file that the dispatcher touches after each successful query for work. Disabled if empty."""
WORKER_HEARTBEAT_FILE = env.str("WORKER_HEARTBEAT_FILE", default="")
"""The same for the worker."""
CHORES = env.bool("CHORES", default=True)
"""Whether the worker runs the commands of each day and week, such as `anonymise`; otherwise cron does."""

# --- mail ------------------------------------------------------------------------------------------------------

SITE_NAME = env.str("SITE_NAME", default="Pre-Alerts")
"""What the admin, mails and the pages below /docs/ call this installation."""
MAIL = env.mail("EMAIL_URL")
"""What Django's SMTP backend takes. Empty: no mail is written or sent, and no page offers it."""
_NAMED_HOSTS = [host for host in ALLOWED_HOSTS if not host.startswith(("*", "."))] or ["localhost"]
EMAIL_FROM = env.str("EMAIL_FROM", default=f"no-reply@{_NAMED_HOSTS[0]}")
"""The sender of mails: an address, or a name and an address."""
SITE_URL = env.str("SITE_URL", default="").rstrip("/")
"""Where operators reach the admin, for links in mails. Empty: as the request did that caused the mail; a mail that no
request caused links to the first host of ALLOWED_HOSTS, without a TLS proxy at gunicorn's port.
"""
_PORT = env.str("BIND", default="127.0.0.1:8000").rpartition(":")[2]  # a Unix socket has none
_AUTHORITY = f"{_NAMED_HOSTS[0]}:{_PORT}" if _PORT.isdigit() and not BEHIND_HTTPS else _NAMED_HOSTS[0]
DEFAULT_SITE_URL = f"http{'s' if BEHIND_HTTPS else ''}://{_AUTHORITY}"
MAIL_SUBJECTS = "prealerts.notices.entries_for"
"""Takes a mail, and returns the entries that it tells its reader of; none: it is not sent."""
PASSWORD_RESET_TIMEOUT = 72 * 60 * 60

# --- personal data ---------------------------------------------------------------------------------------------

RETENTION_DAYS_FILES = env.int("RETENTION_DAYS_FILES", default=None)
RETENTION_DAYS_PERSONAL_DATA = env.int("RETENTION_DAYS_PERSONAL_DATA", default=None)
RETENTION_DAYS_CARRIER_BODIES = env.int("RETENTION_DAYS_CARRIER_BODIES", default=14)
RETENTION_DAYS_UNMATCHED_EVENTS = env.int("RETENTION_DAYS_UNMATCHED_EVENTS", default=30)
"""How long bodies that carriers sent are kept for repeating them."""

ERASURES_FILE = env.str("ERASURES_FILE", default="")
"""A file, kept apart from the database, to which each finished erasure adds a line. Disabled if empty."""

# --- carriers --------------------------------------------------------------------------------------------------

CARRIER_API_BASE = env.str("CARRIER_API_BASE", default="")
"""Where carriers are asked about guides, instead of their own addresses: for tests."""

# --- language and time -----------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("es", _("Spanish")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["prealerts.formats"]

# --- the admin -------------------------------------------------------------------------------------------------

APPEND_SLASH = False  # a redirect drops a POST's body; both spellings of every route answer instead
LOGIN_URL = reverse_lazy("admin:login")
LOGIN_REDIRECT_URL = reverse_lazy("admin:index")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
AUDITLOG_CID_GETTER = "prealerts.audit.request_id"
ADMIN_SECOND_FACTOR = env.bool("ADMIN_SECOND_FACTOR", default=not DEBUG)
"""Whether every page of the admin requires a code from the operator's app in addition to the password."""
AUTHENTICATION_BACKENDS = ["companies.operators.local_passwords.PasswordBackend"]

OIDC_ISSUER = env.str("OIDC_ISSUER", default="").removesuffix("/")
"""The provider of single sign-on, by OpenID Connect. Disabled if empty."""
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="")
OIDC_ROLES_CLAIM = env.str("OIDC_ROLES_CLAIM", default="groups")
"""The claim by whose values operators get roles and countries."""
OIDC_ROLES = env.json_of("OIDC_ROLES", dict[str, str], '{"ops": "Operations"}')
OIDC_COUNTRIES = env.json_of("OIDC_COUNTRIES", dict[str, Literal["all"] | list[str]], '{"cl": ["CL"], "all": "all"}')
if OIDC_ISSUER:
    AUTHENTICATION_BACKENDS += ["companies.sso.backend.SingleSignOn"]
# What mozilla-django-oidc reads by itself, and what is no choice.
OIDC_AUTHENTICATION_CALLBACK_URL = "sso-callback"
OIDC_RP_SCOPES = "openid profile email"
OIDC_USE_NONCE = OIDC_USE_PKCE = True
LOCAL_PASSWORDS = env.bool("LOCAL_PASSWORDS", default=True)
"""Whether operators may log in with a password of this service; off, only `BREAK_GLASS_USER` may."""
BREAK_GLASS_USER = env.str("BREAK_GLASS_USER", default="")
"""The username of the account for emergencies, whose every login with its password is an alarm."""
OTP_TOTP_ISSUER = SITE_NAME
OTP_STATIC_THROTTLE_FACTOR = 0  # 119 bits cannot be guessed, and they work while somebody guesses the app's codes
OTP_TOTP_SYNC = False  # always one step before and after our clock: a drifting window would accept older codes
SESSION_COOKIE_AGE = 8 * 60 * 60
SESSION_IDLE_MINUTES = env.int("SESSION_IDLE_MINUTES", default=30)
"""Idle timeout of a session, in minutes; SESSION_COOKIE_AGE limits it in any case."""
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
if SANDBOX:  # cookies do not distinguish ports: beside `make run`, each login would end the other's
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "sandbox-sessionid", "sandbox-csrftoken"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_HTTPS
if BEHIND_HTTPS:
    SESSION_COOKIE_NAME = "__Host-sessionid"  # browsers accept it only over HTTPS and from this host
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # A redirect would come too late: the password would already have crossed the network in clear.
    SECURE_REDIRECT_EXEMPT = [r"^api/", r"^health"]
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True

# No page contains inline scripts, neither from our templates nor from unfold's. The exceptions are what unfold's own
# libraries need, and no more.
CONTENT_SECURITY_POLICY = {
    # Responses to programs: they contain no page, and every header adds bytes to each of them.
    "EXCLUDE_URL_PREFIXES": ["/api/", "/health"],
    "DIRECTIVES": {
        "default-src": [NONE],
        # unsafe-eval: Alpine, which runs unfold's menus, tabs and dialogs, compiles attributes to functions. It only
        # runs what the page already contains; to inject something an attacker would have to bypass template escaping.
        "script-src": [SELF, UNSAFE_EVAL],
        # unsafe-inline: unfold writes its colours into a style element and widths into attributes; so do our charts.
        "style-src": [SELF, UNSAFE_INLINE],
        # data: the ticks and arrows that unfold's style sheet draws in form fields.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        # htmx and the autocomplete fields send requests only to the admin itself.
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# --- monitoring ------------------------------------------------------------------------------------------------

METRICS_BIND = env.str("METRICS_BIND", default="")
"""Where the web server serves /metrics (host:port), never the API's own address. Disabled if empty."""
DISPATCHER_METRICS_BIND = env.str("DISPATCHER_METRICS_BIND", default="")
"""The same for the dispatcher."""
WORKER_METRICS_BIND = env.str("WORKER_METRICS_BIND", default="")
"""The same for the worker."""
CHORES = env.bool("CHORES", default=True)
"""Whether the worker runs the commands of each day and week, such as `anonymise`; otherwise cron does."""

SENTRY_DSN = env.str("SENTRY_DSN", default="")
"""Where errors are reported, without personal data. Disabled if empty."""

LOG_LEVEL = env.str("LOG_LEVEL", default="INFO").upper()
LOG_FORMAT = env.str("LOG_FORMAT", default="json")
LOGGING_CONFIG = None
logs.configure(level=LOG_LEVEL, style=LOG_FORMAT, is_sandbox=SANDBOX)
