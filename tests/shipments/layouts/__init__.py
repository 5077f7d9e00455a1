"""Layouts of companies' workbooks."""
