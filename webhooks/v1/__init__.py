"""What clients do for themselves: subscribe, look into the log, replay. `/api/public/pre-alerts/v1/webhooks/`."""
