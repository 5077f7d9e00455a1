"""The field table, and what has to be written beside it: the row's type, the column, and the words of headings."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import pytest
from django.utils import translation

from shipments.admin.guides import EXPORT
from shipments.manifests.field_kinds import Count, DecimalNumber, Document, Items, Text, YesNo
from shipments.manifests.guide_fields import ANSWERED_FIELDS, GUIDE_FIELDS, GuideField
from shipments.manifests.house.house_layouts import LAYOUTS, LEFT_OUT
from shipments.manifests.manifest import GuideRow
from shipments.manifests.words.lexicon import HEADING_FIELDS, TITLES, api_names
from shipments.models import Guide
from shipments.privacy.anonymise import BLANK

OF_READING = {"row_index", "review_reasons", "retention_reason"}
"""What a row holds besides what its sender said."""

OF_THE_SERVICE = {
    "id", "manifest", "company", "tracking_code", "status", "needs_review", "review_reasons", "reviewed_at",
    "reviewed_by", "retention_required", "retention_reason", "retention_lifted_at", "retention_lifted_by",
    "retention_lifted_reason", "anonymised_at", "created_at", "updated_at", "sequence", "consignee_words",
    "customs_since",
}  # fmt: skip
"""Columns that no manifest fills."""

COLUMNS: Mapping[str, Any] = {column.name: column for column in Guide._meta.concrete_fields}


def test_a_row_a_guide_and_the_table_have_the_same_fields() -> None:
    names = {field.name for field in GUIDE_FIELDS}
    assert {field.name for field in fields(GuideRow)} - OF_READING == names
    assert COLUMNS.keys() - OF_THE_SERVICE == names


def test_a_row_without_a_value_has_the_tables_unknown() -> None:
    by_name = {field.name: field for field in GUIDE_FIELDS}
    for own in (each for each in fields(GuideRow) if each.name in by_name):
        default = own.default if own.default_factory is MISSING else own.default_factory()
        if default is MISSING:
            assert by_name[own.name].required, own.name
        else:
            assert (list(default) if isinstance(default, tuple) else default) == by_name[own.name].unknown, own.name


@pytest.mark.parametrize("field", GUIDE_FIELDS, ids=lambda field: field.name)
def test_a_column_holds_what_its_field_takes(field: GuideField) -> None:
    column = COLUMNS[field.name]
    match field.kind:
        case Text():
            assert (column.get_internal_type(), column.max_length) == ("CharField", field.kind.max_length)
        case DecimalNumber():
            largest = 10 ** (column.max_digits - column.decimal_places)
            assert (column.decimal_places, field.kind.maximum < largest) == (field.kind.places, True)
        case Count():
            assert column.get_internal_type() in {"PositiveIntegerField", "PositiveSmallIntegerField"}
        case YesNo():
            assert column.get_internal_type() == "BooleanField"
        case Items() | Document():
            assert column.get_internal_type() == "JSONField"
        case _:
            pytest.fail("a kind that no column is compared with")
    assert column.null == (field.unknown is None)


def test_a_column_is_labelled_as_its_field_and_the_example_is_a_value_that_it_takes() -> None:
    for field in GUIDE_FIELDS:
        with translation.override("en"):
            assert str(COLUMNS[field.name].verbose_name) == field.label
        field.kind.read(field.example)


def test_what_a_heading_means_is_read_and_what_is_read_has_a_heading() -> None:
    assert TITLES.keys() == HEADING_FIELDS
    assert {field for _, field in api_names()} <= HEADING_FIELDS


def test_a_field_of_workbooks_is_in_each_house_template_or_left_out_by_name() -> None:
    fields_of_workbooks = {field.name for field in GUIDE_FIELDS if field.in_workbook}
    missing = {
        name
        for layout in LAYOUTS.values()
        for name in fields_of_workbooks - {column.field for column in layout.columns}
    }
    assert missing == LEFT_OUT


def test_a_workbooks_text_that_is_kept_as_it_is_has_a_text_to_hold_it() -> None:
    assert all(isinstance(field.kind, Text) for field in GUIDE_FIELDS if field.in_workbook == "text")


def test_the_guide_endpoint_answers_only_what_json_holds_plainly() -> None:
    assert all(isinstance(field.kind, (Text, DecimalNumber, Count, YesNo)) for field in ANSWERED_FIELDS)


def test_what_is_exported_and_what_is_erased_are_columns() -> None:
    assert BLANK.keys() <= COLUMNS.keys()
    assert len(set(EXPORT.headings)) == len(EXPORT.headings)


def test_the_order_of_an_export_stays_as_programs_read_it() -> None:
    assert tuple(EXPORT.headings) == (
        "client_code", "mawb", "eta", "hawb", "tracking_code", "status", "consignee_name", "consignee_document_type",
        "consignee_document", "consignee_address", "consignee_city", "consignee_region", "consignee_postal_code",
        "consignee_phone", "consignee_email", "shipper_name", "shipper_address", "shipper_city", "shipper_country",
        "description_original", "hs_code", "goods_country", "weight_kg", "packages_count", "bag", "fob_usd",
        "freight_usd", "insurance_usd", "category", "platform_name", "vat_collected", "platform_tax_id", "sale_id",
        "needs_review", "retention_required", "created_at",
    )  # fmt: skip
