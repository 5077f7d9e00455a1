"""What `backup` writes, and what `restore` refuses before the first row is written."""

import errno
import io
import json
import shutil
import stat
import tarfile
from collections import namedtuple
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from companies.models import Company
from companies.passwords import digest_with_pepper
from prealerts.backups import archives, databases
from prealerts.backups.archives import Writer
from prealerts.management.commands import restore
from prealerts.version import VERSION
from tests.buckets import object_store
from tests.conftest import Caller
from tests.shipments.carriers.sending import make_sender
from tests.shipments.files.conftest import keep_files_in

pytestmark = pytest.mark.django_db
outside_a_transaction = pytest.mark.django_db(transaction=True)  # SQLite copies no database in the middle of one
FILE = "media/2026/11/0b9e.xlsx"
TOLD = {
    "created_at": datetime(2026, 11, 29, tzinfo=UTC), "database": connection.vendor, "is_sandbox": False,
    "migrations": [], "has_files": True,
}  # fmt: skip

Change = Callable[[tarfile.TarFile], None]


def nothing(_archive: tarfile.TarFile) -> None:
    pass


def made(directory: Path, *, files: tuple[str, ...] = (FILE,), change: Change = nothing, **told: Any) -> Path:
    """A backup with a database that is none: whatever is refused, is refused before. change: adds to the archive."""
    place = directory / "backup.tar"
    database = archives.DATABASES[told.get("database", connection.vendor)]
    with tarfile.open(place, "w") as archive:
        writer = Writer(archive)
        for name in (database, *files):
            (directory / "member").write_bytes(f"content of {name}".encode())
            with (directory / "member").open("rb") as source:
                writer.add(name, source)
        change(archive)
        writer.finish(directory, **{"pepper": digest_with_pepper("backup", "").hex(), **TOLD, **told})
    return place


