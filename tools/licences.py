"""The licences of what we run on, as the packages state them: docs/licences.md.

python -m tools.licences

writes the page anew; a test holds it against requirements.txt.
"""

import re
import sys
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==", re.MULTILINE)
_LONGEST = 60
_HEAD = """\
# Licences

What the service runs on (`requirements.txt`), and under which licence, as each package states it. Written by
`python -m tools.licences`; a test holds it.

| package | licence |
|---|---|
"""


def pinned() -> list[str]:
    """The packages of requirements.txt."""
    return sorted(_PINNED.findall((ROOT / "requirements.txt").read_text(encoding="utf-8")))


def licence_of(stated: PackageMetadata) -> str:
    """The licence in one line: the expression, else the classifiers, else the free text's beginning."""
    if "License-Expression" in stated:
        return stated["License-Expression"]
    classifiers = [
        each.rpartition(" :: ")[2] for each in stated.get_all("Classifier") or [] if each.startswith("License :: ")
    ]
    if named := [each for each in classifiers if each != "OSI Approved"]:
        return ", ".join(sorted(named))
    text = stated["License"].strip() if "License" in stated else ""
    return text.splitlines()[0][:_LONGEST] if text else "not stated"


def page() -> str:
    """The page as it has to stand."""
    return _HEAD + "".join(f"| {name} | {licence_of(metadata(name))} |\n" for name in pinned())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"Wrote {PAGE.relative_to(ROOT)}.\n")
