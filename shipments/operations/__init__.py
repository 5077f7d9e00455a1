"""Guides in the operators' API: looked at, moved up to 200 at once, their consignees corrected."""
