"""What the templates contain: columns, labels, instructions and examples, and the format of each."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from shipments.manifests.countries import rules_for
from shipments.manifests.mapped.spec import FILE_VERSION, FormatSpec, from_json

TEXT, WHOLE, WEIGHT, MONEY, MOMENT = "@", "0", "0.000", "0.00", "dd/mm/yyyy hh:mm"


LEFT_OUT: frozenset[str] = frozenset({
    "consignee_document_type",  # in Chile, where a document is a RUT
    "consignee_postal_code",
    "product_value",  # the FOB is what customs asks for
    "vat_collected", "platform_tax_id", "sale_id",  # elsewhere than in Chile
})  # fmt: skip
"""Fields that workbooks may have and that not every template asks for."""

ETA, DESTINATION = "ETA (hora local)", "Aeropuerto de destino"


class TemplateColumn(NamedTuple):
    """A column to fill in.

    field: as the format names it, or `+` and a key of extra data. hint: shown as a comment. values: text -> meaning.
    """

    field: str
    heading: str
    width: int
    number_format: str
    hint: str
    is_required: bool = True
    values: Mapping[str, str] = {}


class TemplateLayout(NamedTuple):
    """A country's template.

    name: of its format. labels: above the table, with example values. guides: examples, in the order of the columns.
    """

    name: str
    title: str
    columns: Sequence[TemplateColumn]
    instructions: Sequence[str]
    labels: Mapping[str, str | datetime]
    guides: Sequence[Sequence[str | float | None]]


_optional = partial(TemplateColumn, is_required=False)

_HAWB = TemplateColumn("hawb", "Guía hija (HAWB)", 20, TEXT, "Una por envío, sin repetir.")
_NAME = TemplateColumn("consignee_name", "Consignatario", 30, TEXT, "Nombre completo o razón social.")
_PHONE = _optional("consignee_phone", "Teléfono", 16, TEXT, "Con código de país.")
_EMAIL = _optional("consignee_email", "Correo electrónico", 28, TEXT, "Del consignatario.")
_SHIPPER = _optional("shipper_name", "Remitente", 24, TEXT, "Quien envía, en origen.")
_DESCRIPTION = TemplateColumn("description_original", "Descripción", 36, TEXT, "Qué contiene el envío.")
_HS_CODE = _optional("hs_code", "Código arancelario (HS)", 16, TEXT, "De 6 a 12 dígitos.")
_MEASURES = (
    TemplateColumn("packages_count", "Bultos", 9, WHOLE, "Número entero, 1 o más."),
    TemplateColumn("weight_kg", "Peso bruto (kg)", 13, WEIGHT, "Del envío completo, en kilogramos."),
    TemplateColumn("fob_usd", "Valor FOB (US$)", 14, MONEY, "Del envío completo, en dólares de los Estados Unidos."),
)

# No number here has the form of a MAWB, and no sentence begins with a label: this sheet is read like any other.
_BEFORE = (
    "Cómo llenar este manifiesto",
    "Un archivo por guía aérea máster. Complete los datos de la parte superior y una fila por cada guía hija.",
    "Reemplace las filas de ejemplo por las suyas. No hace falta borrar columnas que no use.",
    "La guía máster se escribe con tres dígitos, un guion y ocho dígitos.",
    "Los encabezados con asterisco son necesarios. Una fila sin guía hija no se ingresa.",
)
_AFTER = (
    "Varias filas con la misma guía hija y el mismo consignatario forman un solo envío con varios productos.",
    "La fecha de llegada es la hora local del aeropuerto de destino, con el día antes del mes.",
    "El peso va en kilogramos y el valor FOB en dólares. Escriba los números como números, sin unidades.",
)


def _flight(airport: str, number: str, mawb: str) -> Mapping[str, str | datetime]:
    return {
        "MAWB": mawb,
        "Vuelo": number,
        "Aeropuerto de origen": "MIA",
        DESTINATION: airport,
        ETA: datetime(2026, 12, 15, 6, 45),  # noqa: DTZ001 - spreadsheets have no time zones
    }


_CHILE = TemplateLayout(
    name="Plantilla de la casa (Chile)",
    title="Manifiesto de carga aérea a Chile",
    columns=(
        _HAWB,
        _NAME,
        TemplateColumn("consignee_document", "RUT", 14, TEXT, "Con dígito verificador; con o sin puntos y guion."),
        _optional("consignee_address", "Dirección", 36, TEXT, "Calle, número y departamento."),
        _optional("consignee_city", "Comuna", 18, TEXT, "Comuna de entrega."),
        _optional("consignee_region", "Región", 20, TEXT, "Región de entrega."),
        _PHONE,
        _EMAIL,
        _SHIPPER,
        _DESCRIPTION,
        _HS_CODE,
        *_MEASURES,
        _optional("vat_collected", "IVA recaudado", 12, TEXT, "Sí o no: si el IVA se cobró en la venta."),
        _optional("platform_tax_id", "RUT plataforma", 16, TEXT, "De la plataforma que cobró el IVA."),
        _optional("sale_id", "ID de venta", 20, TEXT, "Identificador único de la venta en la plataforma."),
    ),
    instructions=(
        *_BEFORE,
        "Un RUT inválido no detiene la carga: el envío se crea y queda marcado para revisión.",
        *_AFTER,
    ),
    labels=_flight("SCL", "LA2369", "045-12345675"),
    guides=(
        ("PA0000000001", "Antonia Fuentes Rojas", "12345678-5", "Avenida Los Leones 1280, depto. 52", "Providencia",
         "Metropolitana de Santiago", "+56 9 5550 0101", "antonia@example.com", "Example Outlet Inc.",
         "Zapatillas deportivas", "640411", 1, 1.25, 59.9, "Sí", "59123456-0", "CL-20417-8"),
        ("PA0000000002", "Comercial Cordillera SpA", "76543210-3", "Calle Prat 856, oficina 301", "Valparaíso",
         "Valparaíso", "+56 32 555 0102", "compras@example.com", "Example Parts LLC",
         "Repuestos de bicicleta", "87149990", 2, 4.8, 189.5, "No", None, None),
    ),
)  # fmt: skip

_PERU_DOCUMENTS = {**rules_for("PE").document_codes, "CARNE DE EXTRANJERIA": "CE", "PASAPORTE": "PASSPORT"}
"""SUNAT's codes, and words that clients write."""

