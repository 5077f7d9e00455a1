"""Head nouns: what a heading is about when no listed word covers it, so that combinations need not be listed."""

from collections.abc import Iterable
from functools import cache

from shipments.manifests.cells import tokens
from shipments.manifests.words.guide_words import Field
from shipments.manifests.words.heading_measures import (
    GOODS_NOUNS,
    MEASURING_WORDS,
    PACKAGE_NOUNS,
    QUALIFIERS,
    UNITS,
    VALUE_NOUNS,
    WEIGHT_NOUNS,
    WEIGHT_RANKS,
)
from shipments.manifests.words.heading_tokens import CONNECTIVES, ITEM_LEVEL, STRAYING
from shipments.manifests.words.vocabulary import Meaning, listed_words

_COUNTS = tokens("cantidad count numero qty quantity total")
_UNIT_WORDS = tokens("medida uom um unidad unidades unit units")
_CURRENCY_WORDS = tokens("currency divisa moneda")
_GROSS_OR_NET = frozenset(word for _, words in WEIGHT_RANKS for word in words)
_TITLES = tokens("name names nombre title titulo")
_GENERAL = 2

_ABOUT_PERSONS: tuple[tuple[Field, frozenset[str]], ...] = (
    ("consignee_email", tokens("correo email emails mail")),
    (
        "consignee_phone",
        tokens("cell celular fono mobile movil phone phones tel telephone telefono telefonos whatsapp"),
    ),
    ("consignee_postal_code", tokens("cp postal postcode zip zipcode")),
    (
        "consignee_document",
        tokens(
            """cedula cnpj cpf cuil cuit curp dni documento document ein fiscal id identidad identificacion
            identificador identification identifier identity nif nit passport pasaporte rfc ruc run rut ssn tax taxid
            taxno tin tributaria tributario vat"""
        ),
    ),
    ("consignee_name", tokens("name names nombre nombres razon")),
    ("consignee_city", tokens("ciudad city comuna localidad municipio town")),
    ("consignee_region", tokens("estado provincia province region state")),
    ("consignee_country", tokens("country pais")),
    ("consignee_address", tokens("addr address calle direccion domicilio street")),
)
_PERSONS_QUALIFIERS = CONNECTIVES | tokens(
    """business clave code codigo company complete completa completo comercial contact contacto contribuyente delivery
    empresa entrega envio fiscal full home house legal line main nacional national numero nacional o oficial particular
    personal primary principal recibe registro residencia residential rol shipping social trade tributario tributaria
    unico unica quien persona person"""
)

_UNUSED = tokens(
    """account actividad agency agencia almacen alto altura ancho arancel asesor asin attribute attributes auxiliar
    bag bags
    barcode barras batch bodega bolsa branch brand bucket campaign canal carrier cantidad caso categoria category
    cbm centro cif class
    clase clasificacion code codigo color comentario comentarios comment comments comision consol consolidado container
    contenedor contrato cost costo created creacion cubicaje cuenta currency cvr customs date deposito descuento
    dimension dimensiones dimensions discount duties duty ean embalaje entrega envoltorio estado estatus factura fba
    fecha fees fila flete foto fragil freight fulfillment gateway glosario gtin hazmat height hora hub id image imagen
    impuesto impuestos incoterm incoterms index indice insurance invoice items iva label largo length linea line
    link lot lote
    lugar manejo manifest manifiesto marca marcas mark marks material measure medidas metodo method modalidad model
    modelo modo mode nota notas note notes observacion observaciones observation observations office oficina operador
    orden order orders origen origin packaging pago pallet payment pedido peligroso periodo pickup placa plataforma
    platform plan po policy poliza position posicion priority prioridad procedencia proceso prioridad product puerto
    purpose qty quantity reference referencia regimen remark remarks route row ruta saca sacas salesman seal sello
    secuencia seguro
    seller sequence serial serie service services servicio servicios shop sistema site size sku sort sorting source
    state status stock subtotal sucursal tag tags talla tamano tariff tarifa tasa tax taxes terminal terms tienda time
    timestamp tipo token tracking trayecto turno type unidad unidades unit units upc updated url user username
    nacimiento usuario valor variant variante
    vehiculo vehicle vendor version via volume volumen warehouse website width zona zone"""
)
"""Words for other columns that manifests have. A heading with one of them and nothing else is known to be unneeded."""


