"""Date formats of the admin: every time is shown with its time zone."""

DATETIME_FORMAT = "Y-m-d H:i T"
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
