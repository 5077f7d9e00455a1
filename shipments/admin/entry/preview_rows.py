"""The guides of a manifest that is not stored yet, those with problems first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shipments.admin.columns import plain_number
from shipments.manifests.manifest import GuideRow, ParsedManifest
from shipments.wording.rendering import in_words, reason_in_words


class PreviewRow(NamedTuple):
    """A guide as it was read.

    problems: why it would be reviewed or retained, and what could not be read. notices: what was noticed besides.
    """

    guide: GuideRow
    problems: Sequence[str]
    notices: Sequence[str]

    @property
    def weight_kg(self) -> str:
        """Return the weight as operators read it."""
        return plain_number(self.guide.weight_kg)

    @property
    def rank(self) -> int:
        """Return 0 for a guide with problems, 1 for one with notices, 2 for the others."""
        return 0 if self.problems else 1 if self.notices else 2


def preview_rows(parsed: ParsedManifest) -> list[PreviewRow]:
    """Return all guides in the order of the file, those with problems before those with notices before the others."""
    # By HAWB: a guide may have several rows of the file, and sheets repeat the numbers of rows.
    warnings: Mapping[str, list[str]] = defaultdict(list)
    for warning in parsed.warnings:
        warnings[warning.hawb].append(in_words(warning.reason.sentence, warning.reason.params, is_created=False))
    notices: Mapping[str, list[str]] = defaultdict(list)
    for notice in parsed.notices:
        if notice.hawb:
            notices[notice.hawb].append(in_words(notice.reason.sentence, notice.reason.params, is_created=False))
    rows = [
        PreviewRow(guide, warnings.get(guide.hawb) or _flags(guide), notices.get(guide.hawb, ()))
        for guide in parsed.guides
    ]
    return sorted(rows, key=lambda row: row.rank)


def _flags(guide: GuideRow) -> list[str]:
    """Return the reasons for a review or a retention, which hold for guides whose warnings are not reported too."""
    reasons = [*guide.review_reasons, *([guide.retention_reason] if guide.retention_reason else [])]
    return [reason_in_words(reason) for reason in reasons]
