"""The house's own layouts, one for each country: the templates to fill in."""
