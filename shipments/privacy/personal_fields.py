"""Which fields of a guide belong to a person, and what they hold once they are blanked.

The rule: who the consignee is and where, what is in the parcel, what it is worth, who sent it, and every free text.
What stays says what happened to a parcel: HAWB, tracking code, MAWB, status and events, weight and packages, the
platform (a marketplace's name), the flag of a retention. The API's types hold: text is empty, numbers are null, as
unknown ones are. `manifests/guide_fields.py` says of each field that a manifest brings whether it is personal.
"""

from collections.abc import Mapping

from shipments.manifests.guide_fields import PERSONAL_VALUES

_NOTES: Mapping[str, object] = {
    "needs_review": False,  # nothing is left to look at
    "review_reasons": [],  # say what was wrong with the document
    "retention_reason": "",  # says that the value was above a limit
    "retention_lifted_reason": "",  # free text
}
"""What was written about it. Who reviewed or lifted, and when, stays: that is about operators' acts."""

BLANK: Mapping[str, object] = {**PERSONAL_VALUES, **_NOTES}
"""Column -> what an anonymised guide has in it."""
