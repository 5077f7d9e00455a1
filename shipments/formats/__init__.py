"""Workbook formats of companies: using them, publishing versions, files, kept tests and alarms."""
