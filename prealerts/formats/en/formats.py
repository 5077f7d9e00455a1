"""Formats of the admin: months are words, for in figures they are mistaken for days, and every time has its zone.

Thousands are apart by a narrow space: 1.588 is a thousand in Chile and Argentina, and one and a half in Peru.
"""

MONTH_DAY_FORMAT = "j M"
DATE_FORMAT = "j M Y"
SHORT_DATE_FORMAT = DATE_FORMAT
DATETIME_FORMAT = "j M Y H:i T"
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
THOUSAND_SEPARATOR = "\u202f"
