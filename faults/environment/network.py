"""A network that loses everything without a word: iptables."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from faults.environment.tools import needed


@contextmanager
def swallowed(port: int) -> Iterator[None]:
    """Drop every packet to or from this port of this machine. Skips without the permission to do so."""
    iptables = str(needed("iptables"))
    if os.geteuid() != 0:
        pytest.skip("dropping packets needs root")
    rules = [["INPUT", "-i", "lo", "-p", "tcp", side, str(port), "-j", "DROP"] for side in ("--dport", "--sport")]
    laid = []
    try:
        for rule in rules:
            if subprocess.run([iptables, "-A", *rule], check=False, capture_output=True).returncode:
                pytest.skip("iptables is not allowed here")
            laid.append(rule)
        yield
    finally:
        for rule in laid:
            subprocess.run([iptables, "-D", *rule], check=True)
