"""The flight of a workbook manifest: labels, columns, and the form that wins over both."""

from datetime import UTC, date, datetime

import pytest

from shipments.manifests.cells import Cell
from shipments.manifests.manifest import FlightFields
from tests.shipments.manifests.made_sheets import (
    ANA,
    BETO,
    FEW_HEADINGS,
    MAWB,
    MAWB_LABEL,
    noticed,
    read,
    sheet,
    surveyed,
    table,
)


class TestFlight:
    def test_it_is_read_from_labels_of_every_kind(self) -> None:
        flight = read(
            table(
                ["MAWB", MAWB],
                ["Vuelo:", "LA 2369 / 25-NOV", None, "Origen: MIAMI (MIA)"],
                ["ETD", "ETA", "Destino"],
                ["24/11/2026 23:10", datetime(2026, 11, 25, 6, 45), "SCL"],  # noqa: DTZ001 - a spreadsheet's
            )
        ).flight
        assert (flight.flight_number, flight.origin_airport, flight.destination_airport) == ("LA2369", "MIA", "SCL")
        assert flight.scheduled_departure is not None
        assert flight.scheduled_arrival is not None
        assert flight.scheduled_departure.isoformat() == "2026-11-24T23:10:00-05:00"
        assert flight.scheduled_arrival.isoformat() == "2026-11-25T06:45:00-03:00"

    @pytest.mark.parametrize(
        "above",
        [
            [["ORIGEN", "DESTINO", "ETD", "ETA"], ["MIA", "SCL", "24/11/2026", "25/11/2026"]],
            [["AOL", None, "MIA", "AOD", None, "SCL", "STD:", date(2026, 11, 24), "STA:", date(2026, 11, 25)]],
            [["Origen: MIA Destino: SCL"], ["Fecha de salida: 24-11-2026 / Fecha de llegada: 25-11-2026"]],
            [["始发港：MIA", "目的港：SCL"], ["预计起飞：2026-11-24", "预计到达：2026-11-25"]],
            [["Origem: MIA", "Destino: SCL"], ["Data de partida: 24/11/2026", "Previsão de chegada: 25/11/2026"]],
        ],
    )
    def test_a_label_is_never_the_value_of_another_although_airports_are_called_like_it(
        self, above: list[list[Cell]]
    ) -> None:
        manifest = read(table(["MAWB", MAWB], [], *above, []))
        flight = manifest.flight
        assert (flight.origin_airport, flight.destination_airport) == ("MIA", "SCL")
        assert flight.scheduled_departure is not None
        assert flight.scheduled_arrival is not None
        assert flight.scheduled_departure.date() == date(2026, 11, 24)
        assert flight.scheduled_arrival.date() == date(2026, 11, 25)
        assert manifest.notices == ()

    def test_it_is_read_from_columns_that_repeat_it(self) -> None:
        headings = [*FEW_HEADINGS, "Vuelo", "Origen", "Destino", "Fecha de arribo"]
        values = ["LA501", "USA", "SCL", "25/11/2026 14:30"]
        flight = read(sheet(["MAWB", MAWB], headings, [*ANA, *values], [*BETO, *values])).flight
        assert (flight.flight_number, flight.origin_country, flight.destination_airport) == ("LA501", "US", "SCL")
        assert flight.scheduled_arrival is not None
        assert flight.scheduled_arrival.isoformat() == "2026-11-25T14:30:00-03:00"

    def test_the_arrival_is_the_destination_airports_local_time(self) -> None:
        flight = read(table(["MAWB", MAWB], ["Destino", "IPC"], ["ETA", "25/11/2026 14:30"])).flight
        assert flight.scheduled_arrival is not None
        assert flight.scheduled_arrival.isoformat() == "2026-11-25T14:30:00-05:00"  # Easter Island

    @pytest.mark.parametrize(
        ("label", "value", "code"),
        [
            ("Vuelo", "LATAM Cargo", "flight_number_ignored"),
            ("Origen:", "Narnia", "origin_airport_ignored"),
            ("Destino:", "Narnia", "destination_airport_ignored"),
            ("ETD", "mañana", "scheduled_departure_ignored"),
            ("ETA:", "por confirmar", "scheduled_arrival_ignored"),
        ],
    )
    def test_what_cannot_be_read_is_a_notice(self, label: str, value: str, code: str) -> None:
        manifest = read(table(["MAWB", MAWB], [label, value]))
        assert [notice.code for notice in manifest.notices] == [code]
        assert manifest.warnings == ()

    @pytest.mark.parametrize("label", ["Vuelo / Fecha", "FLT/DATE:", "Vuelo:"])
    def test_the_date_behind_the_number_is_the_departures(self, label: str) -> None:
        flight = read(table(["MAWB", MAWB], [label, "LA 1801 / 25-11-2026"])).flight
        assert flight.flight_number == "LA1801"
        assert flight.scheduled_departure is not None
        assert f"{flight.scheduled_departure:%Y-%m-%d}" == "2026-11-25"

    @pytest.mark.parametrize(
        "above",
        [
            ["Vuelo", "LATAM", "LA501"],
            ["Aerolínea:", "LATAM", "LA501"],
            ["Flight 1", "LA501", "From", "MIA", "To", "SCL"],
        ],
    )
    def test_the_number_may_stand_behind_the_carriers_name(self, above: list[Cell]) -> None:
        assert read(table(["MAWB", MAWB], above)).flight.flight_number == "LA501"

    def test_a_box_beside_the_headings_is_read(self) -> None:
        headings = [*FEW_HEADINGS, None, "VUELO: LA501", "DESTINO", "SCL"]
        flight = read(sheet(["MAWB", MAWB], headings, ANA, BETO)).flight
        assert (flight.flight_number, flight.destination_airport) == ("LA501", "SCL")

    def test_a_route_has_both_ends(self) -> None:
        flight = read(table(["MAWB", MAWB], ["Routing", "HKG-LAX-SCL"])).flight
        assert (flight.origin_airport, flight.destination_airport) == ("HKG", "SCL")

    def test_several_flight_numbers_are_legs_and_the_last_arrives(self) -> None:
        manifest = read(sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Vuelo"], [*ANA, "LA501"], [*BETO, "LA503"]))
        assert manifest.flight.flight_number == "LA503"
        assert [notice.code for notice in manifest.notices] == ["flight_number_ambiguous"]

    @pytest.mark.parametrize(
        ("value", "country"),
        [
            ("Chile", "CL"),
            ("LIM", "PE"),
            ("MIA", "US"),
        ],
    )
    def test_the_survey_gives_the_country_of_the_destination(self, value: str, country: str) -> None:
        assert surveyed(table(["MAWB", MAWB], ["Destino", value])).destination.countries == (country,)
        column = sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Destino"], [*ANA, value], [*BETO, value])
        assert surveyed(column).destination.countries == (country,)

    def test_destinations_that_disagree_are_both_reported(self) -> None:
        column = sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Destino"], [*ANA, "SCL"], [*BETO, "LIM"])
        assert surveyed(column).destination.countries == ("CL", "PE")


class TestForm:
    def test_the_form_wins_over_the_workbook(self) -> None:
        form = FlightFields(
            flight_number="UC1103",
            origin_airport="LAX",
            destination_airport="ANF",
            scheduled_arrival=datetime(2026, 11, 30, 12, tzinfo=UTC),
        )
        labels = ["Vuelo", "LA501", "Origen", "MIA", "Destino", "SCL", "ETA", "25/11/2026 10:00"]
        flight = read(table(["MAWB", MAWB, *labels]), form=form).flight
        assert (flight.flight_number, flight.origin_airport, flight.destination_airport) == ("UC1103", "LAX", "ANF")
        assert flight.scheduled_arrival == form.scheduled_arrival

    def test_what_the_form_gives_needs_no_notice_about_the_workbook(self) -> None:
        form = FlightFields(flight_number="UC1103")
        assert read(table(["MAWB", MAWB, "Vuelo:", "LATAM Cargo"]), form=form).notices == ()

    @pytest.mark.parametrize(
        ("form", "label", "left_out"),
        [
            (FlightFields(scheduled_arrival=datetime(2026, 11, 25, tzinfo=UTC)), "ETD", "scheduled_departure"),
            (FlightFields(scheduled_departure=datetime(2026, 11, 28, tzinfo=UTC)), "ETA", "scheduled_arrival"),
        ],
    )
    def test_a_time_of_the_workbook_that_contradicts_the_forms_is_left_out(
        self, form: FlightFields, label: str, left_out: str
    ) -> None:
        read_manifest = read(table(["MAWB", MAWB, label, "26/11/2026 10:00"]), form=form)
        assert read_manifest.flight == form
        assert noticed(read_manifest) == [f"{left_out}_ignored"]

    def test_of_two_times_of_the_workbook_the_arrival_stays(self) -> None:
        read_manifest = read(table(["MAWB", MAWB, "ETD", "26/11/2026 10:00", "ETA", "25/11/2026 10:00"]))
        assert read_manifest.flight.scheduled_arrival is not None
        assert read_manifest.flight.scheduled_departure is None
        assert noticed(read_manifest) == ["scheduled_departure_ignored"]

    def test_bare_dates_on_one_day_go_together_whatever_the_time_zones(self) -> None:
        labels: list[Cell] = ["Origen", "MIA", "ETD", "25/11/2026", "ETA", date(2026, 11, 25)]
        read_manifest = read(table(["MAWB", MAWB, *labels]))
        assert read_manifest.notices == ()
        assert read_manifest.flight.scheduled_arrival == read_manifest.flight.scheduled_departure


@pytest.mark.parametrize(
    ("above", "arrival", "codes"),
    [
        ([["Fecha de llegada", "26/11/2026"], ["Hora de aterrizaje", "05:15"]], "2026-11-26T05:15:00-03:00", []),
        ([["Fecha de llegada", "26/11/2026", "5:15 hrs"]], "2026-11-26T05:15:00-03:00", []),
        ([["ETD", "25/11/2026", "ETA", "26/11/2026"], [None, "10:00", None, 0.21875]], "2026-11-26T05:15:00-03:00", []),
        ([["ETA", "26/11/2026 06:30"], ["Hora de llegada", "05:15"]], "2026-11-26T06:30:00-03:00", []),
        ([["Hora de llegada", "05:15"]], None, ["time_not_placed"]),
    ],
)
def test_a_time_of_day_completes_the_date_of_its_end(
    above: list[list[Cell]], arrival: str | None, codes: list[str]
) -> None:
    manifest = read(table(MAWB_LABEL, *above))
    found = manifest.flight.scheduled_arrival
    assert (found.isoformat() if found else None, noticed(manifest)) == (arrival, codes)


@pytest.mark.parametrize(
    ("text", "arrival", "codes"),
    [
        ("06/09/2026 00:30", "2026-09-06T00:30:00-04:00", ["scheduled_arrival_unclear"]),  # Chile's clock goes to 01:00
        ("05/09/2026 23:30", "2026-09-05T23:30:00-04:00", []),
        ("06/09/2026 01:00", "2026-09-06T01:00:00-03:00", []),
        ("04/04/2026 23:30", "2026-04-04T23:30:00-03:00", ["scheduled_arrival_unclear"]),  # and back to 23:00
        ("05/04/2026 00:00", "2026-04-05T00:00:00-04:00", []),
        ("2026-04-04T23:30:00-04:00", "2026-04-04T23:30:00-04:00", []),
        ("06/09/2026", "2026-09-06T00:00:00-04:00", []),  # a bare date names no time of day
    ],
)
def test_a_time_that_a_change_of_the_clock_skips_or_doubles_is_noticed(
    text: str, arrival: str, codes: list[str]
) -> None:
    manifest = read(table(MAWB_LABEL, ["ETA", text]))
    assert manifest.flight.scheduled_arrival == datetime.fromisoformat(arrival)
    assert noticed(manifest) == codes
