"""People's data: found, told, and erased when its time is over. docs/privacy.md is for those who have to answer."""
