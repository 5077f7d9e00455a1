"""The tokens of headings, and what single tokens tell: persons, units, currencies, and words that change a meaning."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from shipments.manifests.headings.guide_words import tokens

Party = Literal["", "consignee", "customer", "shipper", "other"]

_SAME_WORD = {
    **dict.fromkeys(("no", "nro", "num", "number", "n", "nbr", "nr"), "numero"),
    "cant": "cantidad",
    "cod": "codigo",
    "dir": "direccion",
    "doc": "documento",
    "tel": "telefono",
    "vlr": "valor",
}
_SIGNS = str.maketrans(
    {
        "\u00b0": "o ",
        "\u00ba": "o ",
        "#": " numero ",
        "&": " and ",
        "\u2019": "'",
        "\u20ac": " eur ",
        "\u00a3": " gbp ",
        "\u00a5": " cny ",
    }
)

ARTICLES = tokens("de del la el los las of the y and en in al")

UNITS = {
    **dict.fromkeys(tokens("kg kgs kilo kilos kilogramo kilogramos kilograms kilogrammes"), "kg"),
    **dict.fromkeys(tokens("lb lbs libra libras pound pounds"), "lb"),
    **dict.fromkeys(tokens("oz onza onzas ounces"), "oz"),
    **dict.fromkeys(tokens("gr grs gramo gramos gram grams"), "g"),
}
DOLLARS = tokens("usd dolar dolares dollar dollars")
OTHER_CURRENCIES = tokens(
    """ars brl cad clp cny cop eur euro euros gbp jpy local mxn pen pesos reais rmb sol soles uf utm yen yuan"""
)

_PARTIES: dict[str, Party] = {
    **dict.fromkeys(
        tokens(
            """addressee cnee consig consignataria consignatario consignatarios consignee destinataria destinatario
            destinatarios receiver recipient"""
        ),
        "consignee",
    ),
    **dict.fromkeys(
        tokens(
            """beneficiario beneficiary buyer client cliente comprador contact contacto customer importador importer
            merchant"""
        ),
        "customer",
    ),
    **dict.fromkeys(
        tokens(
            """consignante consignor embarcador emisor expediteur expedidor exportador exporter proveedor remitente
            seller sender shipper store supplier tienda vendedor vendor"""
        ),
        "shipper",
    ),
    **dict.fromkeys(
        tokens(
            """aerolinea agent agente airline billing broker carrier courier despachante facturacion notificado
            notificar notify origen origin transporte transportista"""
        ),
        "other",
    ),
}
GROUP_FILLERS = tokens("data datos detalle details final info informacion information")

REMARKS = tokens("mandatory obligatoria obligatorio opcional optional required requerida requerido")

STRAYING = tokens(
    """anterior cantidad clase code codigo country currency date estado fecha foto hora imagen kind link moneda
    observacion observaciones pais previous qty status time tipo type unidad unit unitaria unitario uom url usuario"""
)
"""Words that turn a heading into something else than its first word says."""

VOLUMETRIC = tokens(
    """billable cbm chargeable cobrable cubico dim dimensional dims facturable facturado tasable taxable vol volume
    volumen volumetric volumetrica volumetrico"""
)
UNITARY = tokens("each per por unidad unit unitaria unitario")
NO_FOB = UNITARY | tokens(
    """asegurado caf cfr cif cip comision cost costo derechos descuento discount duties duty flete freight impuesto
    impuestos insurance insured iva kg kilo kilos lb seguro seguros servicio shipping tax taxes"""
)
PIECES_OF_GOODS = tokens("articulos items product producto productos products unidades units")
WEIGHT_RANKS = (
    (0, tokens("bruto brutos gross gw")),
    (3, tokens("net neto netos nw")),
    (2, tokens("actual fisico real")),
)
DECLARED = tokens("aduana aduanero customs declarado declared")


def fold(text: str) -> tuple[str, ...]:
    """The tokens of a heading: lower case, no accents, camelCase and digits apart, abbreviations in one spelling."""
    return tuple(_SAME_WORD.get(token, token) for token in spell(text))


def spell(text: str) -> list[str]:
    """The tokens of a heading before abbreviations are made one."""
    apart = re.sub(r"(?<=[a-z\u00df-\u00ff])(?=[A-Z\u00c0-\u00de])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})", " ", text)
    plain = unicodedata.normalize("NFKD", apart.translate(_SIGNS)).encode("ascii", "ignore")
    lower = plain.decode().lower().replace("'s ", " ")
    lower = re.sub(r"u\$s|us\s?\$|usd\s?\$|\$\s?usd?\b", " usd ", lower)
    return re.findall(r"[a-z]+|[0-9]+", lower)


def party_of(heading: Iterable[str]) -> Party:
    """Whom a heading names; the first one where it names several, but a consignee before everybody else."""
    parties = [_PARTIES[token] for token in heading if token in _PARTIES]
    if "consignee" in parties:
        return "consignee"
    return parties[0] if parties else ""


def group_party(text: str) -> Party:
    """Whom a group heading is about: it names somebody and says nothing else (`DATOS DEL CONSIGNATARIO`)."""
    found = [token for token in fold(text) if token not in ARTICLES]
    if not found or any(token not in _PARTIES and token not in GROUP_FILLERS for token in found):
        return ""
    return party_of(found)


def party_token(token: str) -> Party:
    """Whom a single token names, if anybody."""
    return _PARTIES.get(token, "")
