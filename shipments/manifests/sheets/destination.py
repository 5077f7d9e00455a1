"""The destination country of a workbook: the one its labels give, else the only possible one, else an error."""

from collections.abc import Sequence
from dataclasses import dataclass

from shipments.errors import DestinationUnresolved
from shipments.manifests.cells import tokens
from shipments.manifests.documents import check_rut
from shipments.manifests.manifest import Notice
from shipments.manifests.reason import Reason
from shipments.manifests.sheets.surveys import Survey
from shipments.manifests.words.spelling import fold

_LONGEST_QUOTED = 80
_ADVICE = "Send destination_airport with the upload, or write the airport's code beside the label, such as SCL."
_TAX_IDS_ELSEWHERE = tokens("cdi cnpj cpf cuil cuit curp nit rfc rif ruc")
"""Other countries' names for the number that Chile calls RUT."""
_RUT = tokens("run rut")


@dataclass(frozen=True, slots=True)
class ChosenDestination:
    """country: alpha-2; it may not have a format. notices: how the country was chosen if not stated."""

    country: str
    notices: tuple[Notice, ...] = ()


def destination_of(survey: Survey, possible: Sequence[str]) -> ChosenDestination:
    """The destination country of a workbook whose form does not give one.

    possible: the countries with a format to which the company may ship.
    Raises DestinationUnresolved, quoting the text, when a labelled destination cannot be read or several disagree; and
    when none is labelled, if the headings suggest another country or several countries are possible.
    """
    stated = survey.destination
    if len(stated.countries) > 1:
        quoted = " and ".join(repr(text[:_LONGEST_QUOTED]) for text in stated.quoted[:3])
        raise DestinationUnresolved(f"The workbook names destinations in more than one country: {quoted}. {_ADVICE}")
    if stated.countries:
        return ChosenDestination(stated.countries[0])
    if stated.unread:
        raise DestinationUnresolved(
            f"The workbook's destination, {stated.unread[0][:_LONGEST_QUOTED]!r}, is not a place we can read. {_ADVICE}"
        )
    heading = _document_elsewhere(survey)
    if heading:
        raise DestinationUnresolved(
            f"The workbook does not say its destination, and its column {heading[:_LONGEST_QUOTED]!r} holds another "
            f"country's tax numbers. {_ADVICE}"
        )
    if len(possible) != 1:
        raise DestinationUnresolved(f"The workbook does not say its destination. {_ADVICE}")
    return ChosenDestination(possible[0], (_assumed(possible[0]),))


def _document_elsewhere(survey: Survey) -> str:
    """The consignee document heading, if it names another country's document and the values are not RUTs."""
    for sheet in survey.sheets:
        for table in sheet.guide_tables():
            column = table.columns.single.get("consignee_document")
            words = frozenset(fold(table.heading(column))) if column is not None else frozenset()
            if (
                column is not None
                and words & _TAX_IDS_ELSEWHERE
                and not words & _RUT
                and not _are_ruts(table.documents)
            ):
                return table.heading(column)
    return ""


def _are_ruts(documents: Sequence[str]) -> bool:
    """Whether most of these have a RUT's check digit."""
    return sum(not check_rut(text).problem for text in documents) * 2 > len(documents)


def _assumed(country: str) -> Notice:
    return Notice("destination_assumed", Reason("destination_assumed", {"country": country}))
