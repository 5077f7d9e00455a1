"""The JSON of formats: what is written is read back, and what no format can be is refused by its key."""

import json
import subprocess
import sys
from typing import Any

import pytest

from shipments.errors import FormatInvalid
from shipments.manifests.mapped.spec import digest, dump, fingerprint, load
from tests.shipments.formats.layouts_of_clients import format_json

NOTE = {"heading": "Nota", "field": None}


def loaded(content: Any) -> Any:
    return load(json.dumps(content).encode())[0]


def test_what_is_written_is_read_back() -> None:
    content = format_json(
        header_rows=2, sheet="Hoja", mawb={"label": "Guía"}, destination={"label": "A dónde"},
        flight={"origin": {"label": "De"}, "scheduled_arrival": {"label": "Llega", "zone": "America/Lima"}},
        fob_usd={"decimals": "comma", "empty": ["-"], "group": "Valores"},
        profile={"weight_kg": {"filled": 0.9, "readable": 0.9, "median": 1.25}},
        columns=[NOTE, {"heading": "", "right_of": "Papel", "field": "check_digit"},
                 {"heading": "Sale", "field": "scheduled_departure", "month_first": True, "zone": "origin"}],
    )  # fmt: skip
    spec = loaded(content)
    again = load(dump(spec))[0]
    assert again == spec
    assert (digest(again), dump(again)) == (digest(spec), dump(spec))


def test_the_digest_follows_the_content_and_the_fingerprint_the_required_headings() -> None:
    plain, noted = loaded(format_json()), loaded(format_json(columns=[NOTE]))
    assert digest(plain) != digest(noted)
    assert digest(plain) == digest(loaded(format_json(name="Otro")))
    assert fingerprint(plain) == fingerprint(noted)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (format_json(country="UY"), "country must be"),
        (format_json(name=""), "name must be"),
        (format_json(header_rows=3), "header_rows"),
        (
            format_json(columns=[{"heading": "X", "field": "colour"}]),
            "“X”: 'colour' is not a field that a column can serve; these are address_more, ",
        ),
        (
            format_json(columns=[{"heading": "X", "field": None, "width": 3}]),
            "“X”: .*unknown field width; it can have heading, field",
        ),
        (format_json(columns=[{"heading": "", "field": None}]), "needs a heading"),
        (format_json(columns=[{"heading": "", "right_of": "Nada", "field": "check_digit"}]), "right_of"),
        (format_json(columns=[{"heading": "X", "field": "hawb"}]), "same field: hawb"),
        (format_json(columns=[{"heading": "X", "field": "extra_data"}]), "key is for extra_data"),
        (format_json(columns=[{"heading": "X", "field": "shipper_name", "values": {"a": "b"}}]), "values is for"),
        (
            format_json(columns=[{"heading": "X", "field": "consignee_document_type", "values": {"6": "RUT"}}]),
            "each mean",
        ),
        (format_json(country="CL", columns=[{"heading": "X", "field": "category"}]), "no express categories"),
        (format_json(weight_kg={"unit": ""}), "needs its unit"),
        (format_json(weight_kg={"unit": "stone"}), "unit must be"),
        (format_json(fob_usd={"decimals": "dot"}), "decimals must be"),
        (format_json(fob_usd={"field": None}), "No column serves fob_usd"),
        (format_json(consignee_name={"field": None}), "consignee_name"),
        (format_json(consignee_document={"field": None}), "consignee_document"),
        (format_json(hawb={"required": False}), "“Código envío”: hawb is always required"),
        (format_json(hawb={"also": "Hija"}), "“Código envío”.also: Expected array, got str"),
        (
            format_json(weight_kg={"unit": "stone"}, fob_usd={"decimals": "dot"}),
            "one of kg, .*one of comma, point, numeric",
        ),
        (format_json(fob_usd={"group": "G"}), "header_rows must be 2"),
        (format_json(destination={"always": "SCL"}), "airport in Peru"),
        (format_json(destination={"always": "LIM", "form": True}), "only one of"),
        (
            format_json(flight={"scheduled_arrival": {"label": "x", "zone": "Lima"}}),
            "zone must be destination or origin",
        ),
        (format_json(flight={"scheduled_arrival": {"label": "x", "zone": "../America/Lima"}}), "zone must be"),
        (format_json(flight={"scheduled_arrival": {"label": "x", "zone": "localtime"}}), "zone must be"),
        (format_json(flight={"scheduled_arrival": {"label": "x", "zone": 5}}), "zone: Expected str, got int"),
        (format_json(flight={"origin": {"label": "x", "zone": "UTC"}}), "only for scheduled_arrival"),
        (format_json(columns=[{"heading": "X", "field": "shipper_name", "zone": "UTC"}]), "only for scheduled_arrival"),
        (format_json(flight={"colour": {"label": "x"}}), "'colour'"),
        (format_json(tests=[{"name": "a", "grid": [], "expected": {}}]), "grid"),
        (format_json(tests=[{"name": "a", "grid": [[{}]], "expected": {}}]), "grid"),
        (format_json(columns=[]) | {"columns": []}, "columns: Expected array of length >= 1"),
    ],
)
def test_what_no_format_can_be_is_refused(content: Any, sentence: str) -> None:
    with pytest.raises(FormatInvalid, match=sentence):
        loaded(content)


def test_chile_needs_no_document() -> None:
    assert loaded(format_json(country="CL", consignee_document={"field": None})).country == "CL"


THREADS = """
import importlib, sys, threading
from shipments.manifests.mapped import spec

sys.setswitchinterval(1e-6)
content = sys.stdin.buffer.read()
barrier = threading.Barrier(8)
loaded = []

def load():
    barrier.wait()
    loaded.append(spec.load(content))

for _turn in range(50):
    importlib.reload(spec)  # so that no class has been used yet
    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(loaded))
"""


def test_threads_may_be_the_first_to_load_a_format() -> None:
    command, content = [sys.executable, "-c", THREADS], json.dumps(format_json()).encode()
    done = subprocess.run(command, input=content, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, b"400\n")
