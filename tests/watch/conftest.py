"""Receivers of webhooks, as the tests of their room have them."""

from tests.webhooks.conftest import authority, receivers, shared_database

__all__ = ["authority", "receivers", "shared_database"]
