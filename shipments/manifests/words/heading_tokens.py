"""What single tokens of a heading mean: persons, levels, and words that change what a heading is about."""

from collections.abc import Iterable, Sequence
from typing import Literal

from shipments.manifests.cells import tokens
from shipments.manifests.words.spelling import fold

Party = Literal["", "consignee", "customer", "shipper", "other"]

ARTICLES = tokens("de del la el los las of the y and en in al da das do dos du")
CONNECTIVES = ARTICLES | tokens("a as at com con e for is o on or ou p para por su to u with")
"""Words that do not affect what a column holds."""

_PARTIES: dict[str, Party] = {
    **dict.fromkeys(
        tokens(
            """addressee addressees attention cnee consig consignada consignado consignataria consignatario
            consignatarios consignee consignees cnsee csgn destinataire destinataria destinatario destinatarios
            receiver receivers receptor receptora recebedor recipient recipients rcvr"""
        ),
        "consignee",
    ),
    **dict.fromkeys(
        tokens(
            """beneficiario beneficiary buyer client cliente comprador contact contacto customer importador importer
            importadora merchant"""
        ),
        "customer",
    ),
    **dict.fromkeys(
        tokens(
            """consignador consignante consignor embarcador emisor expediteur expedidor exportador exportadora exporter
            proveedor remetente remitente remite seller sender senders shipper shippers store supplier tienda vendedor
            vendor"""
        ),
        "shipper",
    ),
    **dict.fromkeys(
        tokens(
            """aerolinea agencia agent agente airline aduanas billing broker carrier courier despachante despachador
            facturacion forwarder notificado notificar notify operador operator origen origin transportadora transporte
            transportista"""
        ),
        "other",
    ),
}
_PARTY_PHRASES: dict[tuple[str, str], Party] = {
    **dict.fromkeys(
        (
            ("ship", "to"), ("shipped", "to"), ("deliver", "to"), ("delivered", "to"), ("send", "to"), ("sent", "to"),
            ("consigned", "to"), ("delivery", "to"), ("shipping", "to"), ("entregar", "a"), ("entrega", "a"),
            ("enviar", "a"), ("enviado", "a"), ("consignado", "a"), ("despachar", "a"), ("dirigido", "a"),
        ),
        "consignee",
    ),
    **dict.fromkeys((("sold", "to"), ("invoice", "to"), ("factura", "a"), ("bill", "to"), ("facturar", "a")), "other"),
    **dict.fromkeys(
        (("ship", "from"), ("shipped", "from"), ("shipped", "by"), ("sent", "by"), ("send", "from"), ("ship", "by"),
         ("enviado", "por"), ("despachado", "por"), ("remitido", "por")),
        "shipper",
    ),
}  # fmt: skip
_LEADING: dict[str, Party] = {"to": "consignee", "para": "consignee", "from": "shipper", "desde": "shipper"}
"""Persons, when such a word begins a heading about a person (`toName`), or is a group heading by itself."""
_ALONE: dict[str, Party] = {**_LEADING, "de": "shipper", "dest": "consignee"}

GROUP_FILLERS = tokens(
    """data datos dados detalle detalles details detail final info informacion information party parte persona section
    seccion"""
)
REMARKS = tokens(
    """mandatory obligatoria obligatorio obrigatorio opcional optional required requerida requerido req oblig"""
)

STRAYING = tokens(
    """anterior cantidad clase class code codigo country currency date estado fecha foto hora imagen kind link moneda
    observacion observaciones pais previous qty quantity status time tipo type types unidad unit unitaria unitario uom
    url usuario version"""
)
"""Words that change the meaning given by a heading's first word."""

ITEM_LEVEL = tokens(
    """articulo articulos article articles item items itens line linea lineitem product producto productos products
    produto"""
)
"""Words of the level below a guide. A heading with one of them yields to a heading about the parcel."""


def party_of(heading: Iterable[str]) -> Party:
    """The party that a heading names. If it names several, the consignee, else the first."""
    named = list(heading)
    parties = [party for position in range(len(named)) if (party := _party_at(named, position))]
    if "consignee" in parties:
        return "consignee"
    return parties[0] if parties else ""


def without_party(heading: Sequence[str], party: Party) -> tuple[str, ...]:
    """The tokens that do not name this party."""
    rest: list[str] = []
    position = 0
    while position < len(heading):
        if (*heading[position : position + 2],) in _PARTY_PHRASES:
            position += 2
            continue
        if party_token(heading[position]) != party and not (position == 0 and heading[0] in _LEADING):
            rest.append(heading[position])
        position += 1
    return tuple(rest)


def _party_at(heading: Sequence[str], position: int) -> Party:
    phrase = (*heading[position : position + 2],)
    if phrase in _PARTY_PHRASES:
        return _PARTY_PHRASES[phrase]
    if position == 0 and len(heading) > 1 and heading[0] in _LEADING:
        return _LEADING[heading[0]]
    return _PARTIES.get(heading[position], "")


def group_party(text: str) -> Party:
    """The party of a group heading that names one and nothing else (`DATOS DEL CONSIGNATARIO`, `TO`)."""
    folded = fold(text)
    if len(folded) == 1 and folded[0] in _ALONE:
        return _ALONE[folded[0]]
    party = party_of(folded)
    if not party:
        return ""
    found = [token for token in folded if token not in ARTICLES]
    named = [token for token in without_party(folded, party) if token not in ARTICLES]
    if not found or any(token not in _PARTIES and token not in GROUP_FILLERS for token in named):
        return ""
    return party


def party_token(token: str) -> Party:
    """The party that a single token names, if any."""
    return _PARTIES.get(token, "")


PARTY_TOKENS = frozenset(_PARTIES)
