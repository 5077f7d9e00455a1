"""What a checkout answers, reads and shows, as text: `python -m tools.recordings DIRECTORY`.

Record before and after a change that must change nothing, and compare the two directories with `diff -r`. Two runs of
one checkout are equal: the database is new, the clock stands still, and what is drawn at random is drawn from a seed.
"""

import json
import logging
import os
import random
import sys
from argparse import ArgumentParser
from itertools import count
from pathlib import Path

import tests.environment  # noqa: F401  # invented secrets; imported before the settings, because it writes the environment

_dice, _keys = random.Random(0), count()  # noqa: S311  # the same draws again


def draw(size: int) -> bytes:
    """Return `size` bytes; those of a UUID begin with their number, so that rows are in the order of their creation."""
    drawn = _dice.randbytes(size)
    return next(_keys).to_bytes(6, "big") + drawn[6:] if size == 16 else drawn


def main() -> None:
    parser = ArgumentParser("python -m tools.recordings", description=__doc__)
    parser.add_argument("directory", type=Path, help="New, or of an earlier run, whose recordings are replaced.")
    directory = parser.parse_args().directory
    directory.mkdir(parents=True, exist_ok=True)

    import django  # noqa: PLC0415  # once the environment is written, as all that follows

    django.setup()

    import time_machine  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415
    from django.contrib.auth.models import User  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.test.utils import setup_test_environment  # noqa: PLC0415

    from tools.recordings import addresses, month, workbooks  # noqa: PLC0415
    from tools.recordings.journal import BEGINNING  # noqa: PLC0415

    logging.disable(logging.CRITICAL)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    setup_test_environment()
    os.urandom = random._urandom = draw  # type: ignore[attr-defined]  # what ids and codes are drawn from
    with time_machine.travel(BEGINNING, tick=False) as clock:
        call_command("migrate", verbosity=0)
        operator = Client()
        operator.force_login(User.objects.create_superuser("reader"))
        for name in ("openapi", "operators"):
            text = json.dumps(operator.get(f"/docs/{name}.json").json(), ensure_ascii=False, indent=1)
            (directory / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        workbooks.record(directory)
        month.record(directory, clock)
        addresses.record(directory)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # so that sets have one order
        words = [sys.executable, "-m", "tools.recordings", *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, "PYTHONHASHSEED": "0"})  # noqa: S606  # itself
    os.environ["DJANGO_SETTINGS_MODULE"] = "prealerts.settings"
    main()
