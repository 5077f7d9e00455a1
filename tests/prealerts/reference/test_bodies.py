"""What the JSON endpoint takes is what the document says it takes, whatever is sent."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from shipments.manifests.payload.products import DERIVED_FIELDS
from shipments.models import Manifest
from tests.api.any_value import GUIDE_KEYS, MANIFEST_KEYS, PRODUCT_KEYS, VALUES
from tests.conftest import Caller
from tests.documents import guide, manifest
from tests.examples import examples
from tests.prealerts.reference import schema

pytestmark = pytest.mark.django_db

MANIFEST = {"$ref": "#/components/schemas/JsonManifest"}
EDGES: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "  ", [], {}, 0, False, "12.50", " 7 ", "-0", 1.0, "1.0", 0.0005, 999999999.9994]
)
"""Values on the edge of what counts as absent, as a number, and as within bounds."""
GOOD_PRODUCT = {"description": "A", "quantity": 1, "unit_value": 2, "weight_kg": 3}


def as_read(value: Any) -> Any:
    """The body as the service reads it: without the blanks around texts, which no `maxLength` counts, and without the
    values of known keys that it ignores, whose type alone is documented.
    """
    match value:
        case str():
            return value.strip()
        case list():
            return [as_read(member) for member in value]
        case {"products": [*_, _]}:
            return {key: as_read(member) for key, member in value.items() if key not in DERIVED_FIELDS}
        case {"transport_mode": "air"}:
            return {key: as_read(member) for key, member in value.items() if key != "destination_country"}
        case dict():
            return {key: as_read(member) for key, member in value.items()}
    return value


@hypothesis_settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["CL", "PE", "AR"]),
    st.booleans(),
    st.dictionaries(st.sampled_from(MANIFEST_KEYS), VALUES | EDGES, max_size=1),
    st.dictionaries(st.sampled_from(GUIDE_KEYS), VALUES | EDGES, max_size=2),
    st.none() | st.dictionaries(st.sampled_from(PRODUCT_KEYS), VALUES | EDGES, max_size=1),
)
def test_a_body_that_is_taken_is_a_body_that_is_documented(
    acme: Caller,
    country: str,
    by_air: bool,  # noqa: FBT001  # hypothesis calls it
    in_manifest: dict[str, Any],
    in_guide: dict[str, Any],
    in_product: dict[str, Any] | None,
) -> None:
    row = guide(1, country) | in_guide
    if in_product is not None:
        row["products"] = [GOOD_PRODUCT | in_product]
    body = manifest(row, country=country)
    if not by_air:
        del body["destination_airport"]
        body |= {"transport_mode": "ground", "destination_country": country}
    body |= in_manifest
    if acme.post_json(json.dumps(body)).status_code == 201:
        assert schema.problems(as_read(body), MANIFEST, is_tolerant=True) == []
        Manifest.objects.all().delete()


@pytest.mark.parametrize(
    ("changes", "is_taken"),
    [
        ({"weight_kg": 0.0005}, True),
        ({"weight_kg": 0.0004}, False),
        ({"weight_kg": 999999999.9994}, True),
        ({"weight_kg": 999999999.9995}, False),
        ({"fob_usd": -0.001}, False),
        ({"fob_usd": "12.50"}, True),
        ({"fob_usd": "1,250"}, False),
        ({"fob_usd": "1e3"}, False),
        ({"fob_usd": None}, False),
        ({"fob_usd": True}, False),
        ({"packages_count": "3"}, True),
        ({"packages_count": 1.5}, False),
        ({"packages_count": ""}, True),
        ({"consignee_phone": 56912345678}, True),
        ({"consignee_name": 5}, False),
        ({"consignee_name": "x" * 256}, False),
        ({"products": "  "}, True),
        ({"products": "A"}, False),
        ({"products": [GOOD_PRODUCT], "weight_kg": "whatever", "fob_usd": None}, True),
        ({"products": [{**GOOD_PRODUCT, "quantity": 0}]}, False),
        ({"products": [GOOD_PRODUCT] * 1001}, False),
        ({"category": "whatever"}, True),
        ({"extra_data": []}, False),
        ({"nobody": "knows"}, True),
        ({"hawb": " "}, False),
    ],
)
def test_a_bound_is_where_the_document_says(acme: Caller, changes: dict[str, Any], is_taken: bool) -> None:  # noqa: FBT001  # a case's own
    body = manifest(guide(1) | changes)
    assert (acme.post_json(body).status_code == 201) is is_taken
    assert (schema.problems(body, MANIFEST, is_tolerant=True) == []) is is_taken
