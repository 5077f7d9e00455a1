"""Findings in words, from one catalogue, in the language of the reader: client or operator."""
