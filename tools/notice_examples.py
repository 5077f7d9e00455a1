"""What each notice says, for docs/integration.md: the readers' own sentences with values such as they find."""

from collections.abc import Mapping

from shipments.manifests.reason import Reason

EXAMPLES: Mapping[str, Reason] = {
    "mawb_check_digit_mismatch": Reason("mawb_check_digit_mismatch", {"mawb": "045-48216362"}),
    "hawb_rows_merged": Reason("hawb_rows_merged", {"rows": "10, 11", "count": 2}),
    "column_not_understood": Reason("column_not_understood", {"column": "E", "heading": "Cjs."}),
    "house_from_order_number": Reason(
        "house_from_order_number", {"heading": "Pedido (A)", "other": "Clave (D)"}
    ),
    "repeated_value_added": Reason("repeated_value_added", {"count": 3, "value": "30", "added": "90"}),
    "fob_zero": Reason("fob_zero", {"zero_count": 2, "count": 40}),
    "time_not_placed": Reason("time_not_placed", {"clock": "05:15"}),
    "field_without_column": Reason("no_column_packages_count_perhaps", {"maybe": "Cjs. (E)"}),
    "equal_headings": Reason("equal_headings", {"columns": "B, D", "heading": "Nombre", "field": "consignee_name"}),
    "weight_unit_unknown": Reason("weight_unit_unknown", {"column": "F", "heading": "Peso (kg/lb)"}),
    "currency_unknown": Reason("currency_unknown", {"column": "G", "heading": "Valor FOB (EUR)"}),
    "values_missing": Reason("values_missing_weight_kg", {"missing_count": 3, "count": 40}),
    "weight_unlikely": Reason("weight_unlikely", {"typical": 850}),
    "fob_unlikely": Reason("fob_unlikely", {"typical": 41_200}),
    "destination_assumed": Reason("destination_assumed", {"country": "CL"}),
    "format_not_recognised": Reason("format_not_recognised", {"format": "ACME 3"}),
    "format_column_missing": Reason(
        "format_column_missing", {"heading": "Bultos", "field": "packages_count", "format": "ACME 3"}
    ),
    "format_column_new": Reason("format_column_new", {"headings": "“Comentario”", "format": "ACME 3"}),
    "format_column_competes": Reason(
        "format_column_competes", {"heading": "PESO BRUTO", "field": "weight_kg", "format": "ACME 3"}
    ),
    "values_unlike_format": Reason("median_unlike_format_weight_kg", {"usual": 1.2, "found": 1250}),
    "rows_left_out": Reason("left_out_no_consignee", {"rows": "12 (AND2612160007), 13", "count": 2}),
    "sheet_ignored": Reason("sheet_repeats", {"sheet": "Resumen", "taken": "Manifiesto"}),
    "text_encoding_repaired": Reason(
        "text_encoding_repaired", {"count": 14, "misread": "Ã³", "example": "ó"}
    ),
    "text_encoding_damaged": Reason("text_encoding_damaged", {"count": 2, "example": "�"}),
    "category_repeated": Reason("category_repeated", {"category": 1, "count": 2}),
    "customs_details_missing": Reason("customs_details_missing", {"names": "brand, model", "count": 12}),
    "personal_units_exceeded": Reason("personal_units_exceeded", {"most": 3}),
    "consignee_limit_exceeded": Reason("courier_value_exceeded_together", {"count": 3}),
    "unknown_field": Reason(
        "unknown_guide_field_near", {"name": "package_count", "count": 40, "nearest": "packages_count"}
    ),
    "example_row_ignored": Reason("example_row_ignored"),
    "hawb_digits_rounded": Reason("hawb_digits_rounded", {"count": 12, "digits": 15}),
    "<field>_ignored": Reason("flight_number_ignored"),
    "<field>_ambiguous": Reason("flight_number_ambiguous", {"taken": "LA2369"}),
    "warnings_omitted": Reason("warnings_omitted", {"count": 500, "reported_count": 1_000}),
    "notices_omitted": Reason("notices_omitted", {"count": 12, "reported_count": 999}),
}  # fmt: skip
"""Code of a notice, as the table of notices has it -> what it may say."""
