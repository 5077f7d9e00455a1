"""What each client sent per week, and what came of it: a page with plots, and a workbook."""
