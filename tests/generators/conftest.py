"""The running service of `tests/live`, for what generators make."""

from tests.live.conftest import companies, service

__all__ = ["companies", "service"]
