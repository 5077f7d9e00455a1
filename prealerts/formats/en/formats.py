"""Times as the desk shows them: an hour means nothing without its zone."""

DATETIME_FORMAT = r"Y-m-d H:i \U\T\C"
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
