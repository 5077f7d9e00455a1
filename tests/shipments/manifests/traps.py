"""Misleading headings, made from the trade's words in five languages, beside the true column and instead of it."""
# ruff: noqa: E501 - a line is a language of a family

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from shipments.manifests.cells import Cell
from shipments.manifests.manifest import ParsedManifest

FIELDS = {
    "hawb": "hawb", "name": "consignee_name", "rut": "consignee_document", "address": "consignee_address",
    "goods": "description_original", "packages": "packages_count", "kg": "weight_kg", "fob": "fob_usd",
}  # fmt: skip
TRUE: dict[str, Sequence[dict[str, str]]] = {
    "es": (
        {"hawb": "HAWB", "name": "Consignatario", "rut": "RUT", "address": "Dirección", "goods": "Descripción",
         "packages": "Bultos", "kg": "Peso (kg)", "fob": "Valor FOB (USD)"},
        {"hawb": "Guía", "name": "Nombre destinatario", "rut": "RUT destinatario", "address": "Domicilio",
         "goods": "Contenido", "packages": "Cantidad de bultos", "kg": "Peso bruto", "fob": "Valor declarado USD"},
    ),
    "en": (
        {"hawb": "HAWB", "name": "Consignee", "rut": "Tax ID", "address": "Address", "goods": "Description",
         "packages": "Pieces", "kg": "Gross weight (kg)", "fob": "FOB value (USD)"},
        {"hawb": "Tracking Number", "name": "Recipient name", "rut": "Recipient tax id", "address": "Recipient address",
         "goods": "Contents", "packages": "Packages", "kg": "Weight", "fob": "Declared value (USD)"},
    ),
    "pt": (
        {"hawb": "Conhecimento filhote", "name": "Nome do destinatário", "rut": "RUT", "address": "Endereço",
         "goods": "Descrição da mercadoria", "packages": "Qtde. de volumes", "kg": "Peso bruto (kg)", "fob": "Valor FOB (US$)"},
    ),
    "zh": (
        {"hawb": "分运单号", "name": "收件人姓名", "rut": "收件人税号", "address": "收件人地址", "goods": "英文品名",
         "packages": "件数", "kg": "毛重(KG)", "fob": "申报价值(USD)"},
    ),
    "fr": (
        {"hawb": "HAWB", "name": "Destinataire", "rut": "RUT", "address": "Address", "goods": "Description",
         "packages": "Colis", "kg": "Poids brut (kg)", "fob": "FOB (USD)"},
    ),
}  # fmt: skip

GUIDES: tuple[dict[str, Cell], ...] = (
    {"hawb": "YT26332000100", "name": "Catalina Riquelme Soto", "rut": "12345678-5", "address": "Av. Los Leones 1245",
     "goods": "Polera de algodón", "packages": 2, "kg": 0.42, "fob": 12.9},
    {"hawb": "YT26332000917", "name": "Benjamín Oyarzún Paredes", "rut": "9876543-3", "address": "Pasaje Las Lilas 87",
     "goods": "Auriculares bluetooth", "packages": 1, "kg": 1.135, "fob": 48.5},
    {"hawb": "YT26332000244", "name": "Sofía Huenchullán Rojas", "rut": "17654321-3", "address": "Camino a Lonquén 5520",
     "goods": "Funda de celular", "packages": 3, "kg": 0.09, "fob": 4.2},
    {"hawb": "YT26332000561", "name": "Ana Soto Vidal", "rut": "7654321-6", "address": "Calle Prat 12",
     "goods": "Zapatillas", "packages": 1, "kg": 2.5, "fob": 77},
)  # fmt: skip

VALUES: dict[str, Callable[[int], Cell]] = {
    "money": lambda at: (2.5, 8.91, 0.25, 3.1)[at],
    "weight": lambda at: (7, 5.5, 9, 8.25)[at],
    "count": lambda at: (7, 4, 12, 9)[at],
    "order": lambda at: ("114-77001", "114-90219", "114-77330", "114-55012")[at],
    "counter": lambda at: at + 1,
    "late counter": lambda at: 4100 + at,
    "former": lambda at: ("QX26110000731", "QX26110000522", "QX26110000113", "QX26110000904")[at],
    "one document": lambda _: "11111111-1",
    "documents": lambda at: ("11111111-1", "22222222-2", "11111111-1", "22222222-2")[at],
    "other documents": lambda at: ("11111111-1", "22222222-2", "10000013-K", "5126663-3")[at],
    "one name": lambda _: "Pedro Araya Muñoz",
    "names": lambda at: ("Pedro Araya Muñoz", "Luis Tapia Rey", "Pedro Araya Muñoz", "Luis Tapia Rey")[at],
    "department": lambda at: ("Ventas", "Logística", "Ventas", "Finanzas")[at],
}  # fmt: skip


