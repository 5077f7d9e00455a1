"""Which unit, which currency and which kind of measure a heading names.

Nothing is assumed: every word in the heading of a measure must be a listed noun, unit, currency or qualifier; otherwise
the measure is unknown. Only a heading without a unit (`PESO`) or without a currency (`VALOR`) leaves that open.
"""

from collections.abc import Collection, Iterable, Sequence

from shipments.manifests.cells import tokens
from shipments.manifests.words.heading_tokens import CONNECTIVES, GROUP_FILLERS, ITEM_LEVEL, PARTY_TOKENS, REMARKS
from shipments.manifests.words.spelling import fold

_COSTS = tokens("cost costo costos")
_LONGEST_CURRENCY = 4
UNREADABLE = "?"
"""The unit or currency of a heading that names several, or qualifies it with an unknown word."""

UNITS = {
    **dict.fromkeys(
        tokens(
            """k kg kgm kgr kgrs kgs kil kilo kilog kilogram kilograma kilogramas kilogramme kilogrammes kilogramo
            kilogramos kilograms kilos klg klgs kls quilo quilograma quilogramas quilos"""
        ),
        "kg",
    ),
    **dict.fromkeys(tokens("lb lbr lbs libra libras pound pounds"), "lb"),
    **dict.fromkeys(tokens("onca oncas onz onza onzas ounce ounces oz ozs"), "oz"),
    **dict.fromkeys(
        tokens("g gm gms gr gram grama gramas gramme grammes gramo gramos grams grm grms grs"),
        "g",
    ),
    **dict.fromkeys(tokens("mt tm tn tne tns ton tonelada toneladas tonne tonnes tons"), "t"),
    **dict.fromkeys(tokens("mg mgm mgr mgs miligramo miligramos milligram milligrams"), "mg"),
}
"""Words for units of weight, as they are written in headings -> key of `amounts.UNITS`."""

DOLLARS = tokens("usd dolar dolares dollar dollars")
_OF_DOLLARS = tokens(
    "us usa eeuu eua americano americanos norteamericano norteamericanos estadounidense estadounidenses united states"
)
_CURRENCIES = {
    **dict.fromkeys(DOLLARS, "USD"),
    **{code: code.upper() for code in tokens(
        """ars aud bob brl cad chf clf clp cny cop crc dop eur gbp gtq hkd hnl inr jpy krw mxn nio nzd pab pen pyg sgd
        try uyu ves"""
    )},
    **dict.fromkeys(tokens("euro euros"), "EUR"),
    "sterling": "GBP",
    **dict.fromkeys(tokens("real reais reales"), "BRL"),
    **dict.fromkeys(tokens("rmb renminbi yuan yuanes"), "CNY"),
    **dict.fromkeys(tokens("sol soles"), "PEN"),
    **dict.fromkeys(tokens("yen yenes"), "JPY"),
    **dict.fromkeys(tokens("bs boliviano bolivianos"), "BOB"),
    **dict.fromkeys(tokens("gs guarani guaranies"), "PYG"),
    **dict.fromkeys(tokens("uf utm"), "CLF"),
    **dict.fromkeys(tokens("cent centavo centavos centimo centimos cents ctv ctvs"), "cents"),
    **dict.fromkeys(tokens("mil miles millares million millones millon thousand thousands"), "thousands"),
    **dict.fromkeys(tokens("peso pesos"), "pesos"),
    **dict.fromkeys(tokens("local nacional"), "local"),
    "otras": UNREADABLE,
}  # fmt: skip
"""Words and codes of currencies in headings -> the currency. The noun decides on `real` (weight) and `peso`."""
CURRENCY_CODES = DOLLARS | frozenset(word for word, name in _CURRENCIES.items() if word.upper() == name)
"""Words that can only mean a currency."""

WEIGHT_NOUNS = tokens("masa mass massa peso pesos poids weight wt gw nw")
VALUE_NOUNS = tokens(
    "amount amounts fob importe importes monto montos price prices precio precios preco valor valores value values"
)
PACKAGE_NOUNS = tokens(
    """bulto bultos caja cajas carton cartones cartons colis ctn ctns package packages paquetes parcels pcs pieces
    pieza piezas pkg pkgs pzas"""
)
GOODS_NOUNS = tokens(
    """commodity contenido contenidos content contents conteudo descripcion description denominacion glosa goods
    mercancia merchandise naturaleza nature"""
)

