"""How many passwords are hashed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher


@contextmanager
def count_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield a list that grows with each round of the password hasher."""
    rounds: list[int] = []
    encode = MD5PasswordHasher.encode

    def counting(hasher: MD5PasswordHasher, *args: Any) -> str:
        rounds.append(1)
        return str(encode(hasher, *args))

    with monkeypatch.context() as patched:
        patched.setattr(MD5PasswordHasher, "encode", counting)
        yield rounds
