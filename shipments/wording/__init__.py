"""Findings in words, from one catalogue: English for the API, the operator's language for the admin."""
