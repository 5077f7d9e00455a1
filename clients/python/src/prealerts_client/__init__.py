"""A client of the Pre-Alerts API, and a verifier of its webhooks (`prealerts_client.webhooks`)."""

from prealerts_client.client import Client
from prealerts_client.errors import ApiError, NotFound, PreAlertsError, Unavailable
from prealerts_client.following import Change

__all__ = ["ApiError", "Change", "Client", "NotFound", "PreAlertsError", "Unavailable"]
