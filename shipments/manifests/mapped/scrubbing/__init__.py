"""A sample with the people taken out of it, to be kept as a test."""
