"""Searching the lists of the admin: by codes, names, flights, and pasted lists."""
