"""What operators do to subscriptions and deliveries, as the activity log keeps it."""

from django.utils.translation import gettext_lazy as _

from companies.admin_base.activity import ActKind, act

REPLAYED = act("delivery_replayed", ActKind.SENT, _("Replayed."))
RESENT = act("delivery_resent", ActKind.SENT, _("Resent: %(reason)s"))
RANGE_REPLAYED = act("range_replayed", ActKind.SENT, _("Replayed deliveries: %(deliveries)s."))
TEST_SENT = act("test_sent", ActKind.SENT, _("A test event was sent."))
