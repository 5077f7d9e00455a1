"""Backups: one file with the database and the received files, and its way back."""
