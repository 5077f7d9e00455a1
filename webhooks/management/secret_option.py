"""The option `--secret`: from standard input, or on the command line, which the process list shows."""

import ctypes
import getpass
import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import CommandError

from webhooks.subscriptions import MAX_SECRET_LENGTH

FROM_STANDARD_INPUT = "-"
_ARG_START, _ARG_END = 45, 46  # proc(5): fields 48 and 49 of stat, counted from the state, the third


def add_secret_option(
    parser: ArgumentParser, name: str = "--secret", what: str = "The other side's own secret; default: generate one."
) -> None:
    parser.add_argument(
        name,
        metavar="S",
        type=_taken,
        help=f"{what} With - it is read from standard input, where neither the process list nor the shell's history "
        "shows it.",
    )


def _taken(argument: str) -> str:
    if argument == FROM_STANDARD_INPUT:
        return _from_standard_input()
    blank_in_process_list(argument)
    return argument


def _from_standard_input() -> str:
    """Read the secret without its final line break; on a terminal, prompt for it without echo."""
    try:
        if sys.stdin.isatty():
            return getpass.getpass("Secret: ")
        text = sys.stdin.read(MAX_SECRET_LENGTH + 2)  # enough to notice a line break and one character too many
    except (AttributeError, EOFError, OSError, UnicodeDecodeError):  # closed or not text
        raise CommandError("--secret: standard input has no text.") from None
    return text.removesuffix("\n").removesuffix("\r")


def blank_in_process_list(argument: str) -> None:
    """Overwrite `argument` in this process's command line, which every user of the machine can read.

    It was readable until now, and the shell's history keeps it. Does nothing on systems without /proc.
    """
    try:
        fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return
    start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
    secret = argument.encode(errors="surrogateescape")
    if start and secret:
        line = ctypes.string_at(start, end - start)
        ctypes.memmove(start, line.replace(secret, b"x" * len(secret)), len(line))
