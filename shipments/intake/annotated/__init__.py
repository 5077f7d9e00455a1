"""A client's workbook with its problems: the cells as they were read, coloured and commented, and a list."""
