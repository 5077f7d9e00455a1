"""The last resort of an operator without app and codes, where no administrator can help."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from companies.operators.second_factor import reset


class Command(BaseCommand):
    help = "Forget an operator's second factor: the next login with the password sets up a new one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="USERNAME", help="The operator's user name.")

    def handle(self, *args: Any, **options: Any) -> None:
        username = options["username"]
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no user {username}.")
        if reset(user):
            self.stdout.write(f"The second factor of {username} is forgotten; the next login sets up a new one.")
        else:
            self.stdout.write(f"{username} had no second factor; nothing changed.")
