"""Formats of the admin: every time is shown with its time zone, and thousands have a dot, as in Chile and Argentina."""

DATETIME_FORMAT = "Y-m-d H:i T"
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
THOUSAND_SEPARATOR = "."
