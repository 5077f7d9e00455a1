"""Manifests in many layouts, and what must be read from each: one table of cases.

A layout is a row of `heading=value` pairs between bars; a `@word` is that value of each of two guides. Where a
field's word is in the layout, the field must be read, unless the case says otherwise.
"""
# ruff: noqa: E501 - a case is a line of the table

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from shipments.manifests.xlsx.opening import Cell
from tests.shipments.manifests.sheets import MAWB_LABEL

Kind = Literal["good", "wrong in silence", "empty in silence"]
"""What a case guards against. `good`: a usual layout, read in full, with one needless notice at most."""

GUIDES: tuple[dict[str, Cell], ...] = (
    {"hawb": "PA0000000001", "name": "Antonia Fuentes Rojas", "rut": "12345678-5", "desc": "Zapatillas deportivas",
     "pk": 2, "kg": 1.5, "fob": 59.9, "addr": "Avenida Los Leones 1280, depto 52", "city": "Providencia",
     "phone": "+56 9 5550 0101", "mail": "antonia@example.com", "ship": "Example Outlet Inc.",
     "shipaddr": "1200 NW 78th Ave, Doral", "zip": "7510000", "region": "Metropolitana", "hs": "640411",
     "given": "Antonia", "surname": "Fuentes Rojas", "nick": "antonia_f", "other": "Logistics Partner SA"},
    {"hawb": "PA0000000002", "name": "Comercial Cordillera SpA", "rut": "76543210-3", "desc": "Repuestos de bicicleta",
     "pk": 1, "kg": 4.8, "fob": 189.5, "addr": "Calle Prat 856, oficina 301", "city": "Valparaíso",
     "phone": "+56 32 555 0102", "mail": "compras@example.com", "ship": "Example Parts LLC",
     "shipaddr": "77 Harbor Road, Miami", "zip": "2340000", "region": "Valparaíso", "hs": "871499",
     "given": "Comercial", "surname": "Cordillera", "nick": "cordillera77", "other": "Second Broker Ltda"},
)  # fmt: skip

FIELDS = {
    "name": "consignee_name",
    "rut": "consignee_document",
    "desc": "description_original",
    "pk": "packages_count",
    "kg": "weight_kg",
    "fob": "fob_usd",
    "addr": "consignee_address",
    "city": "consignee_city",
    "phone": "consignee_phone",
    "mail": "consignee_email",
    "ship": "shipper_name",
    "hs": "hs_code",
}


@dataclass(frozen=True)
class Case:
    """One layout.

    want: field's word -> what the first guide must have, as text; empty when it must be unknown.
    said: codes of which one at least has to be among the notices and warnings.
    """

    kind: Kind
    name: str
    columns: tuple[tuple[str, str], ...]
    want: dict[str, str]
    said: tuple[str, ...] = ()
    above: tuple[tuple[Cell, ...], ...] = ()
    groups: tuple[str, ...] = ()

    def rows(self) -> list[list[Cell]]:
        """The cells of the sheet."""
        table: list[list[Cell]] = [[*MAWB_LABEL], *([*cells] for cells in self.above)]
        if self.groups:
            table.append([group or None for group in self.groups])
        table.append([heading or None for heading, _ in self.columns])
        table += [[_cell(value, guide) for _, value in self.columns] for guide in GUIDES]
        return table


def _cell(value: str, guide: dict[str, Cell]) -> Cell:
    if value.startswith("@"):
        return guide[value[1:]]
    if " ; " in value:
        value = value.split(" ; ")[GUIDES.index(guide)]
    if value == "~":
        return None
    if value.startswith("'"):
        return value[1:]
    try:
        return float(value)
    except ValueError:
        return value or None


def _case(
    kind: Kind,
    title: str,
    layout: str,
    /,
    said: str = "",
    above: Iterable[tuple[Cell, ...]] = (),
    groups: str = "",
    **want: str,
) -> Case:
    columns = []
    for pair in layout.replace("\n", " ").split(" | "):
        heading, _, value = pair.strip().rpartition("=")
        columns.append((heading.strip(), value.strip()))
    given = {value[1:] for _, value in columns if value[1:] in FIELDS and value.startswith("@")}
    expected = {word: _expected(word) for word in FIELDS if word in given} | want
    spans = tuple(part.strip() for part in groups.split(" | ")) if groups else ()
    return Case(kind, title, tuple(columns), expected, tuple(said.split()), tuple(above), spans)


