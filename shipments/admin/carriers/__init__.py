"""Carriers in the admin: who sends, what their codes mean, what waits, what arrived."""

from shipments.admin.carriers import carriers_admin, codes_admin, events_admin  # noqa: F401  # registers the pages
