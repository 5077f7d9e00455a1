"""Lines of the log, in the style of a console as in JSON."""

import logging

import pytest

from prealerts import logs


@pytest.mark.parametrize("style", ["console", "json"])
def test_an_exception_is_logged_by_its_type_and_frames_but_without_its_message(style: str) -> None:
    try:
        int("Ana Rojas 12345678-5")
    except ValueError as error:
        raised = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "broken", (), raised)
    line = logs.formatter(style).format(record)
    assert "broken" in line
    assert "ValueError" in line
    assert "test_logs.py" in line
    assert "Rojas" not in line
