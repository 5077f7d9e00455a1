"""Whose bodies we understand: pure functions from a body to events in the shape of our own envelope."""
