"""Personal data: finding, reporting and erasing it. See docs/privacy.md for how to answer requests."""
