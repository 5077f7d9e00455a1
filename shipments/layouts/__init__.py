"""What people have said of the layouts of companies' workbooks, and how it enters their reading."""
