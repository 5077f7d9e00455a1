"""Formats of the admin: as in English, with a decimal comma."""

MONTH_DAY_FORMAT = "j b"
DATE_FORMAT = "j b Y"
SHORT_DATE_FORMAT = DATE_FORMAT
DATETIME_FORMAT = "j b Y H:i T"
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
THOUSAND_SEPARATOR = "\u202f"
