"""Subscriptions and the delivery log in the admin."""

from webhooks.admin import delivery_admin, subscription_admin  # noqa: F401  # autodiscovery imports this package alone
