"""Tokens of the operators' API: a token says who asks, the database what they may."""