VOLUMETRIC = tokens(
    """aforado aforo billable billed cargable cbm chargeable charged cobrable cobrar cubado cubicado cubico cubed dim
    dimensional dimensionado dims facturable facturado rated taxable tasable taxado tasado vol volum volume volumen
    volumes volumetric volumetrica volumetrico volumetry vw cw"""
)
_PRICES = tokens("price prices precio precios preco")
_UNITARY = tokens(
    """average avg c each every media medio per promedio unidad unidades unit unitaria unitarias unitario unitarios
    units x"""
)
_NO_WEIGHT = VOLUMETRIC | tokens(
    """capacidad capacity charge class codigo code date difference diferencia dto excess exceso fecha flete freight
    hora limit limite max maximo maximum min minimo minimum rate tara tare tarifa tipo type"""
)
NO_FOB = tokens(
    """adicional agenciamiento agregado almacenaje alquiler antidumping arancel aranceles asegurada asegurado aseguro
    bodegaje caf cambio cargo cargos cfr charge charges cif cip cobrado cobrar cod codigo code collect collected
    comision
    commission contrareembolso corretaje cost costo costos cpt credito cuota date debito deposit descuento despacho
    derecho derechos discount dto duties duty ddp due exchange expenses fecha fee fees flete freight gasto gastos
    gravamen
    handling honorarios iva impuesto impuestos insurance insured interes internacion isd kg kgs kilo kilos lb lbs
    logistica logistico margen manejo multa pagado pagar paid payable pis prima percepcion postage
    premium prepaid rate rebate recargo recargos reembolso refund residual saldo seguro seguros service servicio
    servicios
    surcharge tarifa tarifas tasa tasas tax taxes tip tipo transport transporte tributo tributos
    type vat"""
)
_NO_PACKAGES = _UNITARY | tokens(
    """code codigo contenido content contents date descripcion description dimension dimensiones dimensions fecha
    height id identificacion kind label length marca marcas marks numeracion peso price precio referencia reference
    size tamano tipo tipos tracking type types valor value vol volume volumen weight weights width"""
)
_NO_GOODS = tokens(
    """amount bultos cantidad embalaje error packaging service servicio cargos charge charges cost costo costos duty
    fee fees flete freight impuesto insurance seguro
    tax taxes category categoria clase class code codigo country currency date fecha hs id importe kind
    link moneda monto numero origen origin packages pais peso piezas price precio qty quantity sku status tipo type
    unidad unit url valor value weight"""
)
PIECES_OF_GOODS = tokens("articulos item items itens product producto productos products unidades units")
WEIGHT_RANKS = (
    (0, tokens("bruta brutas bruto brutos gross gw")),
    (3, tokens("net neta neto netos nw liquido")),
    (2, tokens("actual fisico real")),
)
DECLARED = tokens("aduana aduanera aduanero aduanas customs declarado declared")


def _in_both_genders(words: frozenset[str]) -> frozenset[str]:
    """These words with the Spanish endings of those in `-do`: `declarada`, `manifestados`."""
    return words | {word[:-1] + ending for word in words if word.endswith("do") for ending in ("a", "os", "as")}


QUALIFIERS = _in_both_genders(
    CONNECTIVES
    | GROUP_FILLERS
    | REMARKS
    | PARTY_TOKENS
    | ITEM_LEVEL
    | tokens(
        """actual aduana aduanas aduanera aduanero ajustado aprox aproximada aproximado approx approximate awb balanza
        bascula bill box boxes bulto bultos caja cajas calculado calculated carga cargo carton cartons collo comercial
        commercial comprobado confirmado consignment courier customs declaracion declarado declared decimal decimales
        decimals delivery destino encomienda entrega envio envios estimado estimated estimativo export expresado
        expressed final foreign goods guia hawb hija house import importacion individual informado informed mani manif
        manifestado manifestados manifested manifiesto measured medido mercancia merchandise order original
        package packages packaging pacote paquete paquetes parcel parcels pedido pieza piezas piece pieces pkg pkgs
        promocional purpose purposes reception recibido recibidos recibida received reci registrado registered reported
        scale scaled shipment shipped shipping station sum suma todo todos total totales totals total tot unidad
        verificado verified verif waybill"""
    )
)
_WEIGHT_WORDS = (
    QUALIFIERS
    | WEIGHT_NOUNS
    | {word for _, words in WEIGHT_RANKS for word in words}
    | tokens("br brut brutto dead expedido medida kilogrametrico p vivo")
)
_VALUE_WORDS = (
    QUALIFIERS
    | VALUE_NOUNS
    | GOODS_NOUNS
    | DECLARED
    | tokens(
        """assessed comercial dolar fca fob exw factura facturado free board invoice in numero tributable
        transaccion transaction import"""
    )
    | _OF_DOLLARS
)

MEASURING_WORDS = frozenset(
    _WEIGHT_WORDS
    | _VALUE_WORDS
    | PACKAGE_NOUNS
    | PIECES_OF_GOODS
    | _NO_WEIGHT
    | NO_FOB
    | _NO_PACKAGES
    | _NO_GOODS
    | UNITS.keys()
    | _CURRENCIES.keys()
)
"""All words that say what a heading measures, in what, and what it does not measure."""


def is_no_weight(everything: Collection[str]) -> bool:
    """Whether a word rules out that a heading means the weight of a guide."""
    return not _NO_WEIGHT.isdisjoint(everything) or _is_for_each(everything)


def is_no_value(everything: Collection[str]) -> bool:
    """Whether a word rules out that a heading means the FOB value of a guide."""
    is_price = not (_PRICES.isdisjoint(everything) or ITEM_LEVEL.isdisjoint(everything))
    return is_price or not NO_FOB.isdisjoint(everything) or _is_for_each(everything)