def _expected(word: str) -> str:
    value = GUIDES[0][word]
    if word == "kg":
        return f"{value:.3f}"
    return f"{value:.2f}" if word == "fob" else str(value)


def _good(title: str, layout: str, /, groups: str = "", **want: str) -> Case:
    return _case("good", title, layout, "", (), groups, **want)


CORE = "HAWB=@hawb | Consignatario=@name | RUT=@rut | Descripción=@desc | Bultos=@pk"

USUAL = (
    _good("marketplace, English", """Tracking Number=@hawb | Recipient Name=@name | Recipient Tax ID=@rut |
        Recipient Address=@addr | Recipient City=@city | Recipient State=@region | Recipient Postal Code=@zip |
        Recipient Country=CL | Recipient Phone=@phone | Recipient Email=@mail | Item Description=@desc |
        HS Code=@hs | Quantity=@pk | Gross Weight (kg)=@kg | Declared Value (USD)=@fob | Currency=USD"""),
    _good("cross-border platform, camelCase", """logisticsOrderNo=LP001 ; LP002 | trackingNumber=@hawb | receiverName=@name |
        receiverTaxNo=@rut | receiverPhone=@phone | receiverEmail=@mail | receiverAddress=@addr |
        receiverCity=@city | receiverProvince=@region | receiverZipCode=@zip | goodsName=@desc | packageCount=@pk |
        grossWeightKg=@kg | declaredValueUsd=@fob | hsCode=@hs | senderName=@ship | senderCountry=CN"""),
    _good("snake_case export", """house_awb=@hawb | consignee_full_name=@name | consignee_tax_id=@rut |
        consignee_address_line_1=@addr | consignee_city=@city | consignee_phone_number=@phone |
        consignee_email_address=@mail | goods_description=@desc | no_of_packages=@pk | gross_weight_kgs=@kg |
        total_declared_value_usd=@fob | sender_name=@ship"""),
    _good("SAP export", """Nº guía hija=@hawb | Destinatario mercancías=@name | Nº ident.fiscal=@rut |
        Denominación=@desc | Ctd. bultos=@pk | Peso bruto=@kg | Unidad de peso=KG | Valor FOB=@fob | Mon.=USD |
        Centro=1000 | Almacén=AL01"""),
    _good("Odoo export", """Tracking Reference=@hawb | Delivery Address/Name=@name | Delivery Address/Tax ID=@rut |
        Delivery Address/Street=@addr | Delivery Address/City=@city | Delivery Address/Phone=@phone |
        Product/Name=@desc | Number of Packages=@pk | Weight for shipping=@kg | Declared Value USD=@fob"""),
    _good("shop export", """Tracking Number=@hawb | Name=#1001 ; #1002 | Shipping Name=@name | Shipping Street=@addr |
        Shipping City=@city | Shipping Zip=@zip | Shipping Phone=@phone | Email=@mail | RUT=@rut |
        Lineitem name=@desc | Packages=@pk | Weight (kg)=@kg | Declared value=@fob | Vendor=@ship""", ),
    _good("customs type 86", """HAWB Number=@hawb | Shipper Name=@ship | Shipper Address=@shipaddr |
        Consignee Name=@name | Consignee ID Number=@rut | Consignee Address=@addr | Consignee City=@city |
        Consignee State=@region | Consignee Zip Code=@zip | Cargo Description=@desc | Piece Count=@pk |
        Weight=@kg | Weight UOM=KG | Line Item Value=12 | Total Shipment Value (USD)=@fob | HTS Number=@hs |
        Country of Origin=CN"""),
    _good("postal service", """Item ID=@hawb | Addressee Name=@name | Addressee ID=@rut | Addressee Address=@addr |
        Addressee City=@city | Addressee Telephone=@phone | Contents Description=@desc | No of Pieces=@pk |
        Item Gross Weight Kg=@kg | Declared Value=@fob | Currency Code=USD | Sender=@ship"""),
    _good("courier of Chile", """N° GUIA MASTER=045-12345675 | N° GUIA HIJA=@hawb | NOMBRE CONSIGNATARIO=@name |
        RUT CONSIGNATARIO=@rut | DIRECCION CONSIGNATARIO=@addr | COMUNA=@city | TELEFONO=@phone |
        NOMBRE CONSIGNANTE=@ship | DESCRIPCION MERCANCIA=@desc | CANTIDAD DE BULTOS=@pk | PESO BRUTO KGS=@kg |
        VALOR FOB US$=@fob | VALOR FLETE US$=8 | VALOR SEGURO US$=1 | VALOR CIF US$=70"""),
    _good("courier of Peru", """NRO. GUIA HIJA=@hawb | APELLIDOS Y NOMBRES / RAZON SOCIAL=@name | NRO. DOCUMENTO=@rut |
        TIPO DE DOCUMENTO=RUT | DOMICILIO DEL DESTINATARIO=@addr | DISTRITO=@city | DESCRIPCION DE LA MERCANCIA=@desc |
        CANT. BULTOS=@pk | PESO BRUTO (KG.)=@kg | VALOR FOB (US$)=@fob | CATEGORIA=2"""),
    _good("courier of Argentina", """Guía hija N°=@hawb | Apellido y nombre destinatario=@name |
        CUIT/CUIL/DNI destinatario=@rut | Domicilio destinatario=@addr | Localidad=@city |
        Descripción de la mercadería=@desc | Cant. de bultos=@pk | Peso bruto (Kgs.)=@kg | Valor FOB U$S=@fob"""),
    _good("Brazilian broker", """Conhecimento filhote=@hawb | Nome do destinatário=@name | CPF/CNPJ do destinatário=@rut |
        Endereço do destinatário=@addr | Cidade=@city | Telefone=@phone | Descrição da mercadoria=@desc |
        Qtde. de volumes=@pk | Peso bruto (kg)=@kg | Valor FOB (US$)=@fob | Remetente=@ship"""),
    _good("bilingual", """Guía/HAWB=@hawb | Consignatario/Consignee=@name | RUT/Tax ID=@rut | Dirección/Address=@addr |
        Ciudad/City=@city | Descripción/Description=@desc | Bultos/Packages=@pk | Peso/Weight (KG)=@kg |
        Valor/Value (USD)=@fob"""),
    _good("bilingual, brackets", """HAWB=@hawb | Consignatario (Consignee)=@name | RUT (Tax ID)=@rut |
        Descripción (Description)=@desc | Bultos (Pieces)=@pk | Peso bruto (Gross weight) [kg]=@kg |
        Valor FOB (FOB value) [USD]=@fob"""),
    _good("Chinese forwarder", """运单号=@hawb | 收件人姓名=@name | 收件人税号=@rut | 收件人地址=@addr | 收件人城市=@city |
        收件人电话=@phone | 英文品名=@desc | 件数=@pk | 毛重(KG)=@kg | 申报价值(USD)=@fob | 发件人=@ship"""),
    _good("Chinese and English", """分运单号 HAWB=@hawb | 收件人 Consignee=@name | 税号 Tax ID=@rut | 品名 Description=@desc |
        件数 Pieces=@pk | 重量 Weight(KG)=@kg | 总价值 Total Value(USD)=@fob"""),
    _good("full width", """ＨＡＷＢ=@hawb | Ｃｏｎｓｉｇｎｅｅ=@name | ＲＵＴ=@rut | Ｄｅｓｃｒｉｐｔｉｏｎ=@desc | ＰＣＳ=@pk |
        Ｗｅｉｇｈｔ（ＫＧ）=@kg | ＦＯＢ（ＵＳＤ）=@fob"""),
    _good("read in the wrong encoding", """GuÃ­a hija=@hawb | Consignatario=@name | RUT=@rut | DescripciÃ³n=@desc | Bultos=@pk |
        Peso (kg)=@kg | Valor FOB=@fob"""),
    _good("shipper's block, consignee's block", """HAWB=@hawb | Shipper=@ship | Address=@shipaddr | City=Miami | Consignee=@name |
        Tax ID=@rut | Address=@addr | City=@city | Goods=@desc | Pcs=@pk | Gross Kgs=@kg | FOB=@fob"""),
    _good("from and to", """HAWB=@hawb | Name=@ship | Address=@shipaddr | Name=@name | Address=@addr | RUT=@rut |
        Contents=@desc | Pieces=@pk | Weight (kg)=@kg | Value (USD)=@fob""", groups=" | FROM | FROM | TO | TO | TO"),
    _good("sender and receiver over the headings", """HAWB=@hawb | Name=@ship | Address=@shipaddr | Name=@name | Address=@addr |
        Tax ID=@rut | Contents=@desc | Pieces=@pk | Weight (kg)=@kg | Value (USD)=@fob""",
        groups=" | SENDER | SENDER | RECEIVER | RECEIVER | RECEIVER"),
    _good("fromName, toName", """hawb=@hawb | fromName=@ship | fromAddress=@shipaddr | toName=@name | toTaxId=@rut |
        toAddress=@addr | toCity=@city | toPhone=@phone | contents=@desc | pieces=@pk | weightKg=@kg | valueUsd=@fob"""),
    _good("ship from, ship to", """Waybill=@hawb | Ship From Name=@ship | Ship From Address=@shipaddr | Ship To Name=@name |
        Ship To Address=@addr | Ship To City=@city | Ship To Phone=@phone | Ship To Tax ID=@rut |
        Description of Contents=@desc | Total Packages=@pk | Actual Weight (KG)=@kg | Customs Value (USD)=@fob"""),
    _good("forwarder with volumes", """House=@hawb | Cnee=@name | RUT Cnee=@rut | Naturaleza de la carga=@desc | Pzas=@pk |
        K. Bruto=@kg | Peso volumen=7 | Largo=10 | Ancho=10 | Alto=10 | FOB USD=@fob | Bodega=B1"""),
    _good("abbreviated", """Nro Guia=@hawb | Nom. Destinatario=@name | RUT Dest.=@rut | Dir. Dest.=@addr | Desc. Merc.=@desc |
        Cant. Btos.=@pk | P. Bruto Kg=@kg | Val. FOB USD=@fob"""),
    _good("capitals run together", """NUMEROGUIA=@hawb | NOMBREDESTINATARIO=@name | RUTDESTINATARIO=@rut |
        DIRECCIONDESTINATARIO=@addr | DESCRIPCIONMERCANCIA=@desc | CANTIDADBULTOS=@pk | PESOKG=@kg | VALORFOBUSD=@fob"""),
    _good("dotted", """pkg.hawb=@hawb | consignee.name=@name | consignee.rut=@rut | consignee.address=@addr | content.description=@desc |
        pkg.pieces=@pk | pkg.weight_kg=@kg | customs.value_usd=@fob"""),
    _good("measures in other words", """HAWB=@hawb | Destinatario=@name | RUT=@rut | Glosa=@desc | Cajas=@pk | Masa bruta (kg)=@kg |
        Importe FOB USD=@fob"""),
    _good("value qualified at length", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Number of Cartons=@pk |
        Total Gross Weight of Parcel (kg)=@kg | Total Declared Customs Value in US Dollars=@fob"""),
    _good("a unit column without a heading", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Pieces=@pk | Weight=10 |
        =LBS | Value=@fob""", kg="4.536"),
    _good("a currency column without a heading", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Pieces=@pk | Weight=@kg |
        Value=@fob | =USD"""),
    _good("remarks and other columns", """Item=1 ; 2 | HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Pieces=@pk | Kilos=@kg |
        FOB=@fob | Remarks=frágil | Service=Express | Bag No=B1 | SKU=S1 | Brand=Acme | Color=rojo |
        Order Date=2026-11-01 | Invoice No=F1 | Incoterm=FOB | Image URL=http://x | Length (cm)=10"""),
)  # fmt: skip

WRONG = (
    *(_case("wrong in silence", f"heading {heading}", f"{CORE} | {heading}=10 | FOB=@fob", kg=kilograms)
      for heading, kilograms in (
        ("Peso (gr)", "0.010"), ("Peso [grs.]", "0.010"), ("Peso - gramos", "0.010"), ("pesogr", "0.010"),
        ("PesoGr", "0.010"), ("weight_g", "0.010"), ("Weight(g)", "0.010"), ("Weight {g}", "0.010"),
        ("Peso en gms", "0.010"), ("Peso bruto gr.", "0.010"), ("Peso（克）", "0.010"), ("重量(g)", "0.010"),
        ("WeightGrams", "0.010"), ("PESO GRAMAS", "0.010"), ("Peso (ton)", "10000.000"), ("Peso toneladas", "10000.000"),
        ("Weight (MT)", "10000.000"), ("Peso (t)", "10000.000"), ("pesolb", "4.536"), ("WEIGHT_LBS", "4.536"),
        ("weightLb", "4.536"), ("Peso＜LB＞", "4.536"), ("Peso: libras", "4.536"), ("Peso <lbs>", "4.536"),
        ("Gross Lbs", "4.536"), ("Libras brutas", "4.536"), ("Peso onzas", "0.283"), ("Weight/oz", "0.283"),
        ("Peso (mg)", "0.000"), ("Ｗｅｉｇｈｔ（ＬＢ）", "4.536"), ("Peso *libra*", "4.536"), ("Weight in pounds", "4.536"),
        ("Weight, lb", "4.536"), ("Wt.Lbs.", "4.536"), ("GW(LBS)", "4.536"), ("PesoBrutoLbs", "4.536"))),
    *(_case("wrong in silence", f"unit unknown in {heading}", f"{CORE} | {heading}=10 | FOB=@fob", "weight_unit_unknown", kg="")
      for heading in ("Peso (kg/lb)", "Weight KG LB", "Peso (st)", "Weight (stone)", "Peso (arrobas)", "Peso qq",
                      "Peso (hg)", "Weight (short tons)", "Peso (100 g)", "Peso (dag)", "Peso [xyz]", "Peso quintales")),
    *(_case("wrong in silence", f"currency of {heading}", f"{CORE} | Peso=@kg | {heading}=12000", "currency_unknown", fob="")
      for heading in ("Valor (S/)", "Valor S/.", "Valor R$", "Valor ($ CLP)", "Valor moneda nacional", "Valor en pesos chilenos",
                      "FOB AR$", "Valor ARS", "Valor (UF)", "Valor ¥", "Value RMB", "Value (cents)", "Valor en centavos",
                      "Valor FOB M/N", "Valor COP", "MXN$ valor", "valorCLP", "montoclp", "valor_brl", "Valor (Reais)",
                      "Declared Value (EUR)", "申报价值(人民币)", "Valor (USD/CLP)", "FOB (€)", "Value [GBP]", "Valor (XYZ)",
                      "Valor Bs.", "Valor Gs", "Value CA$", "Value A$", "Value HK$")),
    _case("wrong in silence", "the unit is above the table", f"{CORE} | Peso=10 | FOB=@fob", above=(("Unidad", "LB"),), kg="4.536"),
    _case("wrong in silence", "the unit is above the table, with a colon", f"{CORE} | Peso=10 | FOB=@fob",
          above=(("Unidad de peso: LB",),), kg="4.536"),
    _case("wrong in silence", "a sentence has the unit", f"{CORE} | Peso=10 | FOB=@fob",
          above=(("Nota: todos los pesos en libras",),), kg="4.536"),
    _case("wrong in silence", "an English sentence has the unit", f"{CORE} | Weight=10 | FOB=@fob",
          above=(("All weights are in grams unless noted",),), kg="0.010"),
    _case("wrong in silence", "a sentence has the currency", f"{CORE} | Peso=@kg | Valor=12000", "currency_unknown",
          above=(("Valores expresados en CLP",),), fob=""),
    _case("wrong in silence", "a sentence says pesos", f"{CORE} | Peso=@kg | Valor=12000", "currency_unknown",
          above=(("Los valores de este manifiesto están en pesos",),), fob=""),
    _case("wrong in silence", "a labelled cell has the currency", f"{CORE} | Peso=@kg | Valor=12000", "currency_unknown",
          above=(("Moneda", "CLP"),), fob=""),
    _case("wrong in silence", "a labelled cell has another currency", f"{CORE} | Peso=@kg | Value=12000", "currency_unknown",
          above=(("Currency: EUR",),), fob=""),
    _case("wrong in silence", "two units are above the table", f"{CORE} | Peso=10 | FOB=@fob", "weight_unit_unknown",
          above=(("Pesos en kg",), ("Pesos en libras",)), kg=""),
    _case("wrong in silence", "a unit column far under another word", f"{CORE} | Peso=10 | U/M=LB | FOB=@fob", kg="4.536"),
    _case("wrong in silence", "a unit column headed Unidad", f"{CORE} | Unidad=LB | Peso=10 | FOB=@fob", kg="4.536"),
    _case("wrong in silence", "a currency column headed Tipo", f"{CORE} | Peso=@kg | Valor=12000 | Tipo=CLP",
          "fob_usd_invalid currency_unknown", fob=""),
    _case("wrong in silence", "a currency column without heading", f"{CORE} | Peso=@kg | Valor=12000 | =CLP",
          "fob_usd_invalid currency_unknown", fob=""),
    _case("wrong in silence", "heading and unit column disagree", f"{CORE} | Peso (kg)=10 | Unidad de peso=LB | FOB=@fob",
          "weight_unit_unknown weight_kg_invalid", kg=""),
    _case("wrong in silence", "grams that look like kilograms", f"{CORE} | Peso=1500 | FOB=@fob", "weight_unlikely", kg="1500.000"),
    _case("wrong in silence", "pesos that look like dollars", f"{CORE} | Peso=@kg | Valor=59900", "fob_unlikely", fob="59900.00"),
    _case("wrong in silence", "decimal commas decided by another cell", f"{CORE} | Peso=1,5 ; 2,25 | FOB='1.234 ; '59,90", fob="1234.00"),
    _case("wrong in silence", "a thousand kilograms beside a decimal comma", f"{CORE} | Peso='1.234 ; '5,5 | FOB=@fob",
          kg="1234.000"),
    _case("wrong in silence", "three decimals beside a decimal point", f"{CORE} | Peso=@kg | FOB='1.234 ; '59.90", fob="1.23"),
    _case("wrong in silence", "consignee's tax number in words", """HAWB=@hawb | Consignee TIN=@rut | Consignee=@name | Contents=@desc |
          Pieces=@pk | Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "consignee details", """HAWB=@hawb | Consignee Details=@addr | Name of Consignee=@name | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob""", name="Antonia Fuentes Rojas", addr=""),
    _case("wrong in silence", "the consignee's reference is not a name", """HAWB=@hawb | Consignee Reference=R1 ; R2 | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob""", "field_without_column", name=""),
    _case("wrong in silence", "the consignee's account is not a name", """HAWB=@hawb | Receiver Account=A1 ; A2 | Receiver Full Name=@name |
          RUT=@rut | Contents=@desc | Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "a column that names the person holds the RUT", """HAWB=@hawb | Consignatario=@rut | Nombre=@name |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "a column that names the person holds the address", """HAWB=@hawb | Destinatario=@addr |
          Nombre destinatario=@name | RUT=@rut | Contents=@desc | Weight=@kg | FOB=@fob""", addr=""),
    _case("wrong in silence", "a nickname beside the name", """HAWB=@hawb | Recipient=@nick | Recipient Name=@name | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "the buyer beside the recipient's name", """HAWB=@hawb | Buyer=@nick | Recipient name=@name | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "quantity beside a unit price", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Quantity=7 |
          Unit price=3 | Weight=@kg | FOB=@fob""", "field_without_column", pk="1"),
    _case("wrong in silence", "Portuguese quantity beside a unit value", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Quantidade=7 |
          Valor unitário=3 | Peso=@kg | FOB=@fob""", "field_without_column", pk="1"),
    _case("wrong in silence", "item weight beside the parcel's", """HAWB=@hawb | Consignee=@name | RUT=@rut | Item weight (kg)=0.2 |
          Parcel weight (kg)=@kg | Contents=@desc | Pieces=@pk | Item value=3 | Parcel value=@fob"""),
    _case("wrong in silence", "product weight beside the shipment's", """HAWB=@hawb | Consignee=@name | RUT=@rut | Product weight=0.2 |
          Shipment weight=@kg | Contents=@desc | Pieces=@pk | Product price=3 | Shipment value USD=@fob"""),
    *(_case("wrong in silence", f"{heading} is not FOB", f"{CORE} | Peso=@kg | {heading}=12", "field_without_column currency_unknown",
            fob="")
      for heading in ("Valor flete", "Value of insurance", "Valor seguro USD", "Monto IVA", "COD Amount", "Valor CIF USD",
                      "Total freight amount", "Valor derechos", "Amount of duty", "Valor bodegaje", "Precio unitario",
                      "Valor asegurado", "Handling value", "Total CIF", "Valor despacho", "Refund amount", "Tax amount USD",
                      "Valor a cobrar", "Valor arancel", "Collect amount", "Tipo de cambio", "Valor do frete")),
    *(_case("wrong in silence", f"{heading} is not a weight", f"{CORE} | {heading}=12 | FOB=@fob",
            "field_without_column weight_unit_unknown", kg="")
      for heading in ("Peso volumétrico (kg)", "Chargeable Weight KG", "Peso cubado", "Peso cobrable", "Peso aforado", "Peso tara",
                      "Tare weight", "Weight per piece", "Peso promedio", "Max weight", "Billed weight", "Dim. Wt", "Peso taxable",
                      "体积重(KG)", "Volumetric mass (kg)", "Peso dim. kg", "VolWeight", "Peso/Vol", "Peso unitario (kg)")),
    *(_case("wrong in silence", f"{heading} is not a count of packages", f"""HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc |
            {heading}=7 | Weight=@kg | FOB=@fob""", "field_without_column", pk="1")
      for heading in ("Package Type", "Tipo de bulto", "Package volume", "Piezas por bulto", "Package value", "Valor bulto")),
    _case("wrong in silence", "equal headings with nothing to distinguish them", """HAWB=@hawb | Nombre=@other | Nombre=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob""", "equal_headings", name=""),
    _case("wrong in silence", "equal weights with nothing to distinguish them", f"{CORE} | Peso=9 ; 8 | Peso=@kg | FOB=@fob",
          "equal_headings", kg=""),
    _case("wrong in silence", "notify party", """HAWB=@hawb | Notify Name=@other | Consignee Name=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "the broker's RUT", """HAWB=@hawb | RUT Agencia=76543210-3 | RUT Consignatario=@rut | Consignatario=@name |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "sold to and ship to", """HAWB=@hawb | Sold To Name=@other | Ship To Name=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob"""),
    _case("wrong in silence", "the sender's name first, then a name", """HAWB=@hawb | De=@ship | Para=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob""", "field_without_column", name="", ship=""),
)  # fmt: skip

EMPTY = (
    *(_case("empty in silence", f"weight under {heading}", f"{CORE} | {heading}=@kg | FOB=@fob")
      for heading in ("Masa (kg)", "Mass KG", "Shipment Gross Weight", "Total weight of shipment in KGs", "Peso manifestado",
                      "Kgs. Totales", "Gross Kilos", "Peso bruto estimado kg", "Weight Kilograms", "Pes. Br. Kg", "Peso Kilogramo",
                      "Peso Aprox. (Kg)", "Parcel Mass", "Peso del envío", "Peso registrado en balanza (kg)", "pesoTotalKg",
                      "毛重", "Poids brut (kg)", "Wgt KG", "PESO FÍSICO KG", "Peso do pacote (kg)", "Peso_Bruto_Total_Kg")),
    *(_case("empty in silence", f"value under {heading}", f"{CORE} | Peso=@kg | {heading}=@fob")
      for heading in ("Declared Shipment Value", "Total Goods Amount USD", "Merchandise Value for Customs Purposes", "Valor Mercancías FOB",
                      "Vlr. Declarado", "Val FOB", "Valor total de la mercancía (US$)", "Customs declared amount", "Valor p/ aduana",
                      "Precio FOB Total", "FOB Miami USD", "Monto total declarado", "Valor aduanero declarado USD", "DeclaredValueUSD",
                      "Valor declarado da mercadoria", "FOB Val.", "Package declared value", "valorMercanciaUsd", "申报总价(美元)",
                      "Valor Comercial US$", "Total Value of Goods", "Value for Customs (US Dollars)", "Valor del contenido")),
    *(_case("empty in silence", f"packages under {heading}", f"""HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc |
            {heading}=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("Number of Parcel Cartons", "N° total de bultos", "Bultos declarados", "Total Pkgs", "Qtd. volumes", "Cant. Paq.",
                      "Parcels", "Package Qty.", "Piezas totales", "No. Pieces / Cartons", "Nro. de cajas", "Total de piezas", "pieceCount",
                      "Cantidad de piezas manifestadas", "件数", "Número de volumes", "Bultos recibidos", "PKG COUNT")),
    *(_case("empty in silence", f"description under {heading}", f"""HAWB=@hawb | Consignee=@name | RUT=@rut | {heading}=@desc |
            Pieces=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("Parcel Contents Description", "Descripción comercial ampliada", "Detailed Description of Goods",
                      "Contenido declarado del paquete", "Mercancía transportada", "Full goods description (English)",
                      "Glosa de la mercancía", "Customs Description", "Denominación de la mercadería", "Naturaleza y cantidad",
                      "商品名称", "Descrição detalhada", "Product Title", "Goods Name", "Contents EN",
                      "Nature and Quantity of Goods", "Description (EN)", "DescripcionProducto", "Detalle de contenido")),
    *(_case("empty in silence", f"RUT under {heading}", f"""HAWB=@hawb | Consignee=@name | {heading}=@rut | Contents=@desc |
            Pieces=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("RUT/RUN", "Rol Único Tributario", "Tax Number", "Consignee TIN", "Consignee VAT No.", "ID Fiscal", "Nº ident. fiscal",
                      "Receiver ID", "Receiver National ID", "Consignee Identification", "Doc. Nro.", "Cédula/RUT", "taxId", "Recipient RUT",
                      "收件人税号", "Identificador del consignatario", "Consignee fiscal code", "RUT del receptor", "Nro doc. destinatario",
                      "Clave", "Registro")),
    *(_case("empty in silence", f"name under {heading}", f"""HAWB=@hawb | {heading}=@name | RUT=@rut | Contents=@desc |
            Pieces=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("Nombre del receptor", "Name of Consignee", "Consignee Company / Name", "Nombre completo del destinatario",
                      "Recipient Full Name", "Nombre o razón social del consignatario", "To Name", "Destinatario - Nombre",
                      "Nome destinatário", "Receiver's name", "收件人", "Customer Full Name", "ship_to_name", "Destinataire",
                      "Consignee Contact Name", "Nombre Cliente Final", "Razón Social Importador", "Delivery Name", "Attention To",
                      "Nombre de quien recibe", "Entregar a")),
    _case("empty in silence", "the weight's heading is unknown", f"{CORE} | Balanza=@kg | FOB=@fob",
          "column_not_understood field_without_column", kg=""),
    _case("empty in silence", "the value's heading is unknown", f"{CORE} | Peso=@kg | Cotizado=@fob",
          "column_not_understood field_without_column", fob=""),
    _case("empty in silence", "no value at all", f"{CORE} | Peso=@kg", "field_without_column", fob=""),
    _case("empty in silence", "no RUT at all", "HAWB=@hawb | Consignee=@name | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob",
          "field_without_column", rut=""),
    _case("empty in silence", "some weights are missing", f"{CORE} | Peso=~ ; 3 | FOB=@fob", "values_missing", kg=""),
    _case("empty in silence", "all weights are missing", f"{CORE} | Peso= | FOB=@fob", "values_missing", kg=""),
    _case("empty in silence", "some names are missing", """HAWB=@hawb | Consignatario=~ ; Ana | RUT=@rut | Descripción=@desc | Bultos=@pk |
          Peso=@kg | FOB=@fob""", "values_missing", name=""),
    _case("empty in silence", "an unknown column", f"{CORE} | Peso=@kg | FOB=@fob | Zxqwy=7", "column_not_understood"),
    _case("empty in silence", "the consignee's own heading after the shipper's", """HAWB=@hawb | Shipper=@ship | Consignee Name & Address=@name |
          RUT=@rut | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob | Shipper Phone=1 | Phone=@phone"""),
)  # fmt: skip

CASES = (*USUAL, *WRONG, *EMPTY)
