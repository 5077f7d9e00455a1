"""The house's own layouts, one for each country: the template to fill in, and its format."""
