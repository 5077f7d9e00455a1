"""Moving in: guides with the codes and the past of another system, all or nothing, and quietly."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from companies.models import Company
from shipments.models import Guide, GuideEvent, Manifest
from shipments.tracking.totals import check_totals
from tests.books import HEADER, guide_row, workbook_bytes
from tests.conftest import Caller
from tests.factories import CourierFactory
from tests.shipments.commands.running import everything, refused, run
from tests.shipments.manifests.payloads import ABSENT, body, guide
from tests.shipments.shipping import assert_sound, shipped
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.usefixtures("acme")

MAWB = "123-12345675"


def event(status: str, at: str = "2026-11-20T10:00:00-03:00", **more: object) -> dict[str, object]:
    return {"status": status, "occurred_at": at, **more}


PAST = [
    event("registered", "2026-11-18T09:00:00-03:00"),
    event("customs_processing", "2026-11-19T09:00:00-03:00", source="customs"),
    event("out_for_delivery", "2026-11-20T09:00:00-03:00", source="courier_scan", reason="Zona norte"),
]


def moving(number: int = 1, **changes: object) -> dict[str, object]:
    return guide(**{"hawb": f"OLD-{number}", "tracking_code": f"JX{number:06d}", **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "guides.json"


def move(path: Path, *guides: object, options: tuple[str, ...] = (), **changes: Any) -> str:
    path.write_text(json.dumps(body(*guides, **changes)))
    return run("import_guides", "ACME", str(path), "--country", "CL", *options)


def refusal(path: Path, *guides: object, country: str = "CL", **changes: Any) -> str:
    """Why a file is refused, which leaves everything as it was."""
    before = everything()
    path.write_text(json.dumps(body(*guides, **changes)))
    said, why = refused("import_guides", "ACME", str(path), "--country", country)
    assert (said, everything()) == ("", before)
    return why


def timeline(code: str) -> list[tuple[str, str, str, str, int]]:
    events = Guide.objects.get(tracking_code=code).events.all()
    return [(e.status, f"{e.occurred_at:%d %H:%M}", e.source, e.client_note, e.sequence) for e in events]


class TestJson:
    def test_guides_have_their_codes_and_exactly_their_past(self, acme: Caller, path: Path) -> None:
        register(acme.company, "https://hooks.example.com/")
        said = move(path, moving(1, events=PAST), moving(2, tracking_code="abcdef-gh"))
        assert "2 guides, 4 events; registered 1, out_for_delivery 1" in said
        assert timeline("JX000001") == [
            ("registered", "18 12:00", "pre_alert", "", 1),
            ("customs_processing", "19 12:00", "customs", "", 2),
            ("out_for_delivery", "20 12:00", "courier_scan", "Zona norte", 3),
        ]
        assert [each[0] for each in timeline("ABCDEF-GH")] == ["registered"]
        manifest = Manifest.objects.of(acme.company).get()
        assert_sound(manifest)
        assert list(check_totals()) == []
        assert {each.actor for each in manifest.guides.get(hawb="OLD-1").events.all()} == {"manage.py import_guides"}
        assert not Delivery.objects.exists()

    def test_the_past_is_announced_if_asked(self, acme: Caller, path: Path) -> None:
        register(acme.company, "https://hooks.example.com/")
        move(path, moving(events=PAST), options=("--announce",))
        assert list(Delivery.objects.order_by("pk").values_list("event_type", flat=True)) == [
            "pre_alert.ingested", "guide.status_changed", "guide.out_for_delivery",
        ]  # fmt: skip

    def test_a_past_without_its_beginning_begins_with_its_first_event(self, path: Path) -> None:
        late = event("delivered", "2026-11-20T12:00:00-03:00")
        move(path, moving(events=[late, event("in_transit"), event("in_transit")]))
        assert [each[:2] for each in timeline("JX000001")] == [
            ("registered", "20 13:00"), ("in_transit", "20 13:00"), ("delivered", "20 15:00"),
        ]  # fmt: skip

    def test_a_dry_run_says_everything_and_writes_nothing(self, path: Path) -> None:
        before = everything()
        said = move(path, moving(events=PAST, consignee_document="1-0"), options=("--dry-run",))
        assert said.startswith(
            "Dry run, nothing was written. MAWB 123-12345675: 1 guides, 3 events; out_for_delivery 1"
        )
        assert "OLD-1" in said
        assert everything() == before

    def test_what_is_wrong_with_a_row_is_flagged(self, acme: Caller, path: Path) -> None:
        move(path, moving(1, consignee_document="12345678-0"), moving(2, weight_kg="heavy"), moving(3, fob_usd=ABSENT))
        one, two, three = Guide.objects.filter(company=acme.company).order_by("pk")
        assert (one.consignee_document, one.review_reasons) == ("12345678-0", ["rut_invalid_format"])
        assert (two.weight_kg, two.review_reasons) == (None, ["value_left_out"])
        assert (three.fob_usd, three.needs_review) == (None, True)
        manifest = one.manifest
        assert [(each["hawb"], each["code"]) for each in manifest.warnings] == [
            ("OLD-1", "rut_invalid_format"), ("OLD-2", "invalid"), ("OLD-3", "required"),
        ]  # fmt: skip
        assert manifest.notices == []

    def test_the_same_file_again_changes_nothing(self, path: Path) -> None:
        move(path, moving(1, events=PAST), moving(2))
        before = everything()
        assert "2 guides, unchanged; nothing was written" in move(path, moving(1, events=PAST), moving(2))
        assert everything() == before

    def test_other_guides_or_codes_under_its_mawb_are_refused(self, path: Path) -> None:
        move(path, moving(1), moving(2))
        for guides, named in (
            ([moving(1), moving(2, tracking_code="JX000009")], "JX000009"),
            ([moving(1), moving(2), moving(3)], "JX000003"),
            ([moving(1)], "OLD-2"),
            ([moving(1, tracking_code="JX000002"), moving(2, tracking_code="JX000001")], "JX000002, JX000001"),
        ):
            assert f"Different: {named}." in refusal(path, *guides)

    def test_a_code_of_another_company_is_refused_without_saying_whose(self, other: Manifest, path: Path) -> None:
        taken = other.guides.order_by("pk")[0].tracking_code
        why = refusal(path, moving(1), moving(2, tracking_code=taken))
        assert why == f"file: Other guides have these tracking codes: {taken}."

    def test_a_code_has_to_be_one(self, path: Path) -> None:
        for code, why in (
            (ABSENT, "The guide OLD-1 has no tracking code."),
            (None, "The guide OLD-1 has no tracking code."),
            ("ABC12", "ABC12 is not a tracking code"),
            ("A" * 33, f"{'A' * 33} is not a tracking code"),
            ("AB C123", "AB C123 is not a tracking code"),
            ("ÑANDU-1", "ÑANDU-1 is not a tracking code"),
            ("045-12345675", "045-12345675 is not a tracking code"),
            ("04512345675", "04512345675 is not a tracking code"),
            ("JX000002", "JX000002 is the tracking code of two guides."),
        ):
            one = {key: value for key, value in moving(1, tracking_code=code).items() if value is not ABSENT}
            assert why in refusal(path, one, moving(2))

    def test_six_and_thirty_two_characters_are_codes(self, acme: Caller, path: Path) -> None:
        move(
            path, moving(1, tracking_code="A-1234"), moving(2, tracking_code="9" * 32), moving(3, tracking_code=123456)
        )
        assert set(Guide.objects.filter(company=acme.company).values_list("tracking_code", flat=True)) == {
            "A-1234", "9" * 32, "123456",
        }  # fmt: skip

    def test_events_are_judged_as_any_other(self, path: Path) -> None:
        for events, why in (
            ([event("delivered"), event("in_transit", "2026-11-21T10:00:00-03:00")], "JX000001: The guide is"),
            ([event("registered"), event("delivery_failed", "2026-11-21T10:00:00-03:00")], "JX000001: A guide that is"),
            (
                [event("in_transit", "2099-01-01T10:00:00Z")],
                "JX000001: The time of the event is more than five minutes",
            ),
            ([event("flying")], "JX000001: events[0]: the status is unknown"),
            ([event("in_transit", "2026-11-20 10:00")], "JX000001: events[0]: "),
            ([event("in_transit", source="rumour")], "JX000001: events[0]: The source is unknown"),
            ([event("in_transit", reason="x" * 256)], "JX000001: events[0]: Enter at most 255"),
            ([event("in_transit", reason=5)], "JX000001: events[0]: reason is not a text."),
            ([{"status": ["in_transit"]}], "JX000001: events[0]: the status is unknown"),
            ("in_transit", "JX000001: events is not an array"),
            (["in_transit"], "JX000001: events is not an array"),
        ):
            assert why in refusal(path, moving(1, events=events), moving(2))

    def test_what_is_no_key_of_an_event_is_noticed(self, acme: Caller, path: Path) -> None:
        move(path, moving(1, events=[event("registered", place="SCL")]))
        (notice,) = Manifest.objects.of(acme.company).get().notices
        assert (notice["code"], notice["params"]["name"]) == ("unknown_field", "events.place")

    def test_another_country_is_refused(self, path: Path) -> None:
        assert "The file is for Chile, and not for Peru." in refusal(path, moving(1), country="PE")

    def test_a_file_that_is_no_manifest_is_refused_in_words(self, path: Path) -> None:
        file = path.with_suffix(".txt")
        for content, why in (
            (b"", "The manifest"),
            (b"{", "The body is not JSON"),
            (b"[1]", "The body must be one JSON object"),
            (b'{"transport_mode": "air", "destination_airport": "SCL"}', "mawb: "),
            (b'{"transport_mode": "air", "destination_airport": "SCL", "guides": [1, {"tracking_code": 1}]}', "mawb: "),
        ):
            file.write_bytes(content)
            assert why in refused("import_guides", "ACME", str(file), "--country", "CL")[1]

    def test_guides_without_a_hawb_are_named_by_their_row(self, path: Path) -> None:
        assert "guides[1]" in refusal(path, moving(1), moving(2, hawb=""))

    def test_a_file_that_is_not_there(self) -> None:
        with pytest.raises(CommandError, match="The file cannot be read: No such file"):
            run("import_guides", "ACME", "/nowhere.json", "--country", "CL")


def test_a_retention_ends_with_the_release_by_customs_that_the_past_has(path: Path) -> None:
    retained: dict[str, Any] = {"fob_usd": 6000, "hawb": "OLD-1", "tracking_code": "PE-000001"}
    released = event("customs_released", source="customs")
    kept, let_go = (
        json.dumps(body(guide("PE", **retained, events=[event("in_transit"), each]), to="PE"))
        for each in (event("delivered", "2026-11-21T10:00:00-05:00"), released)
    )
    path.write_text(kept)
    assert (
        "PE-000001: The guide is under retention" in refused("import_guides", "ACME", str(path), "--country", "PE")[1]
    )
    path.write_text(let_go)
    run("import_guides", "ACME", str(path), "--country", "PE")
    found = Guide.objects.get(tracking_code="PE-000001")
    assert (found.status, found.retention_required, found.retention_lifted_by) == (
        "customs_released", False, "manage.py import_guides",
    )  # fmt: skip


def test_products_that_cannot_be_read_are_flagged(path: Path) -> None:
    move(path, moving(1, products=[{"description": "Shoes"}]), moving(2, products=[1]))
    for found in Guide.objects.filter(tracking_code__startswith="JX"):
        assert (found.products, found.fob_usd, found.review_reasons) == ([], None, ["value_left_out"])


CODE, STATUS, AT = "Tracking code", "Status", "Status at"


class TestWorkbooks:
    def write(self, path: Path, rows: list[dict[str, Any]], *headings: str, **more: Any) -> str:
        header = (headings[0], *HEADER, *headings[1:])
        file = path.with_suffix(".xlsx")
        file.write_bytes(workbook_bytes(rows, header=more.pop("header", header), **more))
        return str(file)

    @pytest.mark.parametrize(
        "headings", [(CODE, STATUS, AT), ("CODIGO DE SEGUIMIENTO", "Estado del envío", "FECHA DEL ESTADO")]
    )
    def test_a_workbook_has_one_event_a_guide(self, acme: Caller, path: Path, headings: tuple[str, ...]) -> None:
        code, status, at = headings
        rows = [
            guide_row(1, **{code: "JX000001", status: "en tránsito", at: datetime(2026, 11, 20, 10, 30)}),  # noqa: DTZ001  # a cell's
            guide_row(2, **{code: 123456789012, status: "delivered", at: "20/11/2026 11:00"}, RUT="1-1"),
            guide_row(3, **{code: "jx000003"}),
        ]
        run("import_guides", "ACME", self.write(path, rows, *headings), "--country", "CL")
        assert [each[:3] for each in timeline("JX000001")] == [
            ("registered", "20 13:30", "pre_alert"), ("in_transit", "20 13:30", "operator"),
        ]  # fmt: skip
        assert [each[0] for each in timeline("123456789012")] == ["registered", "delivered"]
        assert Guide.objects.get(tracking_code="JX000003").hawb == "HAWB00003"
        manifest = Manifest.objects.of(acme.company).get()
        assert_sound(manifest)
        assert manifest.guides.get(needs_review=True).hawb == "HAWB00002"
        assert (manifest.kept_columns, manifest.questions) == ([], [])

    @pytest.mark.parametrize(
        ("at", "local", "words"),
        [  # Chile's clock went back to 23:00 on 4 April 2026, and forward to 01:00 on 6 September
            (
                "06/09/2026 00:30",
                "2026-09-06 01:30-03:00",
                "JX000002 is at 2026-09-06 00:30, an hour that does not exist",
            ),
            (
                "04/04/2026 23:30",
                "2026-04-04 23:30-03:00",
                "JX000002 is at 2026-04-04 23:30, an hour that occurs twice",
            ),
            ("04/04/2026 23:30 -04:00", "2026-04-04 23:30-04:00", ""),
        ],
    )
    def test_an_hour_that_a_clock_change_skips_or_repeats_is_pointed_out(
        self, path: Path, at: str, local: str, words: str
    ) -> None:
        rows = [
            guide_row(1, **{CODE: "JX000001", STATUS: "in transit", AT: "20/11/2026 11:00"}),
            guide_row(2, **{CODE: "JX000002", STATUS: "in transit", AT: at}),
            guide_row(3, **{CODE: "JX000003", STATUS: "in transit", AT: at}),
        ]
        said = run("import_guides", "ACME", self.write(path, rows, CODE, STATUS, AT), "--country", "CL")
        assert words in said
        assert ("Guides with such a time: 2." in said) is bool(words)
        manifest = Manifest.objects.get(guides__tracking_code="JX000002")
        assert [each["code"] for each in manifest.notices] == ["occurred_at_unclear"] * bool(words)
        times = GuideEvent.objects.filter(guide__tracking_code="JX000002").values_list("occurred_at", flat=True)
        assert set(times) == {datetime.fromisoformat(local)}

    def test_the_country_that_is_named_is_that_of_a_workbook_without_one(self, acme: Caller, path: Path) -> None:
        Company.objects.filter(pk=acme.company.pk).update(read_by_headings=["CL", "PE"], allowed_countries=["CL", "PE"])
        file = self.write(path, [guide_row(1, **{CODE: "JX000001"})], CODE, labels={"Destino": ""})
        run("import_guides", "ACME", file, "--country", "CL")
        assert Manifest.objects.of(acme.company).get().country == "CL"

    def test_it_is_read_by_the_layout_that_the_client_has(self, acme: Caller, path: Path) -> None:
        acme.upload(workbook_bytes([guide_row(1)]))
        layout = acme.company.layouts.get()
        run(
            "import_guides", "ACME", self.write(path, [guide_row(2, **{CODE: "JX000002"})], CODE, mawb=MAWB),
            "--country", "CL",
        )  # fmt: skip
        assert Manifest.objects.get(mawb=MAWB).layout == layout
        assert acme.company.layouts.count() == 1

    def test_nothing_of_a_workbook_is_lost(self, path: Path) -> None:
        before = everything()
        for rows, why in (
            ([guide_row(1)], "The guide HAWB00001 has no tracking code."),
            ([guide_row(1, **{CODE: 1234567890123456789})], "of the guide HAWB00001 is a number that was rounded"),
            ([guide_row(1, **{CODE: "JX000001", STATUS: "delivered"})], "JX000001: the status or its time"),
            (
                [guide_row(1, **{CODE: "JX000001", STATUS: "volando", AT: "20/11/2026 11:00"})],
                "JX000001: the status or",
            ),
            ([guide_row(1, **{CODE: "JX000001"}), {CODE: "JX000002"}], "JX000002 is in row 5, which is not a guide."),
            (
                [guide_row(1, **{CODE: "JX000001"}), guide_row(1, **{CODE: "JX000002"})],
                "JX000002 is in row 5, which is not a guide.",
            ),
            (
                [
                    guide_row(1, **{CODE: "JX000001", STATUS: "in transit", AT: "20/11/2026 11:00"}),
                    guide_row(1, **{CODE: "JX000001", STATUS: "delivered", AT: "21/11/2026 11:00"}),
                ],
                "JX000001 has another status or time in row 5",
            ),
            ([guide_row(1, **{CODE: "JX000001"}), guide_row(1, **{STATUS: "lost"})], "lost is in row 5"),
        ):
            file = self.write(path, rows, CODE, STATUS, AT)
            assert why in refused("import_guides", "ACME", file, "--country", "CL")[1]
        assert everything() == before

    @pytest.mark.parametrize(
        ("header", "asked"),
        [
            (
                ("HAWB", "Código", "Consignatario", "RUT", "Descripción", "Zafra (peso)"),
                "the weight (kg): G “Zafra (peso)”",
            ),
            (("Pedido", "Código zafra", "Consignatario", "RUT", "Descripción", "Peso (kg)"), "the HAWB: B “Pedido”, C"),
        ],
    )
    def test_a_workbook_in_doubt_is_refused_with_its_questions(
        self, acme: Caller, path: Path, header: tuple[str, ...], asked: str
    ) -> None:
        cells = (("JX0001", "P-771", "Z9001", "Ana Rojas", "12345678-5", "Ropa", 1.5),
                 ("JX0002", "P-902", "Z9114", "Beto Soto", "7654321-6", "Libro", 2))  # fmt: skip
        rows = [dict(zip((CODE, *header), each, strict=True)) for each in cells]
        file = self.write(path, rows, CODE, header=(CODE, *header))
        assert f"We cannot tell which column is {asked}" in refused("import_guides", "ACME", file, "--country", "CL")[1]
        assert not acme.company.layouts.exists()

    @pytest.mark.parametrize("further", [[], ["Pedido"]])
    def test_a_workbook_without_house_numbers_is_told_to_have_them(self, path: Path, further: list[str]) -> None:
        rows = [guide_row(number, **{CODE: f"JX00000{number}", "Pedido": f"P-{number}71"}) for number in (1, 2, 3)]
        file = self.write(path, rows, CODE, header=(CODE, *HEADER[1:], *further))
        assert (
            "the tracking code is not used as the HAWB" in refused("import_guides", "ACME", file, "--country", "CL")[1]
        )

    def test_a_guides_further_rows_may_repeat_its_event(self, path: Path) -> None:
        told = {CODE: "JX000001", STATUS: "delivered", AT: "20/11/2026 11:00"}
        file = self.write(path, [guide_row(1, **told), guide_row(1, **told, Contenido="Libro")], CODE, STATUS, AT)
        assert "1 guides, 2 events" in run("import_guides", "ACME", file, "--country", "CL")

    def test_a_workbook_without_codes_is_refused(self, path: Path) -> None:
        path.write_bytes(workbook_bytes([guide_row(1)]))
        file = path.rename(path.with_suffix(".xlsx"))
        assert "under the heading “Tracking code”" in refused("import_guides", "ACME", str(file), "--country", "CL")[1]


def test_a_courier_owns_nothing_to_move_in(path: Path) -> None:
    CourierFactory.create(client_code="SWIFT")
    path.write_text(json.dumps(body(moving(1))))
    assert "courier" in refused("import_guides", "SWIFT", str(path), "--country", "CL")[1].lower()


def test_moved_in_guides_are_found_by_their_codes(acme: Caller, path: Path) -> None:
    move(path, moving(1, tracking_code="QWERTYUI"))
    shipped(acme.company, 1)
    assert acme.get("/guides/qwertyui").json()["hawb"] == "OLD-1"
