"""To which country a workbook goes: what its labels say, else the one country it can be, else a refusal."""

from collections.abc import Sequence
from dataclasses import dataclass

from shipments.errors import DestinationUnresolved
from shipments.manifests.documents import check_rut
from shipments.manifests.headings.guide_words import tokens
from shipments.manifests.headings.heading_spelling import fold
from shipments.manifests.manifest import Notice
from shipments.manifests.reason import Reason
from shipments.manifests.workbook.layout import Survey

_LONGEST_QUOTED = 80
_ADVICE = "Send destination_airport with the upload, or write the airport's code beside the label, such as SCL."
_TAX_IDS_ELSEWHERE = tokens("cdi cnpj cpf cuil cuit curp nit rfc rif ruc")
"""What other countries call the number that Chile calls RUT."""
_RUT = tokens("run rut")


@dataclass(frozen=True, slots=True)
class Destination:
    """country: alpha-2, perhaps of a country without a format. notices: how it was settled, where nothing says it."""

    country: str
    notices: tuple[Notice, ...] = ()


def destination_of(survey: Survey, possible: Sequence[str]) -> Destination:
    """The country of a workbook whose form does not tell the destination.

    possible: the countries with a format to which the company may ship.
    Raises DestinationUnresolved, quoting what stands there, for a labelled destination that cannot be read or several
    that disagree; and where none is labelled, when the headings speak of another country or several are possible.
    """
    told = survey.destination
    if len(told.countries) > 1:
        quoted = " and ".join(repr(text[:_LONGEST_QUOTED]) for text in told.quoted[:3])
        raise DestinationUnresolved(f"The workbook names destinations in more than one country: {quoted}. {_ADVICE}")
    if told.countries:
        return Destination(told.countries[0])
    if told.unread:
        raise DestinationUnresolved(
            f"The workbook's destination, {told.unread[0][:_LONGEST_QUOTED]!r}, is not a place we can read. {_ADVICE}"
        )
    heading = _document_elsewhere(survey)
    if heading:
        raise DestinationUnresolved(
            f"The workbook does not say its destination, and its column {heading[:_LONGEST_QUOTED]!r} holds another "
            f"country's tax numbers. {_ADVICE}"
        )
    if len(possible) != 1:
        raise DestinationUnresolved(f"The workbook does not say its destination. {_ADVICE}")
    return Destination(possible[0], (_assumed(possible[0]),))


def _document_elsewhere(survey: Survey) -> str:
    """The heading of the consignees' documents where it names another country's, and their values are no RUTs."""
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
