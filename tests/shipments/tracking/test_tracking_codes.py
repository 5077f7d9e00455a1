"""Tracking codes: easy to read aloud, random, and with typing errors detected without a query."""

import re

from hypothesis import given, strategies as st

from shipments.tracking import tracking_codes


@given(st.from_regex(r"[A-Z0-9]{2,5}", fullmatch=True))
def test_a_code_is_prefix_ten_random_characters_and_one_check_character(prefix: str) -> None:
    [code] = tracking_codes.issue(prefix, 1)
    assert re.fullmatch(re.escape(prefix) + "[0-9A-HJKMNP-TV-Z]{11}", code)
    assert tracking_codes.is_sound(code)


@given(st.integers(0, 10), st.sampled_from(tracking_codes.ALPHABET))
def test_one_wrong_character_does_not_check(position: int, wrong: str) -> None:
    [code] = tracking_codes.issue("ACM", 1)
    place = len(code) - 11 + position
    if code[place] != wrong:
        assert not tracking_codes.is_sound(code[:place] + wrong + code[place + 1 :])


def test_codes_do_not_follow_from_each_other() -> None:
    codes = set(tracking_codes.issue("ACM", 2_000))
    assert len(codes) == 2_000
    assert len({code[3:6] for code in codes}) > 1_000
