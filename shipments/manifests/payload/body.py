"""The canonical JSON document as a whole: its client, its destination, and the manifest it contains."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from base.errors import Translatable, ValidationFailed
from companies.countries import SERVED, SERVED_NAMES
from shipments.errors import DestinationUnresolved, ManifestValidationFailed, UnsupportedTransportMode
from shipments.manifests import flights
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import report_together
from shipments.manifests.destinations import airport_country
from shipments.manifests.findings import REFUSING, Findings, Refusing, report_repeated_numbers
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import MAX_GUIDES, FlightFields, ParsedManifest, TransportMode
from shipments.manifests.moments import FIRST_YEAR, LAST_YEAR
from shipments.manifests.payload.guides import GuideReader
from shipments.manifests.payload.products import PRODUCT_FIELDS
from shipments.manifests.payload.unknown_fields import Place, report_unknown_fields
from shipments.manifests.waybills import normal_mawb


class ManifestField(NamedTuple):
    """One key of the manifest itself, for the documentation: what it accepts, in a few words."""

    name: str
    takes: str
    required: bool = False


_MOMENT = f"ISO 8601 with offset, {FIRST_YEAR} to {LAST_YEAR}"

MANIFEST_FIELDS = (
    ManifestField("mawb", "three digits and eight, with a space, a hyphen or nothing between", required=True),
    ManifestField("transport_mode", "`air` or `ground`", required=True),
    ManifestField("client_code", "text; couriers only: the client they post for"),
    ManifestField("flight_number", "airline designator, 1 to 4 digits, at most one letter"),
    ManifestField("origin_airport", "IATA code of an airport or metropolitan area"),
    ManifestField("origin_country", "ISO 3166 alpha-2"),
    ManifestField("destination_airport", f"IATA code in {SERVED_NAMES}; required by air"),
    ManifestField("destination_country", "ISO 3166 alpha-2; required on the ground, ignored by air"),
    ManifestField("scheduled_departure", _MOMENT),
    ManifestField("scheduled_arrival", f"{_MOMENT}; not before the departure"),
    ManifestField("country", "ignored: derived from the destination"),
    ManifestField("guides", f"array, 1 to {MAX_GUIDES:,} objects", required=True),
)

_NAMES: Mapping[Place, tuple[str, ...]] = {
    "manifest": tuple(field.name for field in MANIFEST_FIELDS),
    "guide": tuple(field.name for field in GUIDE_FIELDS),
    "product": tuple(field.name for field in PRODUCT_FIELDS),
}
"""The keys that each object of the document may have."""

MAX_CLIENT_CODE_LENGTH = 64
"""Longer than any client_code in use, so that an echoed value stays short."""


def client_code(body: Mapping[str, object]) -> str:
    """The client that a courier posts for, as sent; empty when `client_code` is missing, null or blank.

    Raises `ValidationFailed` when it is not a short string.
    """
    code = body.get("client_code")
    if code is None:
        return ""
    if not isinstance(code, str) or len(code) > MAX_CLIENT_CODE_LENGTH:
        reason = Translatable("Send this as a string of at most %(most)s characters.", most=MAX_CLIENT_CODE_LENGTH)
        raise ValidationFailed(details={"client_code": [reason]})
    return code.strip()


def destination(body: Mapping[str, object]) -> tuple[TransportMode, str]:
    """The transport mode and the country (ISO 3166 alpha-2); `country` in the body does not count.

    By air the country is that of the destination airport, and must be one of the countries served. On the ground it is
    `destination_country`, which may be any country: the caller checks whether it is served and allowed.
    Raises `UnsupportedTransportMode` and `DestinationUnresolved`.
    """
    mode = body.get("transport_mode")
    if mode == "air":
        return "air", _country_by_air(body.get("destination_airport"))
    if mode == "ground":
        sent = body.get("destination_country")
        try:
            return "ground", flights.country(sent if isinstance(sent, str) else "")
        except ValueError:
            raise DestinationUnresolved(
                "destination_country must be the ISO 3166 code of a country with two letters, such as PE."
            ) from None
    raise UnsupportedTransportMode


def _country_by_air(airport: object) -> str:
    country = airport_country(airport) if isinstance(airport, str) else None
    if country is None or country not in SERVED:
        raise DestinationUnresolved(
            Translatable(
                "destination_airport must be the IATA code of an airport in one of these countries: %(countries)s; "
                "for example SCL.",
                countries=", ".join(SERVED),
            )
        )
    return country


def read_manifest(
    body: Mapping[str, object],
    transport_mode: TransportMode,
    country: str,
    refusing: Refusing = REFUSING,
    number_keys: Iterable[str] = (),
    received_at: datetime | None = None,
    *,
    is_lenient: bool = False,
) -> ParsedManifest:
    """Read the manifest.

    transport_mode, country: as returned by `destination`; the country is one of the countries served. refusing: a trial
    reads on, with the valid guides alone; the MAWB is empty if it is invalid. number_keys: as in
    `report_repeated_numbers`. received_at: as in `arrival_day`, whose law applies. is_lenient: as in `GuideReader`.
    Raises `ValidationFailed` with every invalid field of the manifest itself, then `ManifestValidationFailed` with the
    problems of the rows: the first `MAX_REPORTED` in `invalid_rows`, their number in `invalid_rows_total`. Either all
    rows are accepted or none.
    """
    mawb, flight, guides = _read_own_fields(body, refusing)
    findings = Findings()
    day = flights.arrival_day(country, flight, received_at)
    rules = rules_for(country, day)
    reader = GuideReader(rules, findings, is_lenient=is_lenient)
    rows = tuple(row for row_index, guide in enumerate(guides) if (row := reader.read(row_index, guide)))
    if total := reader.invalid_rows_total:
        refusing.refuse(ManifestValidationFailed(invalid_rows=reader.invalid_rows, invalid_rows_total=total))
    findings.check_mawb(mawb)
    report_together(rules, rows, findings)
    report_repeated_numbers(number_keys, rows, findings)
    report_unknown_fields(body, _NAMES, findings)
    return ParsedManifest(
        mawb=mawb,
        country=country,
        flight=flight,
        guides=rows,
        transport_mode=transport_mode,
        arrival_day=day,
        **findings.to_fields(),
    )


def _read_own_fields(body: Mapping[str, object], refusing: Refusing) -> tuple[str, FlightFields, list[object]]:
    """The MAWB, the flight, and the guides, which are not read yet and of which there is one at least.

    Refuses every invalid field at once; raises it if there are no guides to read.
    """
    flight, problems = flights.read_flight(body)
    sent, guides = body.get("mawb"), body.get("guides")
    mawb = normal_mawb(sent) if isinstance(sent, str) or (isinstance(sent, int) and 0 < sent < 10**12) else None
    no_guides = _guides_problem(guides)
    details = {**({} if mawb else {"mawb": [_NO_MAWB]}), **problems, **no_guides}
    refusal = ValidationFailed(details=details)
    if details:
        refusing.refuse(refusal)
    if no_guides or not isinstance(guides, list):
        raise refusal
    return mawb or "", flight, guides


_NO_MAWB: str = Translatable("Send the MAWB, such as 123-12345675: three digits, then eight.")


def _guides_problem(guides: object) -> dict[str, list[str]]:
    if not isinstance(guides, list) or not guides:
        return {"guides": [Translatable("Send an array with at least one guide.")]}
    if len(guides) > MAX_GUIDES:
        return {"guides": [Translatable("Send at most %(most)s guides in one manifest.", most=f"{MAX_GUIDES:,}")]}
    return {}