def _is_for_each(everything: Collection[str]) -> bool:
    """Whether a heading is about each piece; `declarado por el cliente` is not."""
    return not _UNITARY.isdisjoint(everything) or ("por" in everything and PARTY_TOKENS.isdisjoint(everything))


def is_no_count(everything: Collection[str]) -> bool:
    """Whether a word rules out that a heading means the number of packages of a guide."""
    return not _NO_PACKAGES.isdisjoint(everything) or "por" in everything


def is_no_description(everything: Collection[str]) -> bool:
    """Whether a word rules out that a heading means the contents of a guide."""
    return not _NO_GOODS.isdisjoint(everything)


def is_unit_price(everything: Collection[str]) -> bool:
    """Whether a heading names the price of one piece."""
    is_price = not (VALUE_NOUNS | _COSTS).isdisjoint(everything) and _is_for_each(everything)
    return is_price or not (_PRICES.isdisjoint(everything) or ITEM_LEVEL.isdisjoint(everything))


def is_unit_word(word: str) -> bool:
    """Whether a cell holds only a unit of weight."""
    return word.strip(" .()").casefold() in UNITS or word.strip(" .()").casefold() == "t"


def is_currency_word(word: str) -> bool:
    """Whether a cell holds only a currency. A bare `$` does not count."""
    words = fold(word)
    return 0 < len(words) <= _LONGEST_CURRENCY and all(each in _CURRENCIES or each in _OF_DOLLARS for each in words)


def unknown_words(everything: Iterable[str], known: Collection[str]) -> list[str]:
    """The words in the heading of a package count that are neither listed nor known qualifiers."""
    return [word for word in everything if word not in QUALIFIERS and word not in PACKAGE_NOUNS and word not in known]


def unit_of_heading(everything: Sequence[str], remarks: Iterable[Sequence[str]], known: Collection[str]) -> str:
    """The unit of weight that a heading names: a key of `amounts.UNITS`, empty for none, `UNREADABLE`.

    everything: the tokens of the heading, including remarks in brackets. remarks: the tokens of each remark. known:
    tokens of the listed headings of weights.
    """
    units = set()
    for position, token in enumerate(everything):
        following = everything[position + 1] if position + 1 < len(everything) else ""
        if token == "g" and (following in WEIGHT_NOUNS or following in {"kil", "kgs", "kg"}):  # noqa: S105 - not a secret
            continue  # `G. Weight` is gross
        if token == "t":  # noqa: S105 - not a secret
            units.add("t" if ["t"] in [[*remark] for remark in remarks] else UNREADABLE)
        elif token in UNITS:
            units.add(UNITS[token])
        elif token not in _WEIGHT_WORDS and token not in known:
            units.add(UNREADABLE)
    return units.pop() if len(units) == 1 else UNREADABLE if units else ""


def currency_of_heading(everything: Sequence[str], known: Collection[str]) -> str:
    """The currency that a heading names: a code or a word for it, `USD` for US dollars, empty for none, `UNREADABLE`.

    known: tokens of the listed headings of values.
    """
    found = set()
    for token in everything:
        if token in _CURRENCIES:
            found.add(_CURRENCIES[token])
        elif token == "moneda":  # noqa: S105 - not a secret
            found.add("local")
        elif token not in _VALUE_WORDS and token not in known:
            # An Incoterm is followed by a place: FOB Miami.
            found.add("" if "fob" in everything and len(token) > 3 else UNREADABLE)
    found.discard("")
    if found <= {"pesos", "local", "CLP"} and "CLP" in found:
        return "CLP"
    return found.pop() if len(found) == 1 else UNREADABLE if found else ""


def currency_named(words: Iterable[str]) -> str:
    """The currency named in a sentence, as `currency_of_heading` returns it; other words are ignored."""
    found = {_CURRENCIES[word] for word in words if word in _CURRENCIES} - {""}
    return found.pop() if len(found) == 1 else UNREADABLE if found else ""


def unit_named(words: Iterable[str]) -> str:
    """The unit of weight named in a sentence, as `unit_of_heading` returns it."""
    found = {UNITS[word] for word in words if word in UNITS and len(word) > 1}
    return found.pop() if len(found) == 1 else UNREADABLE if found else ""


def weight_rank(everything: Collection[str], rank: int) -> int:
    """The rank among competing weights, 0 is best: gross, plain, actual, net; a parcel's before an item's."""
    ranked = next((value for value, words in WEIGHT_RANKS if not words.isdisjoint(everything)), rank)
    return ranked if ITEM_LEVEL.isdisjoint(everything) else ranked + _ITEMS


def value_rank(everything: Collection[str], rank: int) -> int:
    """The rank among competing values, 0 is best: FOB, declared, plain, total; a parcel's before an item's."""
    ranked = 0 if "fob" in everything else min(rank, 1) if not DECLARED.isdisjoint(everything) else rank
    return ranked if ITEM_LEVEL.isdisjoint(everything) else ranked + _ITEMS


_ITEMS = 5
