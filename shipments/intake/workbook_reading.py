"""Reading an uploaded workbook, where the company's workbooks for its destination are read."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from base.errors import DomainError, Translatable
from companies.countries import SERVED
from companies.errors import CountryNotAllowed
from companies.models import Company
from shipments.carriers.guides import number_keys
from shipments.errors import CuredByAnswer, MawbNotFoundInFile, NoParserForFormat, ParserBusy
from shipments.instruments import PARSE_SECONDS
from shipments.layouts.reading import (
    Choice,
    change_of,
    changes_noticed,
    choose,
    layouts_of,
    record,
    workbook_countries,
)
from shipments.manifests import destinations
from shipments.manifests.cells import Workbook
from shipments.manifests.findings import REFUSING, Refusing
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest, Reason, SeenLayout
from shipments.manifests.sheets.answers import Told
from shipments.manifests.sheets.flight import ChosenDestination, destination_of
from shipments.manifests.sheets.layouts import derive_layout, exact_fields, headings_in, names_in
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from shipments.manifests.sheets.surveys import Survey
from shipments.manifests.xlsx import opening
from shipments.manifests.xlsx.workbook_package import check_package
from shipments.models import Layout


@dataclass(frozen=True, slots=True)
class ReadWorkbook:
    """parsed: the manifest. layout: of the workbook; None for JSON, and for one that nothing is remembered of."""

    parsed: ParsedManifest
    layout: Layout | None = None


def read_workbook(
    company: Company,
    path: Path,
    form: FlightFields,
    notices: Sequence[Notice] = (),
    *,
    wait_seconds: float = 30,
    is_upload: bool = True,
    received_at: datetime | None = None,
) -> ReadWorkbook:
    """Read the manifest of `company`, and remember its layout, also of a workbook that is refused.

    form: the flight as the form gives it. notices: on the form. wait_seconds: how long to wait for a slot to read it.
    is_upload: false for what an operator enters for the company. received_at: when it came; now, unless given.

    A workbook is read by what was told of its layout, the rest by the words of its headings. That is for the countries
    of `Company.read_by_headings`; for others the layout must be confirmed. Raises as `receive_upload` says.
    """
    reading = WorkbookReading(company, form, notices=notices, is_remembered=True, received_at=received_at)
    for_company = company.pk if is_upload else None
    with reading.open(path, for_company, wait_seconds, is_upload=is_upload, observe=PARSE_SECONDS.observe) as book:
        return reading.read(book)


def check_upload(company: Company, path: Path, form: FlightFields) -> None:
    """Check the destination, if the form gives it, and that the file is a workbook at all, which needs no slot.

    Raises `NoParserForFormat`, `CountryNotAllowed`, `WorkbookUnreadable`.
    """
    reading = WorkbookReading(company, form)
    if reading.not_read:
        with suppress(ParserBusy):
            read_workbook(company, path, form)  # remembers the layout, and raises the same
        raise reading.not_read
    check_package(path)


@dataclass
class WorkbookReading:
    """One reading of a workbook of `company`.

    form, notices: as in `read_workbook`. refusing: an upload's or a trial's. told: what to read by in place of what was
    told. is_remembered: whether the layout is recorded. assumed_country: the destination of a workbook that does not
    say it; empty: the only one that it can be. received_at: as in `read_workbook`.
    survey, layout: the tables that were found, and the layout they have; also there after a refusal, as far as the
    reading came. not_read: the refusal of a country whose workbooks are not read, if only its headings are to be seen.

    To make one raises `NoParserForFormat`, `CountryNotAllowed`.
    """

    company: Company
    form: FlightFields
    notices: Sequence[Notice] = ()
    refusing: Refusing = REFUSING
    told: Told | None = None
    _: KW_ONLY
    is_remembered: bool = False
    assumed_country: str = ""
    received_at: datetime | None = None
    survey: Survey | None = field(default=None, init=False)
    layout: Layout | None = field(default=None, init=False)
    not_read: NoParserForFormat | None = field(default=None, init=False)
    _is_country_refused: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._layouts = layouts_of(self.company)
        self._country = destinations.airport_country(self.form.destination_airport) or ""
        if self.form.destination_airport:
            self._require_known(self._country)

    @contextmanager
    def open(
        self,
        path: Path,
        for_company: int | None = None,
        wait_seconds: float = 30,
        **options: Any,  # noqa: ANN401
    ) -> Iterator[Workbook]:
        """Give the open workbook. All arguments are those of `opening.reading`.

        A refusal, also one in the block, knows what was found of the workbook. That the country is not read comes
        before what is wrong with the file.
        """
        try:
            with opening.reading(path, for_company=for_company, wait_seconds=wait_seconds, **options) as book:
                yield book
        except ParserBusy:
            raise
        except DomainError as found:
            refusal = self.not_read or found
            refusal.unknown_headings = self.survey.unknown_headings if self.survey else ()
            with suppress(MawbNotFoundInFile):  # none or several
                refusal.mawb = self.survey.labelled.mawb() if self.survey else ""
            if isinstance(refusal, CuredByAnswer):
                refusal.layout = self.layout
            raise refusal from None

    def read(self, book: Workbook) -> ReadWorkbook:
        """Read the open workbook. Raises as `receive_upload` says, once it is open."""
        choice = self._choice([*headings_in(book)] if self._layouts else [], self._country)
        surveyed = self.survey = survey(book, choice.told)
        possible = [self.assumed_country] if self.assumed_country else workbook_countries(self.company, self._layouts)
        destination = ChosenDestination(self._country) if self._country else destination_of(surveyed, possible)
        country = destination.country
        self._require_known(country, next(iter(surveyed.destination.quoted), ""))
        first, choice = choice, self._choice([names_in(surveyed)], country)
        if choice.told != first.told:  # of several tables, or of layouts for several countries
            surveyed = self.survey = survey(book, choice.told)
        seen = derive_layout(surveyed)
        refusal = change_of(choice, seen, exact_fields(surveyed)) if seen and self.told is None else None
        self.layout = choice.layout
        if seen and self.is_remembered and not self._is_country_refused:
            self.layout = record(self.company, country, seen, choice, is_refused=refusal is not None)
        if not choice.is_confirmed and country not in self.company.read_by_headings and self.told is None:
            raise NoParserForFormat(country=country)
        if refusal:
            self.refusing.refuse(refusal)
        notices = (*self.notices, *destination.notices, *surveyed.notices, *self._about(choice, seen))
        surveyed = replace(surveyed, notices=notices)
        keys = number_keys(country)
        usual, received_at = choice.usual(), self.received_at
        parsed = read_survey(country, surveyed, self.form, self.refusing, keys, usual, seen, received_at)
        return ReadWorkbook(parsed, self.layout)

    def _choice(self, headings: Sequence[Collection[str]], country: str) -> Choice:
        choice = choose(self._layouts, headings, country)
        return choice if self.told is None else replace(choice, told=self.told)

    def _about(self, choice: Choice, seen: SeenLayout | None) -> Iterator[Notice]:
        """What is to be known of the layout."""
        if seen and self.told is None:
            yield from changes_noticed(choice, seen)
        is_new = self.layout is None and self.told is None  # a trial remembers no layout
        if seen and seen.questions and (is_new or (self.layout and not self.layout.confirmed_at)):
            params = {"layout": str(self.layout.pk)} if self.layout else {}
            yield Notice("layout_not_confirmed", Reason("layout_not_confirmed", params))

    def _require_known(self, country: str, quoted: str = "") -> None:
        """Check that the company's workbooks for a country may be read. quoted: the cell that names it.

        Raises `NoParserForFormat` first, even for a country the company may not ship to; then `CountryNotAllowed`. For
        a country that it serves, the workbook is still looked at: its layout may be confirmed, or will be.
        """
        is_confirmed = any(layout.country == country and layout.confirmed_at for layout in self._layouts)
        if country not in self.company.read_by_headings and not is_confirmed and self.told is None:
            self.not_read = NoParserForFormat(_why_not_served(country, quoted), country=country or None)
            if country not in SERVED or country not in self.company.allowed_countries:
                raise self.not_read
        if self._is_country_refused:
            return
        try:
            self.company.require_country(country)
        except CountryNotAllowed as refusal:  # a trial keeps it, once, and reads on
            self._is_country_refused = True
            self.refusing.refuse(refusal)


def _why_not_served(country: str, quoted: str) -> str:
    """The sentence for a country that JSON does not serve either; empty, for the usual one, where it does."""
    if not country or country in SERVED:
        return ""
    if quoted:
        return Translatable(
            "This destination, %(country)s (read from %(quoted)s), is not served, neither by workbook nor by JSON. "
            "Served: %(served)s.",
            country=country,
            quoted=quoted,
            served=", ".join(SERVED),
        )
    return Translatable(
        "This destination, %(country)s, is not served, neither by workbook nor by JSON. Served: %(served)s.",
        country=country,
        served=", ".join(SERVED),
    )