_PERU = TemplateLayout(
    name="Plantilla de la casa (Perú)",
    title="Manifiesto de carga aérea al Perú",
    columns=(
        _HAWB,
        _NAME,
        _optional(
            "consignee_document_type", "Tipo de documento", 12, TEXT, "DNI, RUC, CE o PASSPORT.", values=_PERU_DOCUMENTS
        ),
        TemplateColumn("consignee_document", "Número de documento", 18, TEXT, "Del consignatario, completo."),
        _optional("consignee_address", "Dirección", 36, TEXT, "Calle, número e interior."),
        _optional("consignee_city", "Distrito", 18, TEXT, "Distrito de entrega."),
        _optional("consignee_region", "Departamento", 18, TEXT, "Departamento de entrega."),
        _PHONE,
        _EMAIL,
        _SHIPPER,
        _DESCRIPTION,
        _optional("hs_code", "Subpartida (HS)", 16, TEXT, "De 6 a 12 dígitos."),
        _optional(
            "category", "Categoría", 11, WHOLE,
            "De 1 a 4. Vacía: se deduce del valor FOB. La 1 es solo para documentos y correspondencia.",
        ),
        _optional("+brand", "Marca", 14, TEXT, "Si la tiene."),
        _optional("+model", "Modelo", 14, TEXT, "Si lo tiene."),
        _optional("+condition", "Estado de la mercancía", 14, TEXT, "Nueva, usada u otro."),
        _optional("+commercial_quantity", "Cantidad comercial", 14, TEXT, "Con su unidad: 2 pares, 1 juego."),
        _optional("+origin_country", "País de origen", 12, TEXT, "Donde se fabricó."),
        _optional("+embarkation_country", "País de embarque", 12, TEXT, "Desde donde viene el envío."),
        *_MEASURES,
    ),
    instructions=(
        *_BEFORE,
        "Un documento inválido no detiene la carga: el envío se crea y queda marcado para revisión.",
        "Desde un valor FOB de más de dos mil dólares, la aduana retiene el envío hasta su declaración de importación.",
        *_AFTER,
    ),
    labels=_flight("LIM", "LA2461", "045-12345675"),
    guides=(
        ("PA0000000001", "Lucía Quispe Huamán", "DNI", "45678912", "Avenida Larco 743, dpto. 602", "Miraflores",
         "Lima", "+51 955 550 101", "lucia@example.com", "Example Outlet Inc.",
         "Zapatillas deportivas", "640411", None,
         "Andina", "Trail 3", "Nueva", "1 par", "Vietnam", "Estados Unidos", 1, 1.25, 59.9),
        ("PA0000000002", "Importaciones Andinas S.A.C.", "RUC", "20601234565", "Jirón Cusco 281, oficina 4", "Arequipa",
         "Arequipa", "+51 54 555 102", "compras@example.com", "Example Parts LLC",
         "Repuestos de bicicleta", "8714990000", 3,
         "Ruta", "R-20", "Nueva", "6 unidades", "Taiwán", "Estados Unidos", 2, 4.8, 289.5),
    ),
)  # fmt: skip

