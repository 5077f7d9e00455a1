"""What the document says that a client should send is taken; the service forgives more than that."""

from typing import Any

import pytest

from tests.conftest import Caller
from tests.documents import guide, manifest
from tests.prealerts.reference import schema

pytestmark = pytest.mark.django_db

MANIFEST = {"$ref": "#/components/schemas/JsonManifest"}
GOOD_PRODUCT = {"description": "A", "quantity": 1, "unit_value": 2, "weight_kg": 3}


SENT: list[tuple[dict[str, Any], bool]] = [
    ({"weight_kg": 0.001}, True),
    ({"weight_kg": 0.0004}, False),
    ({"weight_kg": 999999999.999}, True),
    ({"weight_kg": 999999999.9995}, False),
    ({"fob_usd": -0.001}, False),
    ({"fob_usd": "1,250"}, False),
    ({"fob_usd": True}, False),
    ({"packages_count": 1.5}, False),
    ({"packages_count": None}, True),
    ({"consignee_name": 5}, False),
    ({"consignee_name": "x" * 256}, False),
    ({"products": None}, True),
    ({"products": "A"}, False),
    ({"products": [GOOD_PRODUCT], "fob_usd": None}, True),
    ({"products": [{**GOOD_PRODUCT, "quantity": 0}]}, False),
    ({"products": [GOOD_PRODUCT] * 1001}, False),
    ({"category": None}, True),
    ({"extra_data": []}, False),
    ({"nobody": "knows"}, True),
    ({"hawb": " "}, False),
]
"""Changes to a good guide, and whether they are right: the document and the service agree."""

FORGIVEN: list[dict[str, Any]] = [
    {"weight_kg": 0.0005},
    {"fob_usd": "12.50"},
    {"packages_count": ""},
    {"packages_count": "3"},
    {"consignee_phone": 56912345678},
    {"products": "  "},
    {"products": [GOOD_PRODUCT], "weight_kg": "whatever"},
    {"category": "whatever"},
]
"""What the service takes and the document does not offer."""


@pytest.mark.parametrize(("changes", "is_right"), SENT)
def test_a_bound_is_where_the_document_says(acme: Caller, changes: dict[str, Any], is_right: bool) -> None:  # noqa: FBT001  # a case's own
    body = manifest(guide(1) | changes)
    assert (acme.post_json(body).status_code == 201) is is_right
    assert (schema.problems(body, MANIFEST, is_tolerant=True) == []) is is_right


@pytest.mark.parametrize("changes", FORGIVEN)
def test_what_is_forgiven_is_not_offered(acme: Caller, changes: dict[str, Any]) -> None:
    body = manifest(guide(1) | changes)
    assert acme.post_json(body).status_code == 201
    assert schema.problems(body, MANIFEST, is_tolerant=True)
