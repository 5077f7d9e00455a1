"""The words of event files: the names of columns, and the words for statuses and sources.

These are words, not rules. Words are folded (case, accents, punctuation, underscores, "number", articles) before they
are compared, so each is listed once. The contract's own words and codes are added automatically.
"""

from collections.abc import Mapping
from typing import Literal

from shipments.manifests.words.lexicon import CLASSES
from shipments.manifests.words.spelling import fold
from shipments.statuses import GuideStatus, Source

Column = Literal[
    "tracking_code",
    "mawb",
    "hawb",
    "guide",
    "status",
    "occurred_at",
    "time",
    "event_time",
    "source",
    "internal_note",
    "client_note",
]
"""`time`: the time of day, if it has its own column. `guide` and `event_time` are resolved to another column by the
headings next to them."""


def folded(text: str) -> str:
    """Return a word in the form used for comparison: `Fecha y hora` and `FECHA_HORA` are equal."""
    return " ".join(token for token in fold(text) if token not in CLASSES["article"])


def folded_heading(text: str) -> str:
    """Fold a heading, in which `N°`, `No` and `Nro.` mean "number" and are dropped. In a status, `No` is kept."""
    return " ".join(word for word in folded(text).split() if word != "numero")


_COLUMNS: Mapping[Column, str] = {
    "tracking_code": "tracking code, tracking, tracking id, id tracking, codigo de seguimiento, seguimiento, "
    "codigo tracking, codigo de rastreo, rastreo",
    "mawb": "mawb, master, master awb, guia master, guia madre, guia aerea master, guia aerea madre, awb master",
    "hawb": "hawb, house, house awb, guia hija, guia house, guia aerea hija, awb hija",
    "guide": "guia, guia aerea, awb, air waybill, waybill",
    "status": "status, estado, status code, codigo de estado, evento, event, situacion, estatus, estado actual, "
    "estado del envio, estado de la guia, estado del paquete, estado de la entrega, estado del evento, "
    "estado aduanero, estado en aduana, ultimo estado, ultimo evento, descripcion del estado, "
    "descripcion del evento, current status, last status, shipment status, delivery status, customs status, "
    "event description, hito",
    "occurred_at": "occurred at, timestamp, date, date time, datetime, event date, event timestamp, event datetime, "
    "event date time, status date, scan date, fecha, fecha hora, fecha local, fecha hora local, fecha evento, "
    "fecha hora evento, fecha estado, fecha hora estado, fecha ultimo estado, fecha ultimo evento, fecha escaneo, "
    "fecha hora escaneo, fecha de ocurrencia, ocurrio",
    "time": "time, time of day, hora, hora local, hora evento, hora estado, hora escaneo",
    "event_time": "event time, status time, scan time",
    "source": "source, fuente, informado por, reported by",
    "internal_note": "internal note, nota interna, reason, motivo, razon, observacion, observaciones, observation, "
    "observations, comentario, comentarios, comment, comments, remark, remarks, glosa, detalle, nota, notas, note, "
    "notes",
    "client_note": "client note, customer note, note to client, nota al cliente, nota para cliente, "
    "mensaje al cliente, mensaje para cliente, aviso al cliente",
}

