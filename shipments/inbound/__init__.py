"""Inbound batches: what was announced against what arrived."""
