"""The option `--secret`: from standard input, or on the command line, which the process list shows."""

import getpass
import sys
from argparse import ArgumentParser

from django.core.management.base import CommandError

from webhooks.subscriptions import MAX_SECRET_LENGTH


def add_secret_option(
    parser: ArgumentParser, name: str = "--secret", what: str = "The other side's own secret; default: generate one."
) -> None:
    parser.add_argument(
        name,
        metavar="S",
        type=_read_secret,
        help=f"{what} With - it is read from standard input, where neither the process list nor the shell's history "
        "shows it.",
    )


def _read_secret(argument: str) -> str:
    """Return the secret; `-` stands for standard input, without its final line break, or a prompt on a terminal."""
    if argument != "-":
        return argument
    try:
        if sys.stdin.isatty():
            return getpass.getpass("Secret: ")
        text = sys.stdin.read(MAX_SECRET_LENGTH + 2)  # enough to notice a line break and one character too many
    except (AttributeError, EOFError, OSError, UnicodeDecodeError):  # closed or not text
        raise CommandError("--secret: standard input has no text.") from None
    return text.removesuffix("\n").removesuffix("\r")
