"""The formats that a company's uploads are compared with."""

from collections.abc import Sequence

from companies.models import Company
from shipments.manifests.mapped.spec import FormatInUse, from_json
from shipments.models import WorkbookFormat


def formats_in_use(company: Company) -> Sequence[FormatInUse]:
    """The versions in use, in one query. An upload reads them once, so that it ends with what it began with."""
    rows = WorkbookFormat.objects.reading(company).values_list(
        "in_use", "name", "in_use__number", "in_use__spec", "is_only"
    )
    return [FormatInUse(reference, name, number, from_json(spec), only) for reference, name, number, spec, only in rows]


def format_countries(company: Company) -> set[str]:
    """The countries for which the company has a format in use."""
    return set(WorkbookFormat.objects.reading(company).order_by().values_list("country", flat=True).distinct())
