"""Labels for operators in place of the contract's fixed values."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from shipments.statuses import GuideStatus, Source

STATUS_LABELS: dict[GuideStatus, str | Promise] = {
    GuideStatus.REGISTERED: _("Registered"),
    GuideStatus.CUSTOMS_PROCESSING: _("In customs"),
    GuideStatus.CUSTOMS_RELEASED: _("Released by customs"),
    GuideStatus.IN_TRANSIT: _("In transit"),
    GuideStatus.OUT_FOR_DELIVERY: _("Out for delivery"),
    GuideStatus.DELIVERED: _("Delivered"),
    GuideStatus.CUSTOMS_HELD: _("Held by customs"),
    GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED: _("Documents required by customs"),
    GuideStatus.CUSTOMS_DUTIES_PENDING: _("Duties to be paid"),
    GuideStatus.ON_HOLD: _("On hold"),
    GuideStatus.DELIVERY_FAILED: _("Delivery failed"),
    GuideStatus.RETURNING_TO_SENDER: _("Returning to sender"),
    GuideStatus.CUSTOMS_REJECTED: _("Rejected by customs"),
    GuideStatus.RETURNED: _("Returned"),
    GuideStatus.LOST: _("Lost"),
    GuideStatus.CANCELLED: _("Cancelled"),
}

SOURCE_LABELS: dict[Source, str | Promise] = {
    Source.PRE_ALERT: _("Pre-alert"),
    Source.CARRIER: _("Carrier"),
    Source.CUSTOMS: _("Customs"),
    Source.COURIER_SCAN: _("Courier scan"),
    Source.OPERATOR: _("Operator"),
}

CITY_LABELS: dict[str, str | Promise] = {
    "CL": pgettext_lazy("Chile", "city"),
    "PE": pgettext_lazy("Peru", "city"),
    "AR": pgettext_lazy("Argentina", "city"),
}
"""What the last line of an address is called where it is more than a city; elsewhere a city."""

TRANSPORT_LABELS: dict[str, str | Promise] = {"air": _("Air"), "ground": _("Ground")}

STATUS_CHOICES = [(status.value, label) for status, label in STATUS_LABELS.items()]
SOURCE_CHOICES = [(source.value, label) for source, label in SOURCE_LABELS.items()]