_STATUSES: Mapping[GuideStatus, str] = {
    GuideStatus.REGISTERED: "registrado, registrada, preavisado, pre alerta",
    GuideStatus.CUSTOMS_PROCESSING: "in customs, aduana, proceso aduanero, proceso de aduana, "
    "en tramite, tramite aduanero, tramite de aduana, ingreso a aduana, revision de aduana, customs clearance, "
    "in clearance, awaiting clearance, pending clearance, clearance in progress",
    GuideStatus.CUSTOMS_RELEASED: "released, released by customs, released from customs, cleared, customs cleared, "
    "cleared customs, cleared by customs, clearance completed, clearance complete, customs clearance completed, "
    "liberado, liberada, liberado por aduana, liberada por aduana, liberado de aduana, liberada de aduana, levante, "
    "con levante, levante aduanero, despachado por aduana, nacionalizado, nacionalizada, desaduanado, desaduanada",
    GuideStatus.IN_TRANSIT: "transit, en transito, transito nacional, transito internacional, transito a destino, "
    "en camino, en viaje, en vuelo, in flight, departed, on the way, shipped, despachado, despachada",
    GuideStatus.OUT_FOR_DELIVERY: "on delivery, en reparto, en ruta, en ruta de entrega, en distribucion, "
    "en reparto a domicilio, salio a reparto, salida a reparto, with courier",
    GuideStatus.DELIVERED: "entregado, entregada, entregado conforme, entregada conforme, entregado al destinatario, "
    "entregada al destinatario, entregado al cliente, entregada al cliente, entrega exitosa, entrega realizada, "
    "delivered to consignee, delivered to customer",
    GuideStatus.CUSTOMS_HELD: "held, held by customs, held in customs, held at customs, customs hold, retenido, "
    "retenida, retenido por aduana, retenido en aduana, retenida por aduana, retenida en aduana, retencion aduana, "
    "retencion aduanera",
    GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED: "documents required, documents required by customs, "
    "customs wants documents, documents pending, "
    "missing documents, faltan documentos, falta documentacion, documentos requeridos, documentacion requerida, "
    "documentos pendientes, documentacion pendiente, pendiente de documentos, pendiente de documentacion, "
    "aduana pide documentos",
    GuideStatus.CUSTOMS_DUTIES_PENDING: "duties pending, duties to be paid, duties unpaid, payment pending, "
    "pending payment, impuestos pendientes, impuestos por pagar, derechos pendientes, derechos por pagar, "
    "pago pendiente, pendiente de pago, pago de impuestos pendiente, pendiente pago de impuestos",
    GuideStatus.ON_HOLD: "hold, en espera, detenido, detenida, en pausa",
    GuideStatus.DELIVERY_FAILED: "failed delivery, delivery attempted, delivery attempt, attempted delivery, "
    "delivery attempt failed, failed delivery attempt, not delivered, undelivered, entrega fallida, intento fallido, "
    "intento de entrega, intento de entrega fallido, no entregado, no entregada, entrega no realizada, "
    "destinatario ausente, cliente ausente",
    GuideStatus.RETURNING_TO_SENDER: "returning, return to sender, en devolucion, proceso de devolucion, "
    "devolucion al remitente, en retorno, retornando",
    GuideStatus.CUSTOMS_REJECTED: "rejected, rejected by customs, rechazado, rechazada, rechazado por aduana, "
    "rechazada por aduana, rechazado en aduana, rechazada en aduana",
    GuideStatus.RETURNED: "returned to sender, devuelto, devuelta, devuelto al remitente, devuelta al remitente, "
    "retornado, retornada",
    GuideStatus.LOST: "perdido, perdida, extraviado, extraviada, siniestrado, siniestrada, robado, robada, stolen",
    GuideStatus.CANCELLED: "canceled, cancelado, cancelada, anulado, anulada",
}

_SOURCES: Mapping[Source, str] = {
    Source.PRE_ALERT: "prealerta, pre alerta, preaviso",
    Source.CARRIER: "airline, transportista, aerolinea, linea aerea",
    Source.CUSTOMS: "aduana, aduanas",
    Source.COURIER_SCAN: "courier, scan, last mile, escaneo, escaneo courier, lectura del courier, ultima milla, "
    "mensajeria",
    Source.OPERATOR: "operador, operadora, operaciones",
}


def _split(words: str) -> list[str]:
    return [folded(word) for word in words.split(",")]


HEADINGS: Mapping[str, Column] = {
    word: column for column, words in _COLUMNS.items() for word in (folded_heading(column), *_split(words))
}
"""Folded heading -> column."""

STATUSES: Mapping[str, GuideStatus] = {
    word: status
    for status, words in _STATUSES.items()
    for word in (folded(status.value), str(status.code), *_split(words))
}
"""Folded word or status code -> status."""

SOURCES: Mapping[str, Source] = {
    word: source for source, words in _SOURCES.items() for word in (folded(source.value), *_split(words))
}
"""Folded word -> source."""