_ARGENTINA = TemplateLayout(
    name="Plantilla de la casa (Argentina)",
    title="Manifiesto de carga aérea a la Argentina",
    columns=(
        _HAWB,
        _NAME,
        _optional("consignee_document_type", "Tipo de documento", 12, TEXT, "CUIT, CUIL, CDI o DNI."),
        TemplateColumn(
            "consignee_document", "CUIT / CUIL / CDI", 18, TEXT, "Once dígitos, con o sin guiones; DNI si no tiene."
        ),
        _optional("consignee_address", "Domicilio", 36, TEXT, "Calle, número, piso y departamento."),
        _optional("consignee_city", "Localidad", 18, TEXT, "Localidad de entrega."),
        _optional("consignee_region", "Provincia", 20, TEXT, "Provincia de entrega."),
        _PHONE,
        _EMAIL,
        _SHIPPER,
        _DESCRIPTION,
        _optional("hs_code", "Posición arancelaria (NCM)", 18, TEXT, "Ocho dígitos; con SIM, once y una letra."),
        _optional("+units", "Unidades de la misma especie", 14, WHOLE, "Número entero."),
        _optional("+purpose", "Finalidad", 14, TEXT, "Personal o comercial."),
        *_MEASURES,
    ),
    instructions=(
        *_BEFORE,
        "Un documento inválido no detiene la carga: el envío se crea y queda marcado para revisión.",
        "El régimen courier admite hasta tres mil dólares por envío y cincuenta kilogramos por bulto.",
        *_AFTER,
    ),
    labels=_flight("EZE", "AR1303", "045-12345675"),
    guides=(
        ("PA0000000001", "Martina Gómez Ferreyra", "CUIL", "27-12345678-0", "Avenida Cabildo 2040, 3 B", "Belgrano",
         "Ciudad Autónoma de Buenos Aires", "+54 11 5550 0101", "martina@example.com", "Example Outlet Inc.",
         "Zapatillas deportivas", "64041100", 1, "Personal", 1, 1.25, 59.9),
        ("PA0000000002", "Distribuidora del Litoral S.R.L.", "CUIT", "30-71234567-1", "Calle Córdoba 1452", "Rosario",
         "Santa Fe", "+54 341 555 0102", "compras@example.com", "Example Parts LLC",
         "Repuestos de bicicleta", "87149990", 6, "Comercial", 2, 4.8, 189.5),
    ),
)  # fmt: skip

LAYOUTS: Mapping[str, TemplateLayout] = {"CL": _CHILE, "PE": _PERU, "AR": _ARGENTINA}
"""Country, alpha-2 -> its template."""


def house_spec(country: str) -> FormatSpec:
    """The format of a country's template (alpha-2). Packages left empty are 1, so their column may be absent."""
    layout = LAYOUTS[country]
    columns = [_column_of(column) for column in layout.columns]
    return from_json({"prealerts_format": FILE_VERSION, "name": layout.name, "country": country, "columns": columns})


def _column_of(column: TemplateColumn) -> dict[str, Any]:
    field, _plus, key = column.field.partition("+")
    told = {
        "key": key,
        "unit": "kg" if field == "weight_kg" else "",
        "values": column.values,
        "required": column.is_required and field != "packages_count",
    }
    return {"heading": column.heading, "field": field or "extra_data"} | {name: it for name, it in told.items() if it}
