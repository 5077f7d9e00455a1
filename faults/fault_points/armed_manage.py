"""`python -m faults.fault_points.armed_manage COMMAND`: manage.py with the fault points of commands."""

import os
import sys

import django
from django.core.management import execute_from_command_line

from faults.environment import clock
from faults.fault_points import points

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()
    clock.mend_sleep()
    points.install("advance", "dispatch")
    execute_from_command_line(["manage.py", *sys.argv[1:]])
