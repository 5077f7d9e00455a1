"""No value a client can send is anything but read or refused in the domain's words."""

import json
from contextlib import suppress
from decimal import Decimal

from hypothesis import given, settings, strategies as st

from base.errors import DomainError
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.payload.body import MANIFEST_FIELDS, client_code, destination, read_manifest
from shipments.manifests.payload.guides import marketplace_problems
from shipments.manifests.payload.products import PRODUCT_FIELDS
from shipments.manifests.payload.strict_json import loads
from tests.examples import examples
from tests.shipments.manifests.payloads import body, guide, product

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(st.characters())
    | st.sampled_from(
        ["", " ", "0", "-0", "1.5", " 2\t", "1e9", "CL", "DNI", "RUC", "SCL", "air", "ground", "12345678-5", "\x00"]
    )
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
MANIFEST_KEYS = st.sampled_from([field.name for field in MANIFEST_FIELDS])
GUIDE_KEYS = st.sampled_from([field.name for field in GUIDE_FIELDS])
PRODUCT_KEYS = st.sampled_from([field.name for field in PRODUCT_FIELDS])

PRODUCTS = st.builds(lambda changes: {**product(), **changes}, st.dictionaries(PRODUCT_KEYS, ANYTHING, max_size=2))
GUIDES = st.builds(
    lambda changes, products: {**guide(), "products": products, **changes},
    st.dictionaries(GUIDE_KEYS, ANYTHING, max_size=3),
    st.lists(PRODUCTS | ANYTHING, max_size=3),
)
BODIES = st.builds(
    lambda changes, guides: {**body(*guides), **changes},
    st.dictionaries(MANIFEST_KEYS, ANYTHING, max_size=2),
    st.lists(GUIDES | ANYTHING, min_size=1, max_size=3),
)


def read_whole(document: dict[str, object]) -> None:
    """What an endpoint does with a document, for a client and for a marketplace's client."""
    client_code(document)
    transport_mode, _country = destination(document)
    for country in ("CL", "PE", "AR"):
        manifest = read_manifest(document, transport_mode, country)
        assert len(manifest.guides) == len(document["guides"])  # type: ignore[arg-type]  # read_manifest saw a list
        for row in manifest.guides:
            json.dumps(row.extra_data, allow_nan=False)
            assert row.weight_kg is not None
            assert Decimal(0) < row.weight_kg < 10**9
            assert row.fob_usd is not None
            assert Decimal(0) <= row.fob_usd < 10**12
        marketplace_problems(manifest, is_marketplace=True)
        marketplace_problems(manifest, is_marketplace=False)


@settings(deadline=None, max_examples=examples(200))
@given(BODIES)
def test_any_value_in_any_field_is_read_or_refused(document: dict[str, object]) -> None:
    with suppress(DomainError):
        read_whole(document)


@settings(deadline=None)
@given(st.dictionaries(MANIFEST_KEYS | GUIDE_KEYS, st.none() | st.booleans() | st.integers() | st.text(), max_size=6))
def test_what_went_over_the_wire_is_read_or_refused(changes: dict[str, object]) -> None:
    with suppress(DomainError):
        document = loads(json.dumps({**body(guide(**changes)), **changes}).encode())
        assert isinstance(document, dict)
        read_whole(document)
