"""Versions of a format: published, gone back to, exported, imported; each upload is read by one of them wholly."""

import json
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import connection, transaction

from shipments.errors import FormatConflict
from shipments.formats.alarms import close_alarm
from shipments.formats.format_files import house_format
from shipments.formats.publishing import accept_spelling, publish, retire, save_version
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.spec import load
from shipments.models import FormatAlarm, FormatTest, FormatVersion, Guide, Manifest, WorkbookFormat
from tests.api.answers import error
from tests.conftest import Caller, make_caller
from tests.shipments.formats.layouts_of_clients import HEADINGS, NAME, bind, book, format_json, guide, run

pytestmark = pytest.mark.django_db

Maker = Callable[..., Caller]


def mawb(number: int) -> str:
    return f"045-{number:07d}{number % 7}"


def pounds() -> Any:
    return format_json(weight_kg={"unit": "lb"})


class TestVersions:
    def test_are_named_by_each_manifest_and_going_back_reads_as_before(self, lima: Caller) -> None:
        bind(lima)
        bind(lima, pounds())
        assert lima.upload(book(guide(1, Bruto=10), mawb=mawb(1))).json()["format"]["version"] == 2
        run("publish_format", "LIMA", NAME, "--version", "1")
        assert lima.upload(book(guide(1, Bruto=10), mawb=mawb(2))).json()["format"]["version"] == 1
        weights = Guide.objects.order_by("id").values_list("weight_kg", "manifest__format_version__number")
        assert [(str(weight), number) for weight, number in weights] == [("4.536", 2), ("10.000", 1)]
        changed = LogEntry.objects.filter(content_type__model="workbookformat", action=LogEntry.Action.UPDATE)
        assert changed.count() == 3

    def test_are_not_made_by_the_same_content(self, lima: Caller) -> None:
        assert bind(lima) == bind(lima)
        assert FormatVersion.objects.count() == 1

    def test_of_two_operators_who_began_from_the_same_only_one_is_saved(self, lima: Caller) -> None:
        bind(lima)
        first, _ = load(json.dumps(pounds()).encode())
        second, _ = load(json.dumps(format_json(weight_kg={"unit": "g"})).encode())
        save_version(lima.company, first, actor="maría", began_from=1)
        with pytest.raises(FormatConflict, match="maría saved version 2"):
            save_version(lima.company, second, actor="juan", began_from=1)
        assert list(FormatVersion.objects.values_list("number", flat=True)) == [2, 1]

    def test_that_cannot_be_distinguished_from_another_format_are_refused(self, lima: Caller, rival: Caller) -> None:
        bind(lima)
        with pytest.raises(FormatConflict, match="same required headings"):
            bind(lima, format_json(name="Otra"))
        bind(rival)
        assert WorkbookFormat.objects.count() == 2

    def test_are_at_most_five_active_formats_of_a_country(self, lima: Caller) -> None:
        for number in range(5):
            bind(lima, format_json(name=f"F{number}", headings=(f"Hija {number}", *HEADINGS[1:])))
        with pytest.raises(FormatConflict, match="5 active formats"):
            bind(lima, format_json(name="F6", headings=("Hija F6", *HEADINGS[1:])))

    def test_of_a_retired_format_read_nothing_more_and_stay(self, lima: Caller) -> None:
        version = bind(lima)
        lima.upload(book())
        retire(version.format, actor="ana")
        assert error(lima.upload(book(mawb=mawb(2)))) == (403, "unsupported_country")
        assert Manifest.objects.get().format_version == version
        with pytest.raises(FormatConflict, match="retired"):
            publish(version.format, 1, actor="ana")


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="one writer at a time")
def test_of_two_operators_who_publish_at_once_from_the_same_version_one_is_told() -> None:
    caller = make_caller("LIMA", allowed_countries=["PE"])
    form = bind(caller).format
    start = Barrier(2)
    told: list[str] = []

    def save_and_publish(actor: str, unit: str) -> None:
        spec, _ = load(json.dumps(format_json(weight_kg={"unit": unit})).encode())
        start.wait(30)
        try:
            with transaction.atomic():
                saved = save_version(caller.company, spec, actor=actor, began_from=1)
                publish(form, saved.version.number, actor=actor)
        except FormatConflict as refused:
            told.append(refused.message)
        finally:
            connection.close()

    threads = [Thread(target=save_and_publish, args=each) for each in (("maría", "lb"), ("juan", "g"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    version = form.versions.get(number=2)
    assert told == [f"{version.created_by} saved version 2 while you were editing. Nothing was saved."]
    assert form.versions.count() == 2
    assert WorkbookFormat.objects.get().in_use == version


class TestTheSameColumn:
    def test_under_a_new_heading_is_accepted_as_a_version(self, lima: Caller) -> None:
        form = bind(lima).format
        renamed = book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]])
        assert error(lima.upload(renamed)) == (400, "workbook_format_changed")
        accept_spelling(form, "Bruto", "Masa total", actor="ana")
        response = lima.upload(renamed)
        assert (response.status_code, response.json()["format"]["version"]) == (201, 2)
        assert lima.upload(book(mawb=mawb(2))).status_code == 201

    def test_closes_the_alarm_that_it_explains_and_no_other(self, lima: Caller, rival: Caller) -> None:
        form, operator = bind(lima).format, User.objects.create_user("ana")
        lima.upload(book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]]))
        lima.upload(book(headings=[*HEADINGS[:4], "Masa total", "Dinero", *HEADINGS[6:]]))
        bind(rival)
        rival.upload(book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]]))
        accept_spelling(form, "Bruto", "Masa total", actor="ana", operator=operator)
        closed = FormatAlarm.objects.get(closed_at__isnull=False)
        assert (closed.format, closed.headings["missing"], closed.closed_by) == (form, ["Bruto"], operator)
        assert FormatAlarm.objects.filter(closed_at=None).count() == 2
        left = form.alarms.get(closed_at=None)
        assert left.headings == {"missing": [HEADINGS[5]], "new": ["Dinero"]}

    def test_under_a_group_is_accepted_by_its_name_with_the_group(self, lima: Caller) -> None:
        content = format_json(header_rows=2, weight_kg={"group": "Pesos"})
        form = bind(lima, content).format
        groups = [None, None, None, None, "Pesos", "Montos", None]
        renamed = [*HEADINGS[:4], "Masa total", *HEADINGS[5:]]
        assert error(lima.upload(book(renamed, guide(1), headings=groups))) == (400, "workbook_format_changed")
        alarm = FormatAlarm.objects.get()
        (new,) = [text for text in alarm.headings["new"] if "Masa" in text]
        accept_spelling(form, alarm.headings["missing"][0], new, actor="ana")
        assert lima.upload(book(renamed, guide(1), headings=groups)).status_code == 201
        with pytest.raises(FormatConflict, match="another group"):
            accept_spelling(form, "Bruto", "Medidas / Masa", actor="ana")

    def test_must_be_one_of_the_format(self, lima: Caller) -> None:
        with pytest.raises(FormatConflict, match="no such column"):
            accept_spelling(bind(lima).format, "Masa", "Masa total", actor="ana")


