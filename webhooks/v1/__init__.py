"""The API in which clients manage webhooks: `/api/public/pre-alerts/v1/webhooks/`."""