ROUNDING = 1e-6


@dataclass(frozen=True)
class Family:
    """Headings that are often taken for a field, by language, between bars; and what stands below them."""

    field: str
    values: str
    words: dict[str, str]


FAMILIES: dict[str, Family] = {
    "charges": Family("fob", "money", {
        "es": "Flete USD|Seguro USD|Valor flete|Costo de envío USD|Recargo combustible USD|Manejo USD|Cargo por almacenaje USD|Valor servicio USD|Tarifa USD|Comisión USD|Monto a pagar USD|Monto cobrado USD|Gastos de origen USD|Valor bodegaje|Valor asegurado USD|Total a pagar USD|Precio envío USD|Monto despacho USD",
        "en": "Freight (USD)|Insurance (USD)|Shipping cost USD|Fuel surcharge USD|Handling fee USD|Service amount USD|Total charges USD|Amount due USD|COD amount USD|Delivery price USD|Insured value USD|Refund amount USD|Storage value USD|Collect amount (USD)|Postage USD",
        "pt": "Frete USD|Seguro (US$)|Valor do frete|Taxa de manuseio USD|Valor cobrado USD|Custo de envio USD|Valor segurado US$",
        "zh": "运费(USD)|保险(USD)|运费金额(USD)|服务费(USD)|手续费(USD)|燃油附加费(USD)",
        "fr": "Fret USD|Assurance USD|Frais de port USD|Montant des frais USD|Surcharge carburant USD",
    }),
    "taxes": Family("fob", "money", {
        "es": "IVA USD|Derechos USD|Ad valorem (USD)|Impuestos (USD)|Aranceles USD|Tasa aeroportuaria USD|Gravamen USD|Percepción USD|CIF (USD)|Valor CIF|Valor derechos|Monto IVA|Valor aduanero CIF USD|Multa USD|Tributo USD",
        "en": "Levy (USD)|Duty (USD)|VAT amount USD|Customs fee USD|Tax value (USD)|CIF value (USD)|Duties and taxes USD|Import tax amount USD|Penalty USD|Landed cost USD",
        "pt": "Imposto (USD)|Valor do imposto US$|ICMS USD|Valor CIF (US$)|Multa US$",
        "zh": "关税(USD)|税金(USD)|税额(USD)|增值税(USD)|到岸价(USD)",
        "fr": "Taxe USD|Droits de douane USD|Montant TVA USD|Valeur CIF USD",
    }),
    "other values": Family("fob", "money", {
        "es": "Precio unitario USD|Valor anterior USD|Saldo USD|Descuento USD|Valor cuota USD|Depósito USD|Valor por kilo USD|Valor pedido USD|Límite USD",
        "en": "Unit price USD|Previous value USD|Balance USD|Discount USD|Deposit USD|Price per kg USD|Order value USD|Limit USD|Credit USD",
        "pt": "Preço unitário US$|Valor anterior US$|Desconto US$|Saldo US$",
        "zh": "单价(USD)|折扣(USD)|余额(USD)",
        "fr": "Prix unitaire USD|Remise USD|Solde USD",
    }),
    "orders": Family("hawb", "order", {
        "es": "Número de orden|Pedido|Orden de compra|N° factura|Referencia cliente|Pedido del cliente|Nota de venta|N° interno",
        "en": "Order No.|PO Number|Invoice number|Customer reference|Order ID|Sales order|Internal reference|Booking no",
        "pt": "Número do pedido|Pedido do cliente|Nota fiscal|Referência interna",
        "zh": "订单号|客户订单号|发票号",
        "fr": "Numéro de commande|Référence client|Numéro de facture",
    }),
    "counters": Family("hawb", "counter", {
        "es": "Item|N°|Correlativo|Línea|Índice|Secuencia|Fila|Nº guía interna",
        "en": "Item|No.|Seq|Row|Line no|Index|#",
        "pt": "Item|Nº|Sequência|Linha",
        "zh": "序号|编号|行号",
        "fr": "Ligne|Nº|Numéro d'ordre",
    }),
    "late counters": Family("hawb", "late counter", {
        "es": "ID|Número|Ref|N° registro", "en": "ID|Shipment ID|Ref|Record no|Number", "pt": "ID|Número|Registro",
        "zh": "编号|包裹编号", "fr": "ID|Numéro",
    }),
    "former numbers": Family("hawb", "former", {
        "es": "Guía anterior|HAWB anterior|Tracking anterior|Guía original|Guía de retorno|Guía reemplazada|Ex guía",
        "en": "Previous HAWB|Former AWB|Old tracking number|Original waybill|Return tracking|Replaced tracking|Last tracking",
        "pt": "Guia anterior|Rastreio anterior|Conhecimento anterior",
        "zh": "原运单号|旧单号|退件单号",
        "fr": "Ancien HAWB|HAWB précédent|Ancien tracking",
    }),
    "drivers' documents": Family("rut", "documents", {
        "es": "RUT chofer|Chofer (RUT)|RUT agencia|RUT transportista|RUT conductor|RUT despachador|RUT vendedor|RUT representante legal|Cédula conductor|RUT empresa|RUT bodega|Documento del chofer|RUT operador",
        "en": "Driver ID|Driver document|Agent tax ID|Broker tax ID|Carrier tax number|Courier RUT|Warehouse tax ID|Company tax ID|Pilot passport",
        "pt": "CPF do motorista|Documento do motorista|RUT da agência|CNPJ da transportadora",
        "zh": "司机身份证|代理税号|承运人税号",
        "fr": "RUT chauffeur|Document du chauffeur|RUT agence",
    }),
    "others' documents": Family("rut", "other documents", {
        "es": "RUT anterior|RUT autorizado|RUT quien retira|RUT representante|RUT vendedor|RUT apoderado|RUT comprador anterior",
        "en": "Previous tax ID|Authorized person ID|Pickup person ID|Seller tax ID|Guardian ID|Sender tax id",
        "pt": "RUT anterior|CPF do representante|RUT do remetente",
        "zh": "发件人税号|代收人身份证",
        "fr": "Ancien RUT|RUT du représentant|RUT expéditeur",
    }),
    "drivers' names": Family("name", "names", {
        "es": "Chofer|Conductor|Agente|Despachador|Nombre del chofer|Nombre agencia|Vendedor|Ejecutivo|Autorizado por|Recibido por|Preparado por|Nombre conductor|Nombre operador|Representante legal|Nombre de quien retira|Nombre anterior",
        "en": "Driver|Driver name|Agent name|Broker|Prepared by|Received by|Authorized by|Sales rep|Account manager|Picker name|Pilot name|Previous name|Courier name|Notify party|Clerk name",
        "pt": "Motorista|Nome do motorista|Agente|Nome do vendedor|Recebido por",
        "zh": "司机姓名|代理|业务员|操作员姓名|发件人姓名",
        "fr": "Chauffeur|Nom du chauffeur|Agent|Préparé par",
    }),
    "other weights": Family("kg", "weight", {
        "es": "Peso volumétrico (kg)|Peso tara kg|Estiba (kg)|Peso facturado|Peso por pieza|Peso máximo kg|Peso cubado|Peso pallet (kg)|Capacidad (kg)|Peso caja vacía (kg)|Diferencia (kg)|Peso tarifado (kg)|Peso anterior (kg)|Peso según MAWB|Peso avión (kg)|Peso promedio|Peso unitario (kg)|Embalaje (kg)",
        "en": "Volumetric weight (kg)|Tare (kg)|Chargeable weight|Max weight (kg)|Pallet weight (kg)|Weight per piece|Billed weight|Box weight empty (kg)|Capacity (kg)|Weight limit kg|Previous weight (kg)|Dim weight kg|ULD weight (kg)|Packaging (kg)|Weight difference (kg)",
        "pt": "Peso cubado (kg)|Peso taxado|Tara (kg)|Peso unitário (kg)|Peso máximo (kg)|Peso da embalagem (kg)",
        "zh": "体积重(KG)|计费重(KG)|皮重(KG)|材积重(KG)|单件重量(KG)|最大重量(KG)",
        "fr": "Poids volumétrique (kg)|Poids taxable|Tare (kg)|Poids unitaire (kg)|Poids maximum (kg)",
    }),
    "other counts": Family("packages", "count", {
        "es": "Cantidad de items|Unidades|Piezas por bulto|N° de página|Unidades por caja|Nº de caja|Cantidad artículos|Nº de pallets|Páginas|Cantidad de documentos|Días|Cantidad devuelta|Bultos faltantes|Bultos anteriores|Cantidad de productos|Bultos por pallet",
        "en": "Items count|Units|Pieces per box|Page number|Units per carton|Box no|Item quantity|Pallets|Pages|Days|Returned pieces|Missing pieces|Product qty|Carton number|Number of documents",
        "pt": "Quantidade de itens|Unidades por caixa|Páginas|Dias|Volumes faltantes",
        "zh": "商品数量|每箱数量|页数|箱号|天数",
        "fr": "Nombre d'articles|Unités par colis|Pages|Jours",
    }),
    "departments": Family("", "department", {
        "es": "Departamento|Zona|Área|Estado|Sección|Depto", "en": "Department|Dept|Zone|Area|State", "pt": "Departamento|Estado|Área",
        "zh": "部门|状态|州", "fr": "Département|Zone",
    }),
}  # fmt: skip


