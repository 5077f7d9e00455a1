"""Which fields of a guide belong to a person, and what stands in them once they are blanked.

The rule: who the consignee is and where, what is in the parcel, what it is worth, who sent it, and every free text.
What stays says what happened to a parcel: HAWB, tracking code, MAWB, status and events, weight and packages, the
platform (a marketplace's name), the flag of a retention. The API's types hold: text is empty, numbers are null, as
unknown ones are.
"""

from collections.abc import Mapping, Sequence

CONSIGNEE: Sequence[str] = (
    "consignee_name", "consignee_document_type", "consignee_document", "consignee_address", "consignee_city",
    "consignee_region", "consignee_postal_code", "consignee_phone", "consignee_email",
)  # fmt: skip
"""Who, and where. City and region too: with a HAWB's date they single people out in small places."""

PARCEL: Sequence[str] = (
    "shipper_name",  # private people send gifts, and a seller's name tells what was bought
    "description_original",
    "hs_code",  # the description in numbers
    "product_value",
    "fob_usd",
    "category",  # Peru's category is a band of the value
    "products",
    "extra_data",  # whatever the client chose to send; nobody can vouch for it
)
"""What came, from whom, and its worth."""

NOTES: Sequence[str] = (
    "needs_review",  # nothing is left to look at
    "review_reasons",  # say what was wrong with the document
    "retention_reason",  # says that the value was above a limit
    "retention_lifted_reason",  # free text
)
"""What was written about it. Who reviewed or lifted, and when, stays: that is about operators' acts."""

_NOT_TEXT: Mapping[str, object] = {
    "product_value": None,
    "fob_usd": None,
    "category": None,
    "products": [],
    "extra_data": {},
    "review_reasons": [],
    "needs_review": False,
}

BLANK: Mapping[str, object] = {name: _NOT_TEXT.get(name, "") for name in (*CONSIGNEE, *PARCEL, *NOTES)}
"""Column -> what an anonymised guide has in it."""
