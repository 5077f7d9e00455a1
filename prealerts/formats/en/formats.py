"""Date formats of the admin: every time is shown with its time zone."""

DATETIME_FORMAT = r"Y-m-d H:i \U\T\C"
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