@dataclass(frozen=True)
class Trap:
    """A table with a misleading column. field: that it may be taken for; empty if for none in particular."""

    family: str
    heading: str
    field: str
    is_instead: bool
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    place: int

    @property
    def name(self) -> str:
        return f"{self.family}: {self.heading} {'instead' if self.is_instead else 'beside'} at {self.place}"


def traps() -> Iterator[Trap]:
    """Every trap, left and right of the true column, beside it and instead of it."""
    for family, about in FAMILIES.items():
        for language, words in about.words.items():
            for at, heading in enumerate(words.split("|")):
                layouts = TRUE[language]
                true = layouts[at % len(layouts)]
                for is_left in (True, False):
                    yield _trap(family, about, heading, true, is_left=is_left, is_instead=False)
                if about.field:
                    yield _trap(family, about, heading, true, is_left=bool(at % 2), is_instead=True)


def _trap(family: str, about: Family, heading: str, true: dict[str, str], *, is_left: bool, is_instead: bool) -> Trap:
    names = list(true)
    place = names.index(about.field or "address") + (0 if is_left else 1)
    if is_instead:
        place = names.index(about.field)
        names.remove(about.field)
    headings = [true[name] for name in names]
    headings.insert(place, heading)
    rows: list[list[Cell]] = [[guide[name] for name in names] for guide in GUIDES]
    for at, row in enumerate(rows):
        row.insert(place, VALUES[about.values](at))
    return Trap(family, heading, about.field, is_instead, tuple(headings), tuple(map(tuple, rows)), place)


