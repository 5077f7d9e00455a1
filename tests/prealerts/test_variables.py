"""The environment is read strictly: a slip of the hand never opens what is closed by default."""

import os
import re
import runpy
import subprocess
import sys
from typing import Literal

import pytest
from django.core.exceptions import ImproperlyConfigured

from prealerts.variables import Variables
from tests.live.server import ROOT


@pytest.mark.parametrize(
    "value", ["no JSON", "[]", '{"cl": "CL"}', '{"cl": ["CL", 5]}', '{"cl": null}', '{"cl": ["secret"]']
)
def test_json_of_another_shape_is_refused_by_name_and_not_repeated(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setitem(Variables.ENVIRON, "COUNTRIES", value)
    with pytest.raises(ImproperlyConfigured, match=r"^COUNTRIES must be JSON such as {}: ") as refused:
        Variables().json_of("COUNTRIES", dict[str, Literal["all"] | list[str]], "{}")
    assert "secret" not in str(refused.value)


def test_json_of_the_right_shape_is_taken_and_unset_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Variables.ENVIRON, "COUNTRIES", '{"cl": ["CL"], "all": "all"}')
    read = Variables().json_of("COUNTRIES", dict[str, Literal["all"] | list[str]], "{}")
    assert read == {"cl": ["CL"], "all": "all"}
    monkeypatch.setitem(Variables.ENVIRON, "COUNTRIES", " ")
    assert Variables().json_of("COUNTRIES", dict[str, str], "{}") == {}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("on", True),
        ("True", True),
        (" yes ", True),
        ("1", True),
        ("off", False),
        ("FALSE", False),
        ("no", False),
        ("0", False),
    ],
)
@pytest.mark.parametrize("default", [True, False])
def test_a_switch_is_what_it_says_whatever_the_default(
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    meant: bool,  # noqa: FBT001  # a column of the table
    default: bool,  # noqa: FBT001  # as above
) -> None:
    monkeypatch.setenv("SWITCH", word)
    assert Variables().bool("SWITCH", default=default) is meant


@pytest.mark.parametrize("word", ["ture", "enabled", "of", "2", "none"])
def test_a_word_that_is_neither_on_nor_off_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("SWITCH", word)
    with pytest.raises(ImproperlyConfigured, match=r"^SWITCH must be on or off"):
        Variables().bool("SWITCH", default=True)


@pytest.mark.parametrize("text", ["", "  "])
@pytest.mark.parametrize(
    ("kind", "default"),
    [("bool", True), ("bool", False), ("int", 30), ("str", "usual"), ("list", ["usual"])],
)
def test_an_empty_value_counts_as_left_out(
    monkeypatch: pytest.MonkeyPatch, text: str, kind: str, default: object
) -> None:
    monkeypatch.setenv("LEFT_OUT", text)
    assert getattr(Variables(), kind)("LEFT_OUT", default=default) == default
    with pytest.raises(ImproperlyConfigured, match=r"^LEFT_OUT is not set"):
        getattr(Variables(), kind)("LEFT_OUT")


def test_a_number_that_is_none_is_refused_by_name_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINUTES", "half an hour")
    with pytest.raises(ImproperlyConfigured, match=r"^MINUTES must be a whole number") as refused:
        Variables().int("MINUTES", default=30)
    assert "half" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    ["nonsense", "mysql://prealerts:s3cret@db/prealerts", "http://s3cret@db/", "postgres://u:s3cret@db:port/name"],
)
def test_an_invalid_database_url_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DATABASE", address)
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE must be like postgres://") as refused:
        Variables().database("DATABASE", default="sqlite:///somewhere.sqlite3")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_an_address_of_postgresql_is_taken_apart(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("DATABASE", f"{scheme}://olga:a%40b@db.example:5433/prealerts?sslmode=require")
    database = Variables().database("DATABASE", default="sqlite:///somewhere.sqlite3")
    assert (database["ENGINE"], database["NAME"]) == ("django.db.backends.postgresql", "prealerts")
    assert (database["HOST"], database["PORT"], database["PASSWORD"]) == ("db.example", 5433, "a@b")
    assert database["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.parametrize(
    ("hosts", "host", "port"),
    [
        ("db1.example,db2.example", "db1.example,db2.example", ""),
        ("db1.example:5432,db2.example:5433", "db1.example,db2.example", "5432,5433"),
        ("[2001:db8::1]:5432,db2.example:5433", "2001:db8::1,db2.example", "5432,5433"),
    ],
)
def test_an_address_may_name_a_primary_and_its_standbys(
    monkeypatch: pytest.MonkeyPatch, hosts: str, host: str, port: str
) -> None:
    monkeypatch.setenv("DATABASE", f"postgres://olga:a%40b@{hosts}/prealerts?sslmode=require")
    database = Variables().database("DATABASE", default="sqlite:///somewhere.sqlite3")
    assert (database["HOST"], database["PORT"], database["PASSWORD"]) == (host, port, "a@b")


@pytest.mark.parametrize("hosts", ["db1,db2:5433", "db1:5432,db2", "db1:5432,", "db1:port,db2:5433", ",db2"])
def test_several_hosts_of_which_some_have_a_port_are_refused(monkeypatch: pytest.MonkeyPatch, hosts: str) -> None:
    """libpq would use the one port for all of them."""
    monkeypatch.setenv("DATABASE", f"postgres://olga:s3cret@{hosts}/prealerts")
    with pytest.raises(ImproperlyConfigured, match=r"each has a port or none has") as refused:
        Variables().database("DATABASE", default="sqlite:///somewhere.sqlite3")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "host", "port", "tls"),
    [
        ("smtp://mail.example", "mail.example", 25, []),
        ("smtp://127.0.0.1:1025", "127.0.0.1", 1025, []),
        ("smtp+tls://mail.example", "mail.example", 587, ["use_tls"]),
        ("smtps://mail.example/", "mail.example", 465, ["use_ssl"]),
    ],
)
def test_a_mail_server_is_taken_apart(
    monkeypatch: pytest.MonkeyPatch, address: str, host: str, port: int, tls: list[str]
) -> None:
    """TLS from the first byte is what smtps means; django-environ's own parser takes STARTTLS for it."""
    monkeypatch.setenv("SERVER", address)
    mail = Variables().mail("SERVER")
    assert (mail["host"], mail["port"]) == (host, port)
    assert [name for name in ("use_tls", "use_ssl") if mail[name]] == tls


