"""How good are the tests? `map`, then `run`, then `report`; `draw` makes another list. CONTRIBUTING.md, "Mutants"."""

import json
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict

from tests.mutants.mutations import ROOT, Mutant, possible
from tests.mutants.plugin import LIST, PLACE, RESULTS

SEED, NUMBER = 20261129, 300
APPS = ("base", "companies", "prealerts", "shipments", "webhooks")
QUICK = "not browser and not image and not live and not slow"


def draw() -> None:
    """Write the list: at most one mutant of a function, each folder by its share; any beginning of it is as mixed."""
    dice = random.Random(SEED)  # noqa: S311  # the same list again
    by_folder: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted(file for app in APPS for file in (ROOT / app).rglob("*.py") if "migrations" not in file.parts):
        by_function: dict[str, list[Mutant]] = defaultdict(list)
        for mutant, _lines in possible(path.relative_to(ROOT).as_posix()):
            by_function[mutant.function].append(mutant)
        for mutants in by_function.values():
            kind = dice.choice(sorted({mutant.kind for mutant in mutants}))
            by_folder[mutants[0].folder].append(dice.choice([one for one in mutants if one.kind == kind]))
    total = sum(map(len, by_folder.values()))
    places = []
    for mutants in by_folder.values():
        share = max(1, round(NUMBER * len(mutants) / total))
        drawn = dice.sample(mutants, share)
        places += [((number + dice.random()) / share, str(mutant)) for number, mutant in enumerate(drawn)]
    LIST.write_text("".join(f"{line}\n" for _place, line in sorted(places)), encoding="utf-8")


def report() -> None:
    """Print what was caught by folder, what survived, and what one file alone has caught."""
    results = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    ran = [result for result in results if not result["gone"]]
    number, caught = (Counter(one["folder"] for one in ran if one["failed"] or not needed) for needed in (False, True))
    lines = [f"{caught[folder]:4} of {number[folder]:4}  {folder}" for folder in sorted(number)]
    lines += [f"{caught.total():4} of {number.total():4}  in all; gone: {len(results) - len(ran)}"]
    for result in ran:
        files = {name.split("::")[0] for name in result["failed"]}
        if len(files) == 1:
            lines.append(f"only {files.pop()}: {result['mutant']}")
        elif not files:
            lines.append(f"survived {result['ran']} of {result['touching']} tests: {result['mutant']}")
    print("\n".join(lines))  # noqa: T201  # what the command is for


def main(command: str, *arguments: str) -> int:
    if command in {"draw", "report"}:
        {"draw": draw, "report": report}[command]()
        return 0
    options = ["-p", "tests.mutants.plugin", "-p", "no:randomly", "-n", "0", "-m", QUICK, *arguments]
    environment = os.environ | {"MUTANTS": command, "PYTHONPATH": str(PLACE / "site"), "HYPOTHESIS_PROFILE": "quick"}
    return subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
