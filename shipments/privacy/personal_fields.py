"""The personal fields of a guide, and their values once the guide is anonymised.

Personal are the consignee's identity and address, the parcel's content and value, the sender, and all free text. What
is kept describes what happened to the parcel: HAWB, tracking code, MAWB, status and events, weight and packages, the
platform (a marketplace's name) and the retention flag. The API's types do not change: text is empty, and numbers are
null like unknown ones. `manifests/guide_fields.py` marks which fields of a manifest are personal.
"""

from collections.abc import Mapping

from shipments.manifests.guide_fields import PERSONAL_VALUES

_NOTES: Mapping[str, object] = {
    "needs_review": False,  # nothing is left to review
    "review_reasons": [],  # describe what was wrong with the document
    "retention_reason": "",  # reveals that the value was above a limit
    "retention_lifted_reason": "",  # free text
}
"""Notes about the guide. Who reviewed it or lifted its retention, and when, is kept: it concerns operators."""

BLANK: Mapping[str, object] = {**PERSONAL_VALUES, **_NOTES}
"""Column -> its value in an anonymised guide."""
