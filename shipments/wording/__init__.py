"""Findings in words, from one catalogue, in the language of whoever reads them: client or operator."""
