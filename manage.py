#!/usr/bin/env python
"""The one command of the people who run the service: migrations, companies, statuses, upkeep."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

from prealerts.version import VERSION

if __name__ == "__main__":
    gc.set_threshold(10_000, 20, 20)  # as in gunicorn.conf.py: what is loaded stays, and takes a tenth less time
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    if sys.argv[1:] in (["version"], ["--version"]):  # Django would tell its own
        sys.stdout.write(f"{VERSION}\n")
        sys.exit()
    execute_from_command_line(sys.argv)
