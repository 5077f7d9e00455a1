"""Prometheus metrics. The metrics are defined where they are counted; this package collects and serves them."""