def test_the_name_and_password_of_a_mail_server_may_have_any_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER", "smtps://olga%40x:a%40b%2Fc@mail.example:4650")
    mail = Variables().mail("SERVER")
    assert (mail["username"], mail["password"], mail["port"]) == ("olga@x", "a@b/c", 4650)


@pytest.mark.parametrize(
    "address",
    ["nonsense", "smtp://", "http://u:s3cret@mail", "smtp://u:s3cret@mail:port", "smtp://[s3cret", "smtp://m/s3cret",
     "smtp+ssl://u:s3cret@mail", "smtp://u:s3cret@mail?ssl=1"],
)  # fmt: skip
def test_an_invalid_mail_server_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("SERVER", address)
    with pytest.raises(ImproperlyConfigured, match=r"^SERVER must be like smtp\+tls://") as refused:
        Variables().mail("SERVER")
    assert "s3cret" not in str(refused.value)


def test_without_a_mail_server_there_is_no_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER", " ")
    assert Variables().mail("SERVER") == {}


def test_switches_that_are_left_empty_keep_the_admin_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    for switch in ("ADMIN_SECOND_FACTOR", "BEHIND_HTTPS"):
        monkeypatch.setenv(switch, "")
    settings = runpy.run_path(str(ROOT / "prealerts/settings.py"))
    assert (settings["ADMIN_SECOND_FACTOR"], settings["SESSION_COOKIE_SECURE"]) == (True, True)


@pytest.mark.parametrize("secret", ["SECRET_KEY", "API_PASSWORD_PEPPER", "FIELD_ENCRYPTION_KEYS"])
def test_a_secret_that_is_left_empty_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv(secret, "")
    with pytest.raises(ImproperlyConfigured, match=f"^{secret} is not set"):
        runpy.run_path(str(ROOT / "prealerts/settings.py"))


def test_gunicorn_reads_by_the_same_rules_and_does_not_begin() -> None:
    changes, complaint = {"BEHIND_HTTPS": "ture"}, "BEHIND_HTTPS must be on or off"
    command = [sys.executable, "-m", "gunicorn", "--check-config"]
    refused = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **changes}, check=False, capture_output=True, text=True, timeout=60
    )
    assert refused.returncode != 0
    assert complaint in refused.stderr


READ_IT = {
    "prealerts/variables.py",
    "prealerts/environment.py",  # the tests have no .env
    "prealerts/metrics/directory.py",  # hands prometheus-client its directory
    "prealerts/backups/databases.py",  # hands pg_dump the password, which process lists would show
    "prealerts/wsgi.py",  # names the settings, as every Django project does
    "shipments/manifests/xlsx/opening.py",  # hands the child what its loader needs
}


def test_nothing_else_reads_the_environment() -> None:
    apps = ("prealerts", "shipments", "webhooks", "companies", "base")
    modules = [ROOT / "gunicorn.conf.py", *(path for app in apps for path in (ROOT / app).rglob("*.py"))]
    reading = re.compile(r"\bos\.environ\b|\bgetenv\(|\benviron\.Env\b|\bENVIRON\b")
    found = {str(path.relative_to(ROOT)) for path in modules if reading.search(path.read_text(encoding="utf-8"))}
    assert found == READ_IT


@pytest.mark.parametrize(("word", "meant"), [("", 0), ("off", 0), ("1", 1), ("50", 50), ("10000", 10_000)])
def test_a_rate_limit_is_off_or_a_number(monkeypatch: pytest.MonkeyPatch, word: str, meant: int) -> None:
    monkeypatch.setenv("RATE_LIMIT", word)
    assert Variables().rate("RATE_LIMIT", 10_000) == meant


@pytest.mark.parametrize("word", ["0", "-1", "10001", "fifty", "1.5", "on", "²"])
def test_any_other_rate_limit_is_an_error_that_says_what_to_write(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("RATE_LIMIT", word)
    with pytest.raises(ImproperlyConfigured, match="RATE_LIMIT must be off, or a whole number from 1 to 10,000"):
        Variables().rate("RATE_LIMIT", 10_000)
