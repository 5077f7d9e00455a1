"""JSON that means one thing."""

import json
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given, settings, strategies as st

from base.errors import InvalidBody
from shipments.manifests.payload.strict_json import MAX_DEPTH, MAX_VALUES, loads


def refusal(body: bytes) -> str:
    with pytest.raises(InvalidBody) as refused:
        loads(body)
    return refused.value.message


def test_a_document_is_read_as_it_is() -> None:
    body = '{"mawb": "123-12345675", "guides": [{"hawb": "Ñ-1", "n": 1, "x": null, "ok": true}], "é": "\\u00f1"}'
    assert loads(body.encode()) == {
        "mawb": "123-12345675",
        "guides": [{"hawb": "Ñ-1", "n": 1, "x": None, "ok": True}],
        "é": "ñ",
    }


@pytest.mark.parametrize("text", ["12.50", "1e3", "-0.000000000000000001", "1E-40"])
def test_numbers_with_a_fraction_are_exact_decimals(text: str) -> None:
    number = loads(text.encode())
    assert isinstance(number, Decimal)
    assert number == Decimal(text)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        ("{}".encode("utf-16"), "not UTF-8"),
        ('{"name": "Peña"}'.encode("latin-1"), "not UTF-8 (byte 12)"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8"),
        (b"{'a': 1}", "not JSON"),
        (b'{"a": 1,}', "not JSON"),
        (b'{"a": 1', "not JSON"),
        (b'{"a": 01}', "not JSON"),
        (b'{"a": "\x00"}', "not JSON"),
        (b'{"a": "\\x41"}', "not JSON"),
        (b"// comment\n{}", "not JSON"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": 1e999}', "A number in the body"),
        (b'{"a": 1e-999}', "A number in the body"),
        (b'{"a": 0.' + b"1" * 5_000 + b"}", "A number in the body"),
        (b'{"a": ' + b"9" * 100_000 + b"}", "A number in the body"),
        (b'{"mawb": 1, "mawb": 1}', "The key mawb occurs twice"),
        (b'{"guides": [{"hawb": "1", "fob_usd": 1, "hawb": "2"}]}', "The key hawb occurs twice"),
        (b'{"a": {"Maria Perez": 1, "Maria Perez": 2}}', "A key occurs twice"),
        (b'{"\\u0061": 1, "a": 2}', "The key a occurs twice"),
        (b'{"a": "\\u0000"}', "NUL"),
        (b'{"a": {"\\u0000": 1}}', "NUL"),
        (b'{"a": "\\ud800"}', "half a surrogate pair"),
        (b'{"a": "\\uDFFF\\uD800"}', "half a surrogate pair"),
        (b'{"\\udc00": 1}', "half a surrogate pair"),
        (b"[" * 100_000, "deep"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "deep"),
        (b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), "deep"),
        (b"[" + b"0," * MAX_VALUES + b"0]", "values"),
        (b"[" + b"[]," * (MAX_VALUES // 2) + b"0]", "values"),
    ],
)  # fmt: skip
def test_what_readers_would_take_in_their_own_way_is_refused(body: bytes, reason: str) -> None:
    assert reason in refusal(body)


def test_a_refusal_repeats_nothing_of_the_body() -> None:
    assert "Maria" not in refusal(b'{"Maria Perez": 1, "Maria Perez": 2}')
    assert "Maria" not in refusal(b'{"consignee_name": "Maria Perez" "12345678-5"}')


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'"\\\\u0000"', "\\u0000"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        ('"\U0001f600"'.encode(), "\U0001f600"),
        (b'["\\ud83d\\ude00", {"\\\\ud800": "\\\\u0000"}]', ["\U0001f600", {"\\ud800": "\\u0000"}]),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
        (b"9" * 40, 10**40 - 1),
    ],
)
def test_what_only_looks_like_it_is_taken(body: bytes, value: object) -> None:
    assert value is None or loads(body) == value
    loads(body)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), inner)
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(value=_VALUES, ascii_only=st.booleans())
def test_whatever_json_can_say_once_is_read_back(value: object, *, ascii_only: bool) -> None:
    assert loads(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(InvalidBody):
        loads(body)