class TestAlarms:
    def test_are_closed_once_and_raised_anew(self, lima: Caller) -> None:
        operator = User.objects.create_user("ana")
        bind(lima)
        changed = book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]])
        lima.upload(changed)
        alarm = FormatAlarm.objects.get()
        assert close_alarm(alarm, operator)
        assert not close_alarm(alarm, operator)
        lima.upload(changed)
        assert FormatAlarm.objects.filter(closed_at=None).get().count == 1
        assert FormatAlarm.objects.get(pk=alarm.pk).closed_by == operator

    def test_are_at_most_a_hundred_open_ones(self, lima: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shipments.formats.alarms.MOST_OPEN", 3)
        bind(lima)
        for number in range(5):
            lima.upload(book(headings=[*HEADINGS[:4], f"Masa {number}", *HEADINGS[5:]]))
        new = [alarm.headings["new"] for alarm in FormatAlarm.objects.order_by("pk")]
        assert new == [["Masa 2"], ["Masa 3"], ["Masa 4"]]


class TestKeptTests:
    def test_stop_a_version_that_reads_them_differently(self, lima: Caller) -> None:
        grid = [["MAWB", "045-12345675"], [], [*HEADINGS], guide(1, Bruto=10)]
        content = format_json(tests=[{"name": "marzo", "grid": grid, "expected": {"mawb": "none"}}])
        with pytest.raises(FormatConflict, match="marzo"):
            bind(lima, content)
        test = FormatTest.objects.get()
        test.expected = {"mawb": "045-12345675", "guides": [{"hawb": "H0001", "weight_kg": "10.000"}], "warnings": []}
        test.save()
        run("publish_format", "LIMA", NAME, "--version", "1")
        assert run("test_formats") == "1 tests, 0 read differently\n"
        with pytest.raises(FormatConflict, match="marzo"):
            bind(lima, pounds())
        FormatTest.objects.update(expected={"guides": []})
        with pytest.raises(CommandError, match="read differently"):
            run("test_formats", "LIMA")

    def test_are_superseded_by_a_version_published_despite_them_until_one_passes_them(self, lima: Caller) -> None:
        grid = [["MAWB", "045-12345675"], [], [*HEADINGS], guide(1, Bruto=10)]
        expected = {"guides": [{"hawb": "H0001", "weight_kg": "10.000"}]}
        bind(lima, format_json(tests=[{"name": "marzo", "grid": grid, "expected": expected}]))
        with pytest.raises(FormatConflict, match="marzo"):
            bind(lima, pounds())
        run("publish_format", "LIMA", NAME, "--version", "2", "--despite-tests")
        assert run("test_formats", "LIMA") == "0 tests, 0 read differently\n"
        assert "marzo" not in run("export_format", "LIMA", NAME)
        bind(lima, format_json(weight_kg={"unit": "lb"}, name=NAME, destination={"always": "LIM"}))
        run("publish_format", "LIMA", NAME, "--version", "1")
        assert run("test_formats", "LIMA") == "1 tests, 0 read differently\n"
        with pytest.raises(CommandError, match="marzo"):
            run("publish_format", "LIMA", NAME, "--version", "2")


class TestFiles:
    def test_are_the_same_after_export_and_import(self, lima: Caller, company_maker: Maker, tmp_path: Any) -> None:
        version = bind(lima, format_json(destination={"always": "LIM"}, consignee_name={"also": ["Destinatario"]}))
        path = tmp_path / "format.json"
        path.write_text(run("export_format", "LIMA", NAME), encoding="utf-8")
        other = company_maker("CUSCO", allowed_countries=["PE"])
        assert "saved, in use" in run("import_format", "CUSCO", str(path), "--publish")
        copy = other.company.workbook_formats.get().in_use
        assert copy is not None
        assert (copy.sha256, copy.spec) == (version.sha256, version.spec)
        assert other.upload(book()).status_code == 201
        assert run("list_formats", "CUSCO") == f"CUSCO\tPE\tv1\t0\t{NAME}\n"

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"{}", "prealerts_format"),
            (json.dumps(format_json(prealerts_format=2)).encode(), "newer version"),
            (json.dumps(format_json(colour="red")).encode(), "unknown field colour"),
            (b'{"prealerts_format": 1, "name": "a", "name": "b"}', "twice|duplicate|more than once"),
            (b" " * (3 * 2**20 + 1), "larger than 3 MB"),
            (b"\xff", "UTF-8"),
            (b"[]", "object"),
            (b"[" * 100, "deep|JSON"),
        ],
    )
    def test_that_are_invalid_are_refused_by_sentence(
        self, lima: Caller, tmp_path: Any, content: bytes, sentence: str
    ) -> None:
        path = tmp_path / "format.json"
        path.write_bytes(content)
        with pytest.raises(CommandError, match=sentence):
            run("import_format", lima.company.client_code, str(path))
        assert not WorkbookFormat.objects.exists()

    def test_are_only_looked_at_in_a_dry_run(self, lima: Caller) -> None:
        assert "nothing was written" in run("import_format", lima.company.client_code, "--house", "PE", "--dry-run")
        assert not WorkbookFormat.objects.exists()

    def test_of_another_country_than_the_companys_are_refused(self, lima: Caller) -> None:
        with pytest.raises(CommandError, match="country"):
            run("import_format", lima.company.client_code, "--house", "AR")


class TestHouseTemplates:
    def test_stop_a_version_that_reads_them_differently(self, lima: Caller) -> None:
        run("import_format", "LIMA", "--house", "PE", "--publish")
        assert run("test_formats", "LIMA") == "1 tests, 0 read differently\n"
        content = json.loads(house_format("PE"))
        next(column for column in content["columns"] if column["field"] == "weight_kg")["unit"] = "lb"
        with pytest.raises(FormatConflict, match="made up"):
            bind(lima, content)

    @pytest.mark.parametrize("country", [*LAYOUTS])
    def test_upload_as_they_are_once_bound(self, company_maker: Maker, country: str) -> None:
        caller = company_maker("HOUSE", allowed_countries=[country])
        run("import_format", "HOUSE", "--house", country, "--publish")
        template = caller.client.get(f"/docs/templates/manifest-{country}.xlsx").content
        response = caller.upload(template)
        assert response.status_code == 201, response.json()
        body = response.json()
        assert (body["warnings"], body["notices"], body["country"]) == ([], [], country)
        assert not Guide.objects.filter(needs_review=True).exists()
        assert len(body["columns"]) == len(LAYOUTS[country].columns)
