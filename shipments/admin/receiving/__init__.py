"""The warehouse: a page for a phone that receives parcels, and what is printed."""
