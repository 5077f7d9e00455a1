"""A client of the Pre-Alerts API, and a verifier of its webhooks (`prealerts_client.webhooks`)."""

from prealerts_client.client import Client
from prealerts_client.errors import (
    ApiError,
    AuthenticationError,
    Conflict,
    NotFound,
    PreAlertsError,
    RateLimited,
    Unavailable,
    ValidationFailed,
)
from prealerts_client.following import Change
from prealerts_client.manifests import JsonGuide, JsonManifest, JsonProduct
from prealerts_client.transport import VERSION

__version__ = VERSION

__all__ = [
    "ApiError",
    "AuthenticationError",
    "Change",
    "Client",
    "Conflict",
    "JsonGuide",
    "JsonManifest",
    "JsonProduct",
    "NotFound",
    "PreAlertsError",
    "RateLimited",
    "Unavailable",
    "ValidationFailed",
    "__version__",
]
