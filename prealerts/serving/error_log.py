"""gunicorn's log without its access line."""

from typing import Any

from gunicorn.glogging import Logger


class ErrorLog(Logger):  # type: ignore[misc]  # untyped in its library
    """gunicorn's own composes an access line for every request if it has a `logconfig_dict`, and drops it if nothing
    wants it: 3 % of the samples of a busy worker (decision 0027). The application writes its own line.
    """

    def access(self, *_request_and_response: Any) -> None:  # noqa: ANN401  # gunicorn's objects
        """Write nothing."""
