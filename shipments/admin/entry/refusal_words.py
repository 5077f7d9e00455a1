"""What an operator reads when a client's manifest is refused: what is wrong, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from companies.errors import DomainError
from shipments.wording.refusals import ANY, ASK_FOR_A_FORMAT, HELPED_BY_A_FORMAT, REFUSALS, Text, key_of
from shipments.wording.stored import answered_rows

_SHOWN_ROWS = 100


class ShownRefusal(NamedTuple):
    """A refusal in words.

    title: what is wrong. remedies: what to do, one sentence each. detail: the API's own sentence, in English.
    manifest_id: of the manifest that has the MAWB already. fields: field -> messages. rows: invalid guides; more: how
    many problems are not among them.
    """

    title: Text
    remedies: Sequence[Text]
    detail: str
    manifest_id: str
    fields: Mapping[str, Sequence[str]]
    rows: Sequence[Any]
    more: int


def shown_refusal(refusal: DomainError) -> ShownRefusal:
    """Return the refusal of a manifest as operators read it."""
    key = key_of(refusal)
    words = REFUSALS.get(key, ANY)
    remedies = [words.operator, ASK_FOR_A_FORMAT] if key in HELPED_BY_A_FORMAT else [words.operator]
    invalid: Any = refusal.extras.get("invalid_rows", ())
    rows = answered_rows(invalid[:_SHOWN_ROWS])
    total: Any = refusal.extras.get("invalid_rows_total", len(rows))
    own = {name: messages for name, messages in refusal.details.items() if messages != [refusal.message]}
    manifest_id = str(refusal.extras.get("manifest_id", ""))
    detail = "" if manifest_id else refusal.message
    return ShownRefusal(words.what, remedies, detail, manifest_id, own, rows, max(0, total - len(rows)))
