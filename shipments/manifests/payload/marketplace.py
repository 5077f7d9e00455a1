"""The marketplace rule: its own client must send two identifiers with every guide, and other clients must not."""

from collections.abc import Mapping

from shipments.manifests.countries.rules import Finding
from shipments.manifests.findings import MAX_REPORTED
from shipments.manifests.manifest import ParsedManifest, Reason
from shipments.manifests.payload.row_findings import InvalidRow

MARKETPLACE_KEYS = ("marketplace_cop_no", "marketplace_waybill")
"""Keys of `extra_data` that identify a guide in the marketplace's own system."""


def marketplace_problems(manifest: ParsedManifest, *, is_marketplace: bool) -> tuple[list[InvalidRow], int]:
    """Rows that break the marketplace rule: the first `MAX_REPORTED` as entries of `invalid_rows`, and the total.

    is_marketplace: whether the manifest's owner is the marketplace's client. If so, each row needs both identifiers, as
    a non-blank string or a whole number. For any other client, a row that carries either is a problem.
    """
    problems: list[InvalidRow] = []
    total = 0
    for guide in manifest.guides:
        for key in MARKETPLACE_KEYS:
            finding = _missing(guide.extra_data, key) if is_marketplace else _foreign(guide.extra_data, key)
            total += finding is not None
            if finding and len(problems) < MAX_REPORTED:
                problems.append(InvalidRow(guide.row_index, guide.hawb, finding))
    return problems, total


def _missing(extra_data: Mapping[str, object], key: str) -> Finding | None:
    value = extra_data.get(key)
    if (isinstance(value, str) and value.strip()) or type(value) is int:
        return None
    return Finding(f"extra_data.{key}", "required", Reason("marketplace_identifier_required"))


def _foreign(extra_data: Mapping[str, object], key: str) -> Finding | None:
    value = extra_data.get(key)
    is_empty = not value.strip() if isinstance(value, str) else value in (None, [], {})
    return (
        None if is_empty else Finding(f"extra_data.{key}", "not_allowed", Reason("marketplace_identifier_not_allowed"))
    )
