"""One search for everything, in the header of every page of the admin."""
