"""Flight fields: one reading for the form and for JSON."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from shipments.manifests.flights import airport, country, flight_number, moment, read_flight
from shipments.manifests.manifest import FlightFields


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("la 2369", "LA2369"),
        ("LA-501", "LA501"),
        ("4M 7", "4M7"),
        ("LAN0501", "LAN0501"),
        ("5X0901F", "5X0901F"),
    ],
)
def test_a_flight_number_is_given_in_capitals_without_separators(text: str, number: str) -> None:
    assert flight_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "LATAM", "LATAM CARGO", "Atlas Air", "2369", "12 345", "L2", "LA", "LA23690", "LA23AB", "LA 23.69",
        "LA2369/2370", "ſA123", "ＬＡ123", "LA١٢٣", "LA12\x00", "", "\ud800",
    ],
)  # fmt: skip
def test_a_carriers_name_is_not_a_flight_number(text: str) -> None:
    with pytest.raises(ValueError, match="not the carrier's name"):
        flight_number(text)


def test_airports_are_known_to_the_iata_table() -> None:
    assert airport(" mia ") == "MIA"
    assert airport("BUE") == "BUE"
    for text in ("XXX", "MIAMI", "MI", "ſCL", "SCL\x00"):
        with pytest.raises(ValueError, match="IATA code"):
            airport(text)


def test_countries_are_iso_alpha_2() -> None:
    assert country(" us ") == "US"
    for text in ("USA", "XX", "Chile", "ſA", "U\x00"):
        with pytest.raises(ValueError, match="ISO 3166"):
            country(text)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-20T14:30-03:00", "2026-11-20T14:30:00-03:00"),
        ("2026-11-20 14:30:00-0300", "2026-11-20T14:30:00-03:00"),
        ("2026-11-20T14:30:00-03", "2026-11-20T14:30:00-03:00"),
        ("2026-11-20t17:30:00z", "2026-11-20T17:30:00+00:00"),
        ("2026-11-20T17:30:00.123456789Z", "2026-11-20T17:30:00.123456+00:00"),
        ("20261120T173000Z", "2026-11-20T17:30:00+00:00"),
        (" 2024-02-29T23:59:59+14:00 ", "2024-02-29T23:59:59+14:00"),
        ("1990-01-01T00:00:00+14:00", "1990-01-01T00:00:00+14:00"),
        ("2100-12-31T23:59:59-12:00", "2100-12-31T23:59:59-12:00"),
    ],
)
def test_a_moment_keeps_its_offset(text: str, iso: str) -> None:
    assert moment(text).isoformat() == iso


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-11-20T14:30:00", "Add the offset"),
        ("20261120T143000", "Add the offset"),
        ("2026-11-20", "ISO 8601"),
        ("2026-W47-5T14:30:00Z", "ISO 8601"),
        ("2026-11-20T14:30:00+05:30:15", "ISO 8601"),
        ("٢٠٢٦-11-20T14:30:00Z", "ISO 8601"),
        ("2026-11-20T14:30:00Z\x00", "ISO 8601"),
        ("2026-11-20T14:30:00." + "1" * 5000 + "Z", "ISO 8601"),
        ("2026-02-29T14:30:00Z", "no such date"),
        ("2026-11-20T24:00:00Z", "no such date"),
        ("2016-12-31T23:59:60Z", "no such date"),
        ("2026-11-20T14:30:00+24:00", "no such date"),
        ("2026-11-20T14:30:00+14:01", "offset"),
        ("2026-11-20T14:30:00-23:59", "offset"),
        ("1989-12-31T23:59:59Z", "year"),
        ("2101-01-01T00:00:00Z", "year"),
    ],
)
def test_another_moment_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        moment(text)


@settings(deadline=None)
@given(st.integers(0, 40_540 * 86_400), st.integers(-720, 840))
def test_every_moment_of_the_range_can_be_given_in_utc(seconds: int, minutes: int) -> None:
    naive = datetime.fromisoformat("1990-01-01") + timedelta(seconds=seconds)
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    read = moment(f"{naive.isoformat()}{sign}{hours:02}:{rest:02}")
    assert read.astimezone(UTC).replace(tzinfo=None) == naive - timedelta(minutes=minutes)


def test_a_whole_flight_is_read() -> None:
    flight, problems = read_flight(
        {
            "flight_number": "la 2369",
            "origin_airport": "mia",
            "origin_country": "us",
            "destination_airport": "scl",
            "scheduled_departure": "2026-11-20T23:30:00-05:00",
            "scheduled_arrival": "2026-11-21T10:15:00-03:00",
            "company_id": ["ignored"],
        }
    )
    assert problems == {}
    assert read_flight({"flight_number": "", "origin_airport": None, "scheduled_arrival": "  "}) == (FlightFields(), {})
    assert (flight.flight_number, flight.origin_airport, flight.origin_country) == ("LA2369", "MIA", "US")
    assert flight.destination_airport == "SCL"
    assert flight.scheduled_departure == datetime(2026, 11, 21, 4, 30, tzinfo=UTC)
    assert flight.scheduled_arrival is not None
    assert flight.scheduled_arrival.isoformat() == "2026-11-21T10:15:00-03:00"


def test_an_arrival_before_the_departure_is_the_arrivals_problem() -> None:
    values = {"scheduled_departure": "2026-11-20T12:00:00-03:00", "scheduled_arrival": "2026-11-20T14:59:59Z"}
    assert read_flight(values)[1] == {"scheduled_arrival": ["The arrival is earlier than the departure."]}
    assert read_flight({**values, "scheduled_arrival": "2026-11-20T15:00:00Z"})[1] == {}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            ["flight_number", "origin_airport", "origin_country", "destination_airport", "scheduled_departure"]
        ),
        _JSON,
    )
)
def test_any_value_is_answered(values: dict[str, object]) -> None:
    _, problems = read_flight(values)
    assert set(problems) <= set(values)
    assert all(len(messages) == 1 and messages[0].endswith(".") for messages in problems.values())
