"""Providers in this process: a real one (oidc-provider-mock), and one that lies."""

from collections.abc import Iterator
from typing import Any

import oidc_provider_mock
import pytest
from django.core.cache import cache

from tests.companies.sso.logging_in import Provider
from tests.companies.sso.lying import CLIENT, SECRET, LyingProvider, lying_provider


@pytest.fixture(autouse=True)
def _nothing_is_known_of_a_provider() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def use(settings: Any, issuer: str) -> None:
    settings.OIDC_ISSUER = issuer
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
    settings.OIDC_ROLES = {"ops": "Operations", "readers": "Read-only", "ghosts": "No such role"}
    settings.OIDC_COUNTRIES = {"cl": ["CL"], "pe": ["PE", "XX"], "all": "all"}
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, "companies.sso.backend.SingleSignOn"]


@pytest.fixture(scope="session")
def running_provider() -> Iterator[Provider]:
    """A real provider, started once: that takes a second."""
    with oidc_provider_mock.run_server_in_thread() as server:
        yield Provider(f"http://127.0.0.1:{server.server_port}")


@pytest.fixture
def provider(settings: Any, running_provider: Provider) -> Provider:
    """A running identity provider, configured as this service's issuer."""
    use(settings, running_provider.issuer)
    return running_provider


@pytest.fixture
def liar(settings: Any) -> Iterator[LyingProvider]:
    with lying_provider() as provider:
        use(settings, provider.issuer)
        yield provider
