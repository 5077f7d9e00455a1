"""One shipment's way through the API, as the examples of the document tell it. Tests send it and compare."""

from collections.abc import Mapping

_EXAMPLE = Mapping[str, object]

MANIFEST_ID = "ea7a7054-73b2-4998-9298-70c2463ead7a"
_CODES = ("DEMYRRZNNYPWRA", "DEMHGD7DBQVS3R")

JSON_MANIFEST: _EXAMPLE = {
    "mawb": "045-70310122",
    "transport_mode": "air",
    "flight_number": "LA2369",
    "origin_airport": "MIA",
    "destination_airport": "SCL",
    "scheduled_departure": "2026-12-14T21:30:00-05:00",
    "scheduled_arrival": "2026-12-15T06:45:00-03:00",
    "guides": [
        {
            "hawb": "AND2612150101",
            "consignee_name": "Antonia Fuentes Rojas",
            "consignee_document": "12.345.678-5",
            "consignee_address": "Avenida Los Leones 1280, depto. 52",
            "weight_kg": 1.25,
            "packages_count": 1,
            "description_original": "Zapatillas deportivas",
            "fob_usd": 59.9,
            "hs_code": "6404.11.00",
        },
        {
            "hawb": "AND2612150102",
            "consignee_name": "Comercial Cordillera SpA",
            "consignee_document_type": "RUT",
            "consignee_document": "76543210-3",
            "packages_count": 2,
            "platform_name": "Example Shop",
            "products": [
                {"description": "Cadena de bicicleta", "quantity": 4, "unit_value": 18.75, "weight_kg": 1.2},
                {"description": "Sillín", "quantity": 2, "unit_value": 34.5, "weight_kg": 0.9, "hs_code": "87149500"},
            ],
        },
    ],
}

UPLOAD_RESULT: _EXAMPLE = {
    "success": True,
    "manifest_id": MANIFEST_ID,
    "flight_id": "ddd2fb13-9323-4709-be8c-728daaf232b5",
    "mawb": "045-70310122",
    "eta": "2026-12-15T06:45:00-03:00",
    "guides_created": 2,
    "guides": [
        {"hawb": "AND2612150101", "tracking_code": _CODES[0]},
        {"hawb": "AND2612150102", "tracking_code": _CODES[1]},
    ],
    "rut_invalid_count": 0,
    "warnings": [],
    "notices": [],
    "columns": [
        {"field": "hawb", "heading": "HAWB", "column": "A"},
        {"field": "consignee_name", "heading": "Consignatario", "column": "B"},
        {"field": "consignee_rut", "heading": "RUT", "column": "C"},
        {"field": "description_original", "heading": "Descripción", "column": "D"},
        {"field": "packages_count", "heading": "Bultos", "column": "E"},
        {"field": "weight_kg", "heading": "Peso (lb)", "column": "F", "unit": "lb"},
        {"field": "fob_usd", "heading": "Valor FOB (USD)", "column": "G", "currency": "USD"},
    ],
    "totals": {"guides": 2, "weight_kg": 3.35, "pieces": 3, "fob_usd": 203.9},
    "rows": {"in_table": 4, "guides": 2, "products": 1, "totals": 1, "left_out": 0, "left_out_rows": []},
}

UPLOAD_RESULT_WITH_WARNING: _EXAMPLE = {
    **UPLOAD_RESULT,
    "rut_invalid_count": 1,
    "warnings": [
        {
            "row_index": 6,
            "hawb": "AND2612150101",
            "field": "consignee_rut",
            "error_code": "rut_invalid_format",
            "severity": "warning",
            "message": (
                "The check digit of the RUT does not match its number. The guide was created and is marked for review."
            ),
        }
    ],
    "notices": [
        {
            "code": "sheet_ignored",
            "message": (
                "The sheet 'Copia' has HAWBs of 'Detalle' once more, and the other has more columns or comes first; "
                "it was not read."
            ),
            "row_index": None,
            "hawb": None,
        }
    ],
}

JSON_RESULT: _EXAMPLE = {
    **{name: value for name, value in UPLOAD_RESULT.items() if name not in {"columns", "rows"}},
    "country": "CL",
}

_NOTICED = ("rut_invalid_count", "warnings", "notices", "columns", "totals", "rows")
FINDINGS: _EXAMPLE = {name: UPLOAD_RESULT_WITH_WARNING[name] for name in _NOTICED}

VALIDATION: _EXAMPLE = {
    "success": True,
    "would_create": False,
    "refusal": {
        "status": 409,
        "error": "mawb_already_exists",
        "message": (
            "The MAWB 045-70310122 has already been registered. GET mawbs/045-70310122/findings returns its warnings "
            "and notices."
        ),
        "manifest_id": MANIFEST_ID,
    },
    "further_refusals": [],
    "country": "CL",
    "format": None,
    "mawb": "045-70310122",
    "eta": "2026-12-15T06:45:00-03:00",
    "flight": {
        "flight_number": "LA2369",
        "origin_airport": "MIA",
        "origin_country": "US",
        "destination_airport": "SCL",
        "scheduled_departure": "2026-12-14T21:30:00-05:00",
        "scheduled_arrival": "2026-12-15T06:45:00-03:00",
    },
    "guides_found": 2,
    **{name: UPLOAD_RESULT_WITH_WARNING[name] for name in _NOTICED},
}

