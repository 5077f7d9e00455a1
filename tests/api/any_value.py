"""Any JSON value, and the fields of a manifest, a guide and a product that it is put into."""

from hypothesis import strategies as st

from shipments.manifests.guide_fields import GUIDE_FIELDS

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["\x00", "x" * 3000, "2026-11-25T08:00:00+24:00", "0001-01-01T00:00:00+14:00", "٢١", "-0", "1e5"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
MANIFEST_KEYS = [
    "mawb", "transport_mode", "client_code", "flight_number", "origin_airport", "origin_country",
    "destination_airport", "destination_country", "scheduled_departure", "scheduled_arrival", "country", "guides",
]  # fmt: skip
GUIDE_KEYS = [field.name for field in GUIDE_FIELDS]
PRODUCT_KEYS = ["description", "quantity", "unit_value", "weight_kg", "hs_code"]
