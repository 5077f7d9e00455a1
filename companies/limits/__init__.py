"""Rate limits: one bucket of tokens a company, which every request with its password draws on."""

MAX_REQUESTS_PER_SECOND = 10_000
"""The highest limit that can be set, for a company or for the installation."""
