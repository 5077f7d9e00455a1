"""Numbers on the pages of the admin."""

from decimal import Decimal

import pytest
from django.test import Client
from django.utils import translation

from companies.models import Company
from shipments.admin.columns import plain_number
from shipments.models import Manifest
from tests.companies.admin_pages import text_of
from tests.shipments.shipping import shipped


@pytest.mark.parametrize(
    ("value", "english", "spanish"),
    [
        (Decimal("1234.500"), "1,234.5", "1.234,5"),
        (Decimal("1200.00"), "1,200", "1.200"),
        (Decimal("0.000"), "0", "0"),
        (1234567, "1,234,567", "1.234.567"),
        (None, "", ""),
    ],
)
def test_numbers_are_grouped_without_trailing_zeros(value: Decimal | int | None, english: str, spanish: str) -> None:
    for language, shown in (("en", english), ("es", spanish)):
        with translation.override(language):
            assert plain_number(value) == shown


def test_a_manifest_and_its_guides_show_them(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1, weight_kg=Decimal("1.500"), fob_usd=Decimal("2345.60"))
    Manifest.objects.filter(pk=manifest.pk).update(total_guides=12345)
    assert "12,345" in text_of(staff.get("/admin/shipments/manifest/"))
    guide = text_of(staff.get(f"/admin/shipments/guide/{manifest.guides.get().pk}/change/"))
    assert "2,345.6<" in guide.replace(" ", "").replace("\n", "")
    assert "1.500" not in guide