_HEAD: _EXAMPLE = {
    "manifest_id": MANIFEST_ID,
    "mawb": "045-70310122",
    "status": "registered",
    "eta": "2026-12-15T06:45:00-03:00",
    "total_guides": 2,
    "total_weight_kg": 3.35,
    "total_pieces": 3,
    "total_fob_usd": 203.9,
    "guides_by_status": {"registered": 1, "customs_held": 1},
    "updated_at": "2026-11-21T15:39:49.161260Z",
}

MAWB_LIST: _EXAMPLE = {"mawbs": [{**_HEAD, "created_at": "2026-11-21T14:54:41.856795Z"}], "next_cursor": None}
EMPTY_LIST: _EXAMPLE = {"mawbs": [], "next_cursor": None}

MAWB_DETAIL: _EXAMPLE = {
    **_HEAD,
    "warnings_count": 1,
    "notices_count": 1,
    "rut_invalid_count": 1,
    "guides": [
        {"hawb": "AND2612150101", "tracking_code": _CODES[0], "status": "registered", "status_code": 1},
        {"hawb": "AND2612150102", "tracking_code": _CODES[1], "status": "customs_held", "status_code": 21},
    ],
}

GUIDE_LIST: _EXAMPLE = {
    "guides": [
        {"hawb": "AND2612150101", "tracking_code": _CODES[0], "status": "registered", "status_code": 1},
    ],
    "next_cursor": "WzAsIkFORDI2MTIxNTAxMDEiLCI4YjFhOTk1M2M0NjExMjk2Il0:mJX0Xn5L7H9k2o0pYw3wE1uJ5yA8d7cQ2rT6sV4bN1M",
}

GUIDE: _EXAMPLE = {
    "hawb": "AND2612150102",
    "tracking_code": _CODES[1],
    "mawb": "045-70310122",
    "status": "customs_held",
    "status_code": 21,
    "consignee_name": "Comercial Cordillera SpA",
    "weight_kg": 2.1,
    "packages_count": 2,
    "description_original": "Cadena de bicicleta, Sillín",
    "fob_usd": 144.0,
    "vat_collected": None,
    "platform_tax_id": None,
    "sale_id": None,
    "retention": None,
    "needs_correction": False,
    "review": [],
    "updated_at": "2026-11-21T15:39:49.161260Z",
    "events": [
        {
            "status": "registered",
            "status_code": 1,
            "timestamp": "2026-11-21T14:54:41.856795Z",
            "source": "pre_alert",
            "sequence": 1,
        },
        {
            "status": "customs_held",
            "status_code": 21,
            "timestamp": "2026-11-21T15:39:49.161260Z",
            "source": "customs",
            "sequence": 2,
            "reason": "Inspección",
        },
    ],
}

CHANGED_GUIDES: _EXAMPLE = {
    "guides": [
        {
            "hawb": "AND2612150102",
            "tracking_code": _CODES[1],
            "mawb": "045-70310122",
            "status": "customs_held",
            "status_code": 21,
            "sequence": 2,
            "updated_at": "2026-11-21T15:39:49.168579Z",
            "needs_correction": False,
        }
    ],
    "next_cursor": None,
}
VOIDED: _EXAMPLE = {
    "success": True,
    "mawb": "045-70310122",
    "manifest_id": MANIFEST_ID,
    "voided_at": "2026-11-21T15:39:49.168579Z",
    "guides_cancelled": 2,
}
ME: _EXAMPLE = {
    "company": {"code": "DEMO", "name": "Importadora de Prueba SpA"},
    "kind": "client",
    "countries": ["CL", "PE"],
    "workbook_countries": ["CL"],
    "tracking_prefix": "DEM",
    "requests_per_second": None,
    "may_correct": True,
    "sandbox": False,
}

_JOB_ID = "0b7c1c1e-6a52-4d56-9c55-5a1f1f6c8d21"
JOB_QUEUED: Mapping[str, object] = {"success": True, "job_id": _JOB_ID, "status": "queued"}
JOB_FAILED: Mapping[str, object] = {
    "job_id": _JOB_ID,
    "status": "failed",
    "created_at": "2026-11-21T15:39:49.161260Z",
    "started_at": "2026-11-21T15:39:50.021337Z",
    "finished_at": "2026-11-21T15:39:50.883112Z",
    "result": None,
    "error": {
        "http_status": 409,
        "success": False,
        "error": "mawb_already_exists",
        "message": "The MAWB 045-70310122 has already been registered.",
        "manifest_id": "ea7a7054-73b2-4998-9298-70c2463ead7a",
    },
}