def some_traps(count: int, seed: int) -> list[Trap]:
    """A choice of them, the same for each seed."""
    return random.Random(seed).sample(list(traps()), count)  # noqa: S311  # of test cases


def silent_faults(trap: Trap, manifest: ParsedManifest) -> list[str]:
    """What of a trap was read wrong, or is lost, without a question, a notice or a warning about it."""
    asked = {question.field.replace("_rut", "_document") for question in manifest.questions}
    if "hawb" in asked:
        return []  # nothing is created
    found = []
    said = " ".join(f"{notice.code} {notice.reason.sentence}" for notice in manifest.notices).replace(
        "_rut", "_document"
    )
    bait = [row[trap.place] for row in trap.rows]
    for name, field in FIELDS.items():
        is_missing = trap.is_instead and name == trap.field
        for at, guide in enumerate(manifest.guides):
            value, true = getattr(guide, field), GUIDES[at][name]
            is_same = value == true if isinstance(true, str) else abs(float(value or 0) - float(str(true))) < ROUNDING
            is_empty = not value or (name == "packages" and value == 1)
            is_said = field in asked or f"no_column_{field}" in said
            if (is_missing or not is_same) and not (is_empty and is_said):
                found.append(f"{field} is {value!r} in silence")
                break
    for at, guide in enumerate(manifest.guides):
        texts = (guide.consignee_region, guide.consignee_city, guide.shipper_name, guide.consignee_phone)
        if trap.family == "departments" and bait[at] in texts:
            found.append(f"{bait[at]!r} was read")
            break
    used = {column.column for column in manifest.columns} | {column.column for column in manifest.kept}
    used |= {column.column for question in manifest.questions for column in question.columns}
    found += [f"column {letter} is lost" for letter in "ABCDEFGHIJ"[: len(trap.headings)] if letter not in used]
    return found