def add(name: str, **attributes: Any) -> Change:
    def change(archive: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(name)
        for attribute, value in attributes.items():
            setattr(member, attribute, value)
        archive.addfile(member, io.BytesIO(b""))

    return change


def spoil(place: Path, old: bytes, new: bytes) -> Path:
    content = place.read_bytes()
    assert old in content
    place.write_bytes(content.replace(old, new))
    return place


def newer(place: Path) -> Path:
    return spoil(place, f'"version": "{VERSION}"'.encode(), b'"version": "9.0.0"')


REFUSED: list[tuple[Callable[[Path], Path], str]] = [
    (lambda here: here / "missing.tar", "No such file or directory"),
    (lambda here: here, "Is a directory"),
    (lambda _here: Path(__file__), "no backup"),
    (lambda _here: django_settings.BASE_DIR / "docs" / "examples" / "manifest-CL.xlsx", "no backup"),
    (lambda here: spoil(made(here), b"content of media", b"c0ntent of media"), "'media/2026/11/0b9e.xlsx' is damaged"),
    (lambda here: spoil(made(here), b"content of database", b"c0ntent of database"), "is damaged"),
    (lambda here: spoil(made(here), b'"sha256"', b'"sha255"'), "contents.json is damaged"),
    (lambda here: spoil(made(here), f'"{VERSION}"'.encode(), b'"1.x.0"'), "contents.json is damaged"),
    (lambda here: newer(made(here)), "It is of version 9.0.0, and this is"),
    (lambda here: made(here, migrations=["shipments.0999_later"]), "shipments.0999_later"),
    (lambda here: made(here, is_sandbox=True), "of a sandbox"),
    (lambda here: made(here, change=add("media/2026/11/another.xlsx")), "not listed"),
    (lambda here: made(here, change=add("media/a", type=tarfile.SYMTYPE, linkname="/etc/passwd")), "no file of a back"),
    (lambda here: made(here, change=add("media/a", type=tarfile.LNKTYPE, linkname=FILE)), "no file of a backup"),
    (lambda here: made(here, change=add("media/a", type=tarfile.CHRTYPE)), "no file of a backup"),
    (lambda here: made(here, change=add(FILE)), "no file of a backup"),
    *(
        ((lambda here, name=name: made(here, files=(FILE, name))), "no file of a backup")
        for name in (
            "../../etc/cron.d/x", "/etc/cron.d/x", "media/../../x", "media//x", "media/./x", "media/.incoming/x",
            "media/", "other/x", "media/a\\b",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "why"), REFUSED)
def test_what_is_no_whole_backup_is_refused_before_anything_is_written(
    make: Callable[[Path], Path], why: str, tmp_path: Path, media: Path
) -> None:
    User.objects.create_superuser("ana")
    with pytest.raises(CommandError, match=why) as refused:
        call_command("restore", str(make(tmp_path)), "--yes")
    assert str(refused.value).endswith("Nothing was restored.")
    assert not media.exists()
    assert User.objects.filter(username="ana").exists()


@pytest.mark.parametrize("size", [0, 100, 512, 2_000, 3_000])
def test_a_file_that_was_cut_off_is_refused(size: int, tmp_path: Path, media: Path) -> None:
    place = made(tmp_path)
    place.write_bytes(place.read_bytes()[:size])
    with pytest.raises(CommandError, match="Nothing was restored"):
        call_command("restore", str(place))
    assert not media.exists()


def test_a_backup_of_the_other_database_is_refused(tmp_path: Path) -> None:
    other = "sqlite" if connection.vendor == "postgresql" else "postgresql"
    with pytest.raises(CommandError, match=f"It is of {other}, and DATABASE_URL names {connection.vendor}"):
        call_command("restore", str(made(tmp_path, database=other)))


def test_a_database_with_a_company_or_a_carrier_is_kept(acme: Caller, tmp_path: Path, media: Path) -> None:
    with pytest.raises(CommandError, match="The database has companies"):
        call_command("restore", str(made(tmp_path)), "--yes")
    Company.objects.all().delete()
    make_sender("andes")
    with pytest.raises(CommandError, match="The database has carriers"):
        call_command("restore", str(made(tmp_path)), "--yes")
    assert (acme.company.client_code, media.exists()) == ("ACME", False)


def test_a_database_of_another_program_is_kept(tmp_path: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE somebodys (id integer)")
    with pytest.raises(CommandError, match="tables of another program"):
        call_command("restore", str(made(tmp_path)), "--yes")


def test_operators_are_named_before_they_are_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    User.objects.create_superuser("ana")
    with pytest.raises(CommandError, match="--yes"):
        call_command("restore", str(made(tmp_path)))
    assert "The operators of this database are replaced: ana." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (None, "ERASURES_FILE does not exist"), ("", "No person was erased after the backup"),
        ("a\t2026-11-28T23:59:59+00:00\tOLD\n", "No person was erased after the backup"),
        ("a\t2026-11-29T00:00:01+00:00\tNEW\n", "  a\t2026-11-29T00:00:01+00:00\tNEW"),
    ],
)  # fmt: skip
def test_what_the_file_of_erasures_knows_is_said_and_no_more(
    written: str | None, said: str, tmp_path: Path, settings: Any
) -> None:
    settings.ERASURES_FILE = str(tmp_path / "erasures")
    if written is not None:
        Path(settings.ERASURES_FILE).write_text(written)
    output = io.StringIO()
    with archives.open_backup(made(tmp_path)) as backup:
        restore.Command(stdout=output)._name_erasures(backup.contents)
    assert said in output.getvalue()


def test_a_file_of_another_content_is_not_replaced(tmp_path: Path, media: Path) -> None:
    kept = media / FILE.removeprefix("media/")
    kept.parent.mkdir(parents=True)
    kept.write_text("somebody's")
    with pytest.raises(CommandError, match="MEDIA_ROOT has another file"):
        call_command("restore", str(made(tmp_path)))
    assert kept.read_text() == "somebody's"


def full(*_arguments: Any, **_named: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = (FILE, "media/2026/11/0b9f.xlsx")
    usage = namedtuple("usage", "free")  # noqa: PYI024  # as shutil has it
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda _path: usage(5))
        with pytest.raises(CommandError, match="5 bytes free, and the files need"):
            call_command("restore", str(made(tmp_path, files=files)))
    monkeypatch.setattr(databases, "load", full)
    with pytest.raises(CommandError, match="No space left on device"):
        call_command("restore", str(made(tmp_path, files=files)))
    assert [path for path in media.rglob("*") if path.is_file()] == []


def backup(directory: Path, *arguments: str) -> Path:
    call_command("backup", str(directory), *arguments)
    (place,) = directory.glob("*.tar")
    return place


@outside_a_transaction
def test_a_backup_is_for_its_owner_alone_and_has_no_key(
    acme: Caller, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    acme.upload()
    place = backup(tmp_path / "new")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    content = place.read_bytes()
    for key in (settings.SECRET_KEY, settings.API_PASSWORD_PEPPER, *settings.FIELD_ENCRYPTION_KEYS):
        assert key.encode() not in content
    told = capsys.readouterr().out
    assert all(name in told for name in ("FIELD_ENCRYPTION_KEYS", "API_PASSWORD_PEPPER", "SECRET_KEY"))
    with archives.open_backup(place) as opened:
        assert (len(opened.media), opened.contents.version) == (1, VERSION)
        assert "shipments.0001_initial" in opened.contents.migrations
    assert [path.name for path in (tmp_path / "new").iterdir()] == [place.name]


@outside_a_transaction
def test_without_files_it_has_the_database_alone(acme: Caller, tmp_path: Path) -> None:
    acme.upload()
    with archives.open_backup(backup(tmp_path, "--without-files")) as opened:
        assert (opened.media, opened.contents.has_files) == ({}, False)


@outside_a_transaction
def test_a_full_disk_is_told_and_no_file_is_left(acme: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.upload()
    monkeypatch.setattr(Writer, "add", full)
    with pytest.raises(CommandError, match=r"No space left on device.*Nothing was written"):
        call_command("backup", str(tmp_path))
    assert [*tmp_path.iterdir()] == []


@outside_a_transaction
def test_what_a_killed_backup_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".prealerts-backup-abc"
    left.mkdir()
    (left / "backup.tar").write_text("half")
    backup(tmp_path)
    assert not left.exists()


def test_a_backup_is_not_put_where_files_are_served_from_or_backed_up(media: Path) -> None:
    with pytest.raises(CommandError, match="choose another directory"):
        call_command("backup", str(media / "backups"))


def test_a_pooled_connection_is_refused(tmp_path: Path, settings: Any) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("PgBouncer is PostgreSQL's")
    settings.BEHIND_PGBOUNCER = True
    with pytest.raises(CommandError, match="Go past PgBouncer"):
        call_command("backup", str(tmp_path))


@outside_a_transaction
def test_of_a_bucket_it_has_the_versions(acme: Caller, tmp_path: Path, settings: Any) -> None:
    with object_store() as store:
        bucket = store.new_bucket()
        store.client.put_bucket_versioning(Bucket=bucket.name, VersioningConfiguration={"Status": "Enabled"})
        keep_files_in(settings, bucket)
        settings.S3_BUCKET = bucket.name
        acme.upload()
        place = backup(tmp_path)
        with archives.open_backup(place) as opened, opened.open("bucket.json") as listed:
            versions = [json.loads(line) for line in listed]
            assert opened.contents.bucket == bucket.name
        assert sorted(each["name"] for each in versions) == bucket.names()
        for each in versions:
            found = store.client.head_object(Bucket=bucket.name, Key=each["name"], VersionId=each["version"])
            assert found["ContentLength"] == each["size_bytes"]
