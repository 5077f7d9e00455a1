"""Numbers on the pages of the admin."""

from decimal import Decimal

import pytest
from django.test import Client
from django.utils import translation

from companies.models import Company
from shipments.admin.columns import amount, exact_amount, exact_weight
from shipments.models import Manifest
from tests.companies.admin_pages import text_of
from tests.shipments.shipping import shipped


@pytest.mark.parametrize(
    ("value", "english", "spanish"),
    [
        (Decimal("1588.400"), "1 588.40", "1 588,40"),
        (Decimal("1.588"), "1.59", "1,59"),
        (Decimal("1200.00"), "1 200.00", "1 200,00"),
        (Decimal("0.000"), "0.00", "0,00"),
        (1234567, "1 234 567", "1 234 567"),
        (None, "", ""),
    ],
)
def test_thousands_are_apart_and_what_is_no_count_has_two_decimals(
    value: Decimal | int | None, english: str, spanish: str
) -> None:
    for language, shown in (("en", english), ("es", spanish)):
        with translation.override(language):
            assert amount(value).replace("\u202f", " ") == shown


def test_no_weight_or_value_has_three_decimals() -> None:
    with translation.override("es"):
        weights = [exact_weight(Decimal(kg)).replace("\u202f", " ") for kg in ("1.588", "1588.400", "12.005")]
        amounts = [exact_amount(Decimal(value)) for value in ("3", "3.50", "0.335", "0.0125")]
    assert weights == ["1,59 (1 588 g)", "1 588,40", "12,01 (12 005 g)"]
    assert amounts == ["3", "3,50", "0,3350", "0,0125"]


def test_a_manifest_and_its_guides_show_them(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1, weight_kg=Decimal("1.500"), fob_usd=Decimal("2345.60"))
    Manifest.objects.filter(pk=manifest.pk).update(total_guides=12345)
    assert "12\u202f345" in text_of(staff.get("/admin/shipments/manifest/"))
    guide = text_of(staff.get(f"/admin/shipments/guide/{manifest.guides.get().pk}/change/"))
    assert "2\u202f345.60<" in guide.replace(" ", "").replace("\n", "")
    assert "1.50<" in guide.replace(" ", "").replace("\n", "")
    assert "1.500" not in guide
