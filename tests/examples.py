"""How many generated examples a property test tries: few by default, all in CI (`HYPOTHESIS_PROFILE=thorough`)."""

import os

from hypothesis import settings

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE", "quick") == "thorough"
SHARE_AT_HAND = 5


def load_profile() -> None:
    """What `@given` tries where a test names no number of its own."""
    settings.register_profile("prealerts", max_examples=examples(100), deadline=None)
    settings.load_profile("prealerts")


def examples(thorough: int) -> int:
    """The number to try: `thorough` in CI, a fifth of it otherwise, at least one."""
    return thorough if THOROUGH else max(1, thorough // SHARE_AT_HAND)
