"""Reading an uploaded workbook: by one of the company's own formats, or by the words of its headings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from companies.countries import SERVED, SERVED_NAMES
from companies.errors import CountryNotAllowed, DomainError
from companies.models import Company
from shipments.errors import DestinationUnresolved, MawbNotFoundInFile, NoParserForFormat, WorkbookFormatChanged
from shipments.formats.alarms import raise_alarm
from shipments.formats.publishing import formats_in_use
from shipments.instruments import PARSE_SECONDS
from shipments.manifests import destinations
from shipments.manifests.cells import Workbook
from shipments.manifests.findings import REFUSING, Refusing
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest
from shipments.manifests.mapped.given import with_labels
from shipments.manifests.mapped.reading import format_changed, not_recognised, read_by, survey_by
from shipments.manifests.mapped.recognise import Match, Recognition, recognise
from shipments.manifests.mapped.spec import FormatInUse
from shipments.manifests.sheets import manifest_reader
from shipments.manifests.sheets.flight import ChosenDestination, destination_of
from shipments.manifests.sheets.survey import survey
from shipments.manifests.sheets.surveys import Survey
from shipments.manifests.xlsx import opening, parse_slots
from shipments.manifests.xlsx.workbook_package import check_package
from shipments.models import AlarmKind

_MOST_HEADINGS = 12


@dataclass(frozen=True, slots=True)
class ReadWorkbook:
    """parsed: the manifest. form: the format that read it; None for the reader of any layout.

    competing: headings of new columns that may be a field of the format.
    """

    parsed: ParsedManifest
    form: FormatInUse | None = None
    competing: Sequence[str] = ()


def read_workbook(
    company: Company, path: Path, form: FlightFields, notices: Sequence[Notice] = (), *, slot_seconds: float = 30
) -> ReadWorkbook:
    """Read the manifest of `company`.

    form: the flight as the form gives it. notices: on the form. slot_seconds: how long to wait for a slot to read it.

    A format whose headings are all there reads the workbook. One whose headings have changed refuses it; the workbook
    is then never read in another way. Without either, workbooks for Chile are read by the words of their headings.
    Raises as `upload.receive` says.
    """
    reading = checked_upload(company, path, form, notices)
    try:
        with parse_slots.parse_slot(slot_seconds), PARSE_SECONDS.time(), opening.reading(path) as book:
            read = reading.read(book)
    except WorkbookFormatChanged as refusal:
        raise_alarm(refusal.reference, AlarmKind.CHANGED, refusal.headings)
        refusal.unknown_headings, refusal.mawb = refusal.headings.get("new", ()), reading.mawb()
        raise
    except DomainError as refusal:
        refusal.unknown_headings = reading.survey.unknown_headings if reading.survey else ()
        refusal.mawb = reading.mawb()
        raise
    if read.form:
        _raise_alarms(read.form, read.parsed, read.competing)
    return read


def checked_upload(
    company: Company, path: Path, form: FlightFields, notices: Sequence[Notice] = ()
) -> "WorkbookReading":
    """Check what needs no slot: the destination, if the form gives it, and that the file is a workbook at all.

    A renamed PDF is refused at once, even under load. Raises `NoParserForFormat`, `CountryNotAllowed`,
    `WorkbookUnreadable`.
    """
    reading = WorkbookReading(company, form, notices=notices)
    check_package(path)
    return reading


def _raise_alarms(form: FormatInUse, parsed: ParsedManifest, competing: Sequence[str]) -> None:
    if competing:
        raise_alarm(form.reference, AlarmKind.COMPETES, {"new": competing})
    unlike = [notice.reason.sentence for notice in parsed.notices if notice.code == "values_unlike_format"]
    if unlike:
        raise_alarm(form.reference, AlarmKind.UNLIKE, {"values": unlike})


class WorkbookReading:
    """One reading of a workbook of `company`.

    survey, match: the tables and the format that were found. Both are also there after a refusal, as far as the reading
    came; match is None without a format.
    """

    def __init__(
        self,
        company: Company,
        form: FlightFields,
        known: Sequence[FormatInUse] | None = None,
        notices: Sequence[Notice] = (),
        refusing: Refusing = REFUSING,
    ) -> None:
        """form, notices: as in `read_workbook`. known: the formats to compare with; the company's own if None.
        refusing: an upload's or a trial's.

        Raises `NoParserForFormat`, `CountryNotAllowed`.
        """
        self.survey: Survey | None = None
        self.match: Match | None = None
        self._company = company
        self._form = form
        self._known = formats_in_use(company) if known is None else known
        self._notices = tuple(notices)
        self._refusing = refusing
        self._is_country_refused = False
        self._country = destinations.airport_country(form.destination_airport) or ""
        if form.destination_airport:
            self._require_reader(self._country)
            self._known = [each for each in self._known if each.spec.country == self._country]

    def read(self, book: Workbook) -> ReadWorkbook:
        """Read the open workbook. Raises as `upload.receive` says, once it is open."""
        found = recognise(book, self._known)
        if chosen := self._chosen(book, found):
            return self._by_format(*chosen)
        if found.changed and not found.full and (match := self._refused_as_changed(book, found.changed)):
            return self._by_format(match, survey_by(book, [match], self._refusing))
        return self._by_words(book)

    def mawb(self) -> str:
        """The MAWB that the workbook states, also after a refusal; empty if none or several are known."""
        try:
            return self.survey.labelled.mawb() if self.survey else ""
        except MawbNotFoundInFile:
            return ""

    # --- by a format ------------------------------------------------------------------------------------------------

    def _chosen(self, book: Workbook, found: Recognition) -> tuple[Match, Survey] | None:
        """The format to read by, or None. Raises `DestinationUnresolved` if formats of several countries fit."""
        if not found.full:
            return None
        surveyed = survey_by(book, found.full[0], self._refusing)
        countries = {matches[0].spec.country for matches in found.full}
        stated = surveyed.destination
        if not self._country and len(stated.countries) > 1:
            destination_of(surveyed, ())  # raises, quoting the destinations
        if not self._country and stated.countries:
            countries &= set(stated.countries)
        if not countries:
            return None
        if len(countries) > 1:
            named = " and ".join(sorted(countries))
            raise DestinationUnresolved(
                f"The workbook does not say its destination, and its layout is used for {named}. Send "
                "destination_airport with the upload."
            )
        matches = next(each for each in found.full if each[0].spec.country in countries)
        return matches[0], surveyed if matches is found.full[0] else survey_by(book, matches, self._refusing)

    def _by_format(self, match: Match, surveyed: Survey) -> ReadWorkbook:
        self.survey, self.match = surveyed, match
        self._require_country(match.spec.country)
        noticed = replace(surveyed, notices=(*self._notices, *surveyed.notices))
        parsed = read_by(match.spec, noticed, self._form, self._refusing)
        return ReadWorkbook(parsed, match.format, [text for text, _ in match.difference.competing])

    def _refused_as_changed(self, book: Workbook, changed: Sequence[Match]) -> Match | None:
        """Refuse a workbook that has a format changed, unless it names another country as its destination.

        In a trial, returns the format by whose remaining columns the guides are read. Without HAWBs there are none.
        """
        surveyed = survey(book)
        stated = () if self._country else surveyed.destination.countries
        for match in changed:
            if not set(stated) & set(SERVED) or match.spec.country in stated:
                self.match, self.survey = match, with_labels(surveyed, match, book)
                refusal = format_changed(match)
                self._refusing.refuse(refusal)
                if not match.has_hawbs():
                    raise refusal
                return match
        return None

    # --- by the words of its headings -------------------------------------------------------------------------------

    def _by_words(self, book: Workbook) -> ReadWorkbook:
        surveyed = self.survey = survey(book)
        destination = self._destination(surveyed)
        self._require_reader(destination.country)
        own = [each for each in self._known if each.spec.country == destination.country]
        if destination.country not in manifest_reader.UNIVERSAL or any(each.is_only for each in own):
            raise NoParserForFormat(_expected(own), country=destination.country)
        notices = [*self._notices, *destination.notices, *map(not_recognised, [each.name for each in own[:1]])]
        surveyed = replace(surveyed, notices=(*notices, *surveyed.notices))
        return ReadWorkbook(
            manifest_reader.read_survey(destination.country, surveyed, self._form, refusing=self._refusing)
        )

    def _destination(self, survey: Survey) -> ChosenDestination:
        """The form's destination, else the workbook's. Raises `DestinationUnresolved`."""
        if self._country:
            return ChosenDestination(self._country)
        readable = {*manifest_reader.UNIVERSAL, *(each.spec.country for each in self._known)}
        return destination_of(
            survey, [country for country in SERVED if country in readable & set(self._company.allowed_countries)]
        )

    # --- rights -----------------------------------------------------------------------------------------------------

    def _require_reader(self, country: str) -> None:
        """Check that the company's workbooks for a country can be read.

        Raises `NoParserForFormat` first, even for a country the company may not ship to; then `CountryNotAllowed`.
        """
        if country not in manifest_reader.UNIVERSAL and all(each.spec.country != country for each in self._known):
            raise NoParserForFormat(_not_served(country), country=country or None)
        self._require_country(country)

    def _require_country(self, country: str) -> None:
        """Raises `CountryNotAllowed`; a trial keeps it, once, and reads on."""
        if self._is_country_refused:
            return
        try:
            self._company.require_country(country)
        except CountryNotAllowed as refusal:
            self._is_country_refused = True
            self._refusing.refuse(refusal)


def _not_served(country: str) -> str:
    """The sentence for a country that JSON does not serve either; empty, for the usual one, where it does."""
    if not country or country in SERVED:
        return ""
    return f"This destination, {country}, is not served, neither by workbook nor by JSON. Served: {SERVED_NAMES}."


def _expected(own: Sequence[FormatInUse]) -> str:
    """What a workbook without any of these formats lacks."""
    stated = []
    for each in own:
        headings = [column.name() for column in each.spec.columns if column.required]
        named = ", ".join(f"“{heading}”" for heading in headings[:_MOST_HEADINGS])
        stated.append(f"{each.name!r} with the columns {named}")
    return f"The workbook has none of the formats agreed on. Expected: {'; '.join(stated)}."