def by_head_noun(words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """What a heading measures, counts or describes; empty without such a noun.

    Nouns of measures come before those of what is measured: `package weight` is a weight, `goods value` a value.
    """
    if measure := _unit_or_currency(words):
        return measure
    has_value = not VALUE_NOUNS.isdisjoint(words)
    weights = WEIGHT_NOUNS - {"pesos"} if has_value else WEIGHT_NOUNS  # `monto en pesos`
    has_weight = not weights.isdisjoint(words)
    if has_weight and has_value:
        return ()
    if has_weight or _is_weight_by_its_unit(words):
        return (Meaning("weight_kg", 1, is_exact=False),)
    if has_value:
        return (Meaning("fob_usd", _GENERAL, is_exact=False),)
    has_packages, has_goods = not PACKAGE_NOUNS.isdisjoint(words), not GOODS_NOUNS.isdisjoint(words)
    if has_packages and (not has_goods or not _COUNTS.isdisjoint(words)):
        return (Meaning("packages_count", 0, is_exact=False),)
    has_goods = has_goods or not (ITEM_LEVEL.isdisjoint(words) or _TITLES.isdisjoint(words))
    return (Meaning("description_original", 1, is_exact=False),) if has_goods else ()


def about_a_person(words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The detail of a person that a heading names with one noun, when all its other words are known not to matter."""
    kinds = [(field, nouns) for field, nouns in _ABOUT_PERSONS if not nouns.isdisjoint(words)]
    if not kinds:
        return ()
    field, nouns = kinds[0]
    known = nouns | _PERSONS_QUALIFIERS
    if field == "consignee_email":
        known |= _ABOUT_PERSONS[-1][1]  # e-mail address
    # A line of an address other than the first is another field.
    if any(word not in known and word != "1" for word in words):
        return ()
    return (Meaning(field, _GENERAL if field == "consignee_document" else 1, is_exact=False),)


def is_known_unused(words: Iterable[str]) -> bool:
    """Whether a heading that means no field is about another column that manifests have: one of its words says so.

    All its words must be known: a `Sello` is a seal, but a `Sello Zafra` may be anything.
    """
    words = tuple(words)
    return not _UNUSED.isdisjoint(words) and not unlisted(words)


def unlisted(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a heading that are in no list. Numbers count as listed: `Foto 1`."""
    return tuple(word for word in words if word not in _known_words() and not word.isdigit())


@cache
def _known_words() -> frozenset[str]:
    persons = frozenset().union(*(nouns for _, nouns in _ABOUT_PERSONS))
    return listed_words() | MEASURING_WORDS | _UNUSED | _COUNTS | _UNIT_WORDS | persons | _PERSONS_QUALIFIERS | STRAYING


def _unit_or_currency(words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """The field for the unit of the weight (`unidad de peso`, `weight UOM`) or the currency of the value."""
    units = [position for position, word in enumerate(words) if word in _UNIT_WORDS]
    weights = [position for position, word in enumerate(words) if word in WEIGHT_NOUNS]
    if units and weights and not UNITS.keys() & set(words):
        is_spanish = words[weights[0]] in {"peso", "pesos"}
        if (units[0] < weights[0]) == is_spanish:
            return (Meaning("weight_unit", 1, is_exact=False),)
    is_named = not _CURRENCY_WORDS.isdisjoint(words) and {"nacional", "local"}.isdisjoint(words)
    if is_named and all(word in _CURRENCY_WORDS | VALUE_NOUNS | QUALIFIERS for word in words):
        return (Meaning("currency", 1, is_exact=False),)
    return ()


def _is_weight_by_its_unit(words: tuple[str, ...]) -> bool:
    """Whether a heading is only a unit of weight, perhaps with the kind of weight: `Gross kgs`, `Libras brutas`."""
    says_which = not _GROSS_OR_NET.isdisjoint(words)
    units = [word for word in words if word in UNITS and (len(word) > 1 or (word == "k" and says_which))]
    return bool(units) and all(word in UNITS or word in _GROSS_OR_NET or word in QUALIFIERS for word in words)
