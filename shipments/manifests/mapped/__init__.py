"""Workbook formats of clients: which column of their own layout holds which field, as data."""
