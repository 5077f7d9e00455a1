"""The words of event files: what their columns are called, and how people say statuses and sources.

A list of words, not of rules. Words are folded (case, accents, punctuation, underscores, "number", articles) before
they are compared, so each stands here once; the contract's own words and its codes are added by themselves.
"""

from collections.abc import Mapping
from typing import Literal

from shipments.manifests.heading_tokens import ARTICLES, fold
from shipments.statuses import GuideStatus, Source

Column = Literal["tracking_code", "mawb", "hawb", "status", "occurred_at", "time", "source", "reason"]
"""`time`: the time of day, where it has a column of its own."""


def folded(text: str) -> str:
    """A word as it is compared: `Fecha y hora` and `FECHA_HORA` are one."""
    return " ".join(token for token in fold(text) if token not in ARTICLES)


_COLUMNS: Mapping[Column, str] = {
    "tracking_code": "tracking code, tracking, tracking number, codigo de seguimiento, numero de seguimiento, "
    "seguimiento, codigo tracking, codigo de rastreo, rastreo",
    "mawb": "mawb, master, master awb, guia master, guia madre, guia aerea master, awb master, numero mawb",
    "hawb": "hawb, house, house awb, guia, guia hija, guia house, guia aerea hija, awb hija, numero hawb, numero guia",
    "status": "status, estado, status code, codigo de estado, evento, event, situacion, estatus",
    "occurred_at": "occurred at, timestamp, date, date time, datetime, event date, fecha, fecha hora, "
    "fecha evento, fecha estado, fecha de ocurrencia, ocurrio",
    "time": "time, time of day, hora, hora evento, hora estado",
    "source": "source, fuente, informado por, reported by",
    "reason": "reason, motivo, razon, observacion, observaciones, comentario, comentarios, comment, comments, remarks, "
    "glosa, detalle, nota, notas",
}

_STATUSES: Mapping[GuideStatus, str] = {
    GuideStatus.REGISTERED: "registrado, registrada, preavisado, pre alerta",
    GuideStatus.CUSTOMS_PROCESSING: "in customs, aduana, proceso aduanero, en tramite",
    GuideStatus.CUSTOMS_RELEASED: "released, released by customs, cleared, customs cleared, liberado, liberada, "
    "liberado por aduana, liberada por aduana, levante, con levante, despachado por aduana",
    GuideStatus.IN_TRANSIT: "transit, en transito, en camino, en viaje",
    GuideStatus.OUT_FOR_DELIVERY: "on delivery, en reparto, en ruta, en distribucion, salio a reparto",
    GuideStatus.DELIVERED: "entregado, entregada",
    GuideStatus.CUSTOMS_HELD: "held, held by customs, retenido, retenida, retenido por aduana, retenido en aduana, "
    "retenida por aduana, retenida en aduana",
    GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED: "documents required, customs wants documents, faltan documentos, "
    "documentos requeridos, aduana pide documentos",
    GuideStatus.CUSTOMS_DUTIES_PENDING: "duties pending, duties to be paid, impuestos pendientes, derechos pendientes, "
    "pago pendiente, derechos por pagar",
    GuideStatus.ON_HOLD: "hold, en espera, detenido, detenida, en pausa",
    GuideStatus.DELIVERY_FAILED: "failed delivery, delivery attempted, entrega fallida, intento fallido, no entregado, "
    "no entregada",
    GuideStatus.RETURNING_TO_SENDER: "returning, en devolucion, devolucion al remitente, retornando",
    GuideStatus.CUSTOMS_REJECTED: "rejected, rejected by customs, rechazado, rechazada, rechazado por aduana, "
    "rechazada por aduana",
    GuideStatus.RETURNED: "returned to sender, devuelto, devuelta, retornado, retornada",
    GuideStatus.LOST: "perdido, perdida, extraviado, extraviada",
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
    word: column for column, words in _COLUMNS.items() for word in (folded(column), *_split(words))
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
