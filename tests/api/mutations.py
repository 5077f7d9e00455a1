"""Mutations of a JSON body, the same for each seed: other types, nulls, huge numbers, depth, keys that occur twice."""

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

RAW = [
    b"NaN",
    b"-Infinity",
    b"1e400",
    b"-1e-400",
    b"9" * 40,
    b"9" * 5000,
    b"123456789012345678901234567890",
    b"-0",
    b"0.1e1",
    b'"\\ud800"',
    b'"\\udc00\\ud83d"',
    b'"\\u0000"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b"[" * 31 + b"]" * 31,
    b"[" * 100_000,
    b'{"a":' * 30 + b"1" + b"}" * 30,
    b'{"a":1,"a":2}',
    b'{"":{}}',
    b"",
]
"""Written as they are, for most of them no encoder would write."""
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 2**31, 2**63, 10**30),
    *("", " ", "x", "x" * 5000, "null", "٣", "\u202e", "a\u0301", "2026-13-45T99:99:99Z", "0001-01-01T00:00:00+14:00"),
    *([], {}, [None], [[]], [{}], {"a": None}, [1, "x", None, {}, []], ["x"] * 60, {"x": {"y": [{}]}}),
]
_MARK = "\ue000raw\ue000"


def mutations(good: dict[str, Any], count: int, *, seed: int) -> Iterator[bytes]:
    """Yield `count` bodies, each `good` with one to three changes."""
    random = Random(seed)  # noqa: S311  # no secret: the same mutations each time
    for _ in range(count):
        body: Any = deepcopy(good)
        raws: list[bytes] = []
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            body = _changed(body, random, raws)
        yield _written(body, raws, random)


def _changed(body: Any, random: Random, raws: list[bytes]) -> Any:
    """Put something else in one place of `body`, anywhere in it, the whole included."""
    places = [*_places(body)]
    if not places or random.random() < 0.02:
        return _other(body, random, raws)
    container, key = random.choice(places)
    match random.randrange(8):
        case 0:
            del container[key]
        case 1 if isinstance(container, dict):
            container[random.choice(["", "a\u0000", "x" * 500, "__proto__", "id", key.upper()])] = container.pop(key)
        case 2 if isinstance(container, list):
            container.extend([container[key]] * random.choice([1, 60]))
        case _:
            container[key] = _other(container[key], random, raws)
    return body


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in `value` with each of its keys or indexes."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _other(value: Any, random: Random, raws: list[bytes]) -> Any:
    match random.randrange(5):
        case 0:
            raws.append(random.choice(RAW))
            return _MARK
        case 1:
            return random.choice([[value], {"value": value}, str(value), [value, None]])
        case _:
            return deepcopy(random.choice(VALUES))


def _written(body: Any, raws: list[bytes], random: Random) -> bytes:
    content = json.dumps(body).encode()
    mark = json.dumps(_MARK).encode()
    for raw in raws:
        content = content.replace(mark, raw, 1)
    if random.random() < 0.03:
        content = content[: random.randrange(len(content) + 1)]
    if random.random() < 0.03 and content.startswith(b"{") and b"," in content:
        content = b"{" + content[1:-1] + b"," + content[1:]  # each key twice
    return content
