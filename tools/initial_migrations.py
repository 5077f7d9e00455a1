"""Write the initial migrations anew from the models, and delete those after them; what is written by hand stays.

`make initial-migrations`, until the first tagged release: CONTRIBUTING.md, "A migration".
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ("base", "companies", "webhooks", "shipments")
BY_HAND = "_by_hand.py"


def main() -> int:
    """Return the exit status of `makemigrations`; if it fails, the migrations are as they were."""
    found = [path for app in APPS for path in sorted((ROOT / app / "migrations").glob("0*.py"))]
    # Django passes over a module whose name begins with an underscore.
    hidden = {path: path.rename(path.with_name(f"_{path.name}")) for path in found}
    command = [sys.executable, "-m", "tools.deployment", "makemigrations", "--no-header", "--verbosity", "0", *APPS]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    for path, aside in hidden.items():
        if status or path.name.endswith(BY_HAND):
            aside.rename(path)
        else:
            aside.unlink()
    return status


if __name__ == "__main__":
    sys.exit(main())
