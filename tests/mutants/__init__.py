"""Mutants of the service, and which tests notice them."""
