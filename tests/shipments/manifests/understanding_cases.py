"""Manifests in many layouts, and what must be read from each."""
# ruff: noqa: E501 - a case is a line of the table

from tests.shipments.manifests.understanding import good, make_case

CORE = "HAWB=@hawb | Consignatario=@name | RUT=@rut | Descripción=@desc | Bultos=@pk"

USUAL = (
    good("marketplace, English", """Tracking Number=@hawb | Recipient Name=@name | Recipient Tax ID=@rut |
        Recipient Address=@addr | Recipient City=@city | Recipient State=@region | Recipient Postal Code=@zip |
        Recipient Country=CL | Recipient Phone=@phone | Recipient Email=@mail | Item Description=@desc |
        HS Code=@hs | Quantity=@pk | Gross Weight (kg)=@kg | Declared Value (USD)=@fob | Currency=USD"""),
    good("cross-border platform, camelCase", """logisticsOrderNo=LP001 ; LP002 | trackingNumber=@hawb | receiverName=@name |
        receiverTaxNo=@rut | receiverPhone=@phone | receiverEmail=@mail | receiverAddress=@addr |
        receiverCity=@city | receiverProvince=@region | receiverZipCode=@zip | goodsName=@desc | packageCount=@pk |
        grossWeightKg=@kg | declaredValueUsd=@fob | hsCode=@hs | senderName=@ship | senderCountry=CN"""),
    good("snake_case export", """house_awb=@hawb | consignee_full_name=@name | consignee_tax_id=@rut |
        consignee_address_line_1=@addr | consignee_city=@city | consignee_phone_number=@phone |
        consignee_email_address=@mail | goods_description=@desc | no_of_packages=@pk | gross_weight_kgs=@kg |
        total_declared_value_usd=@fob | sender_name=@ship"""),
    good("SAP export", """Nº guía hija=@hawb | Destinatario mercancías=@name | Nº ident.fiscal=@rut |
        Denominación=@desc | Ctd. bultos=@pk | Peso bruto=@kg | Unidad de peso=KG | Valor FOB=@fob | Mon.=USD |
        Centro=1000 | Almacén=AL01"""),
    good("Odoo export", """Tracking Reference=@hawb | Delivery Address/Name=@name | Delivery Address/Tax ID=@rut |
        Delivery Address/Street=@addr | Delivery Address/City=@city | Delivery Address/Phone=@phone |
        Product/Name=@desc | Number of Packages=@pk | Weight for shipping=@kg | Declared Value USD=@fob"""),
    good("shop export", """Tracking Number=@hawb | Name=#1001 ; #1002 | Shipping Name=@name | Shipping Street=@addr |
        Shipping City=@city | Shipping Zip=@zip | Shipping Phone=@phone | Email=@mail | RUT=@rut |
        Lineitem name=@desc | Packages=@pk | Weight (kg)=@kg | Declared value=@fob | Vendor=@ship""", ),
    good("customs type 86", """HAWB Number=@hawb | Shipper Name=@ship | Shipper Address=@shipaddr |
        Consignee Name=@name | Consignee ID Number=@rut | Consignee Address=@addr | Consignee City=@city |
        Consignee State=@region | Consignee Zip Code=@zip | Cargo Description=@desc | Piece Count=@pk |
        Weight=@kg | Weight UOM=KG | Line Item Value=12 | Total Shipment Value (USD)=@fob | HTS Number=@hs |
        Country of Origin=CN"""),
    good("postal service", """Item ID=@hawb | Addressee Name=@name | Addressee ID=@rut | Addressee Address=@addr |
        Addressee City=@city | Addressee Telephone=@phone | Contents Description=@desc | No of Pieces=@pk |
        Item Gross Weight Kg=@kg | Declared Value=@fob | Currency Code=USD | Sender=@ship"""),
    good("courier of Chile", """N° GUIA MASTER=045-12345675 | N° GUIA HIJA=@hawb | NOMBRE CONSIGNATARIO=@name |
        RUT CONSIGNATARIO=@rut | DIRECCION CONSIGNATARIO=@addr | COMUNA=@city | TELEFONO=@phone |
        NOMBRE CONSIGNANTE=@ship | DESCRIPCION MERCANCIA=@desc | CANTIDAD DE BULTOS=@pk | PESO BRUTO KGS=@kg |
        VALOR FOB US$=@fob | VALOR FLETE US$=8 | VALOR SEGURO US$=1 | VALOR CIF US$=70"""),
    good("courier of Peru", """NRO. GUIA HIJA=@hawb | APELLIDOS Y NOMBRES / RAZON SOCIAL=@name | NRO. DOCUMENTO=@rut |
        TIPO DE DOCUMENTO=RUT | DOMICILIO DEL DESTINATARIO=@addr | DISTRITO=@city | DESCRIPCION DE LA MERCANCIA=@desc |
        CANT. BULTOS=@pk | PESO BRUTO (KG.)=@kg | VALOR FOB (US$)=@fob | CATEGORIA=2"""),
    good("courier of Argentina", """Guía hija N°=@hawb | Apellido y nombre destinatario=@name |
        CUIT/CUIL/DNI destinatario=@rut | Domicilio destinatario=@addr | Localidad=@city |
        Descripción de la mercadería=@desc | Cant. de bultos=@pk | Peso bruto (Kgs.)=@kg | Valor FOB U$S=@fob"""),
    good("Brazilian broker", """Conhecimento filhote=@hawb | Nome do destinatário=@name | CPF/CNPJ do destinatário=@rut |
        Endereço do destinatário=@addr | Cidade=@city | Telefone=@phone | Descrição da mercadoria=@desc |
        Qtde. de volumes=@pk | Peso bruto (kg)=@kg | Valor FOB (US$)=@fob | Remetente=@ship"""),
    good("bilingual", """Guía/HAWB=@hawb | Consignatario/Consignee=@name | RUT/Tax ID=@rut | Dirección/Address=@addr |
        Ciudad/City=@city | Descripción/Description=@desc | Bultos/Packages=@pk | Peso/Weight (KG)=@kg |
        Valor/Value (USD)=@fob"""),
    good("bilingual, brackets", """HAWB=@hawb | Consignatario (Consignee)=@name | RUT (Tax ID)=@rut |
        Descripción (Description)=@desc | Bultos (Pieces)=@pk | Peso bruto (Gross weight) [kg]=@kg |
        Valor FOB (FOB value) [USD]=@fob"""),
    good("Chinese forwarder", """运单号=@hawb | 收件人姓名=@name | 收件人税号=@rut | 收件人地址=@addr | 收件人城市=@city |
        收件人电话=@phone | 英文品名=@desc | 件数=@pk | 毛重(KG)=@kg | 申报价值(USD)=@fob | 发件人=@ship"""),
    good("Chinese and English", """分运单号 HAWB=@hawb | 收件人 Consignee=@name | 税号 Tax ID=@rut | 品名 Description=@desc |
        件数 Pieces=@pk | 重量 Weight(KG)=@kg | 总价值 Total Value(USD)=@fob"""),
    good("full width", """ＨＡＷＢ=@hawb | Ｃｏｎｓｉｇｎｅｅ=@name | ＲＵＴ=@rut | Ｄｅｓｃｒｉｐｔｉｏｎ=@desc | ＰＣＳ=@pk |
        Ｗｅｉｇｈｔ（ＫＧ）=@kg | ＦＯＢ（ＵＳＤ）=@fob"""),
    good("read in the wrong encoding", """GuÃ­a hija=@hawb | Consignatario=@name | RUT=@rut | DescripciÃ³n=@desc | Bultos=@pk |
        Peso (kg)=@kg | Valor FOB=@fob"""),
    good("shipper's block, consignee's block", """HAWB=@hawb | Shipper=@ship | Address=@shipaddr | City=Miami | Consignee=@name |
        Tax ID=@rut | Address=@addr | City=@city | Goods=@desc | Pcs=@pk | Gross Kgs=@kg | FOB=@fob"""),
    good("from and to", """HAWB=@hawb | Name=@ship | Address=@shipaddr | Name=@name | Address=@addr | RUT=@rut |
        Contents=@desc | Pieces=@pk | Weight (kg)=@kg | Value (USD)=@fob""", groups=" | FROM | FROM | TO | TO | TO"),
    good("sender and receiver over the headings", """HAWB=@hawb | Name=@ship | Address=@shipaddr | Name=@name | Address=@addr |
        Tax ID=@rut | Contents=@desc | Pieces=@pk | Weight (kg)=@kg | Value (USD)=@fob""",
        groups=" | SENDER | SENDER | RECEIVER | RECEIVER | RECEIVER"),
    good("fromName, toName", """hawb=@hawb | fromName=@ship | fromAddress=@shipaddr | toName=@name | toTaxId=@rut |
        toAddress=@addr | toCity=@city | toPhone=@phone | contents=@desc | pieces=@pk | weightKg=@kg | valueUsd=@fob"""),
    good("ship from, ship to", """Waybill=@hawb | Ship From Name=@ship | Ship From Address=@shipaddr | Ship To Name=@name |
        Ship To Address=@addr | Ship To City=@city | Ship To Phone=@phone | Ship To Tax ID=@rut |
        Description of Contents=@desc | Total Packages=@pk | Actual Weight (KG)=@kg | Customs Value (USD)=@fob"""),
    good("forwarder with volumes", """House=@hawb | Cnee=@name | RUT Cnee=@rut | Naturaleza de la carga=@desc | Pzas=@pk |
        K. Bruto=@kg | Peso volumen=7 | Largo=10 | Ancho=10 | Alto=10 | FOB USD=@fob | Bodega=B1"""),
    good("abbreviated", """Nro Guia=@hawb | Nom. Destinatario=@name | RUT Dest.=@rut | Dir. Dest.=@addr | Desc. Merc.=@desc |
        Cant. Btos.=@pk | P. Bruto Kg=@kg | Val. FOB USD=@fob"""),
    good("paths of a shop", """trackingNumber=@hawb | shippingAddress.name=@name | shippingAddress.taxId=@rut | shippingAddress.city=@city |
        contents=@desc | pieces=@pk | weightKg=@kg | valueUsd=@fob"""),
    good("paths of a marketplace", """order-id=1 ; 2 | tracking=@hawb | ship-name=@name | ship-address-1=@addr | ship-city=@city |
        ship-state=@region | buyer-tax-id=@rut | product-name=@desc | packages=@pk | weight-kg=@kg | declared-value-usd=@fob"""),
    good("numbered boxes of a form", """1. HAWB=@hawb | 2. Consignatario=@name | 3. RUT (sin puntos)=@rut | a) Contenido=@desc | b) Bultos=@pk |
        c) Peso (kg)=@kg | d) Valor FOB=@fob"""),
    good("export of partners", """Tracking=@hawb | Shipping Address/Name=@name | Shipping Address/Tax ID=@rut | Shipping Address/Street=@addr |
        Shipping Address/State/Name=@region | Product=@desc | Packages=@pk | Weight (kg)=@kg | Declared value=@fob"""),
    good("whose it is in brackets", """Guía (hija)=@hawb | Nombre (remitente)=@ship | Nombre (destinatario)=@name | RUT=@rut | Contenido=@desc |
        Total (bultos)=@pk | Total kg=@kg | FOB=@fob"""),
    good("remarks that say what is left out", """Código de guía=@hawb | Nombre (consignatario)=@name | RUT=@rut | Contenido=@desc |
        Bultos=@pk | Peso (sin embalaje) kg=@kg | Valor (sin flete) USD=@fob"""),
    good("capitals run together", """NUMEROGUIA=@hawb | NOMBREDESTINATARIO=@name | RUTDESTINATARIO=@rut |
        DIRECCIONDESTINATARIO=@addr | DESCRIPCIONMERCANCIA=@desc | CANTIDADBULTOS=@pk | PESOKG=@kg | VALORFOBUSD=@fob"""),
    good("dotted", """pkg.hawb=@hawb | consignee.name=@name | consignee.rut=@rut | consignee.address=@addr | content.description=@desc |
        pkg.pieces=@pk | pkg.weight_kg=@kg | customs.value_usd=@fob"""),
    good("measures in other words", """HAWB=@hawb | Destinatario=@name | RUT=@rut | Glosa=@desc | Cajas=@pk | Masa bruta (kg)=@kg |
        Importe FOB USD=@fob"""),
    good("value qualified at length", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Number of Cartons=@pk |
        Total Gross Weight of Parcel (kg)=@kg | Total Declared Customs Value in US Dollars=@fob"""),
    good("a unit column without a heading", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Pieces=@pk | Weight=10 |
        =LBS | Value=@fob""", kg="4.536"),
    good("a currency column without a heading", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Pieces=@pk | Weight=@kg |
        Value=@fob | =USD"""),
    good("remarks and other columns", """Item=1 ; 2 | HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Pieces=@pk | Kilos=@kg |
        FOB=@fob | Remarks=frágil | Service=Express | Bag No=B1 | SKU=S1 | Brand=Acme | Color=rojo |
        Order Date=2026-11-01 | Invoice No=F1 | Incoterm=FOB | Image URL=http://x | Length (cm)=10"""),
)  # fmt: skip

WRONG = (
    *(make_case("wrong in silence", f"two values under {heading}", f"""HAWB=@hawb | {heading}=@name | RUT=@rut | Contenido=@desc |
          Bultos=@pk | Peso=@kg | FOB=@fob""", "field_without_column column_in_doubt", name="", addr="", ship="")
      for heading in ("Consignatario / Embarcador", "Consignee / Shipper", "Nombre / Dirección", "Name / Address / Tax ID")),
    make_case("wrong in silence", "consignee and address in one cell", """HAWB=@hawb | Consignee and address=@addr | RUT=@rut |
          Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob""", "field_without_column", name=""),
    make_case("wrong in silence", "goods in dollars", f"{CORE} | Peso=@kg | Mercadería US$=@fob | Flete US$=8"),
    *(make_case("wrong in silence", f"two values under {heading}", f"{CORE} | Peso=@kg | {heading}=12",
          "field_without_column column_in_doubt", fob="")
      for heading in ("Peso / Valor", "Bultos / Valor USD", "Weight / Value")),
    *(make_case("wrong in silence", f"{heading} beside freight", f"{CORE} | Peso=@kg | Flete USD=8 | {heading}=70", "column_in_doubt", fob="")
      for heading in ("Valor aduana", "Customs value (USD)", "Valor aduanero USD")),
    *(make_case("wrong in silence", f"heading {heading}", f"{CORE} | {heading}=10 | FOB=@fob", kg=kilograms)
      for heading, kilograms in (
        ("Peso (gr)", "0.010"), ("Peso [grs.]", "0.010"), ("Peso - gramos", "0.010"), ("pesogr", "0.010"),
        ("PesoGr", "0.010"), ("weight_g", "0.010"), ("Weight(g)", "0.010"), ("Weight {g}", "0.010"),
        ("Peso en gms", "0.010"), ("Peso bruto gr.", "0.010"), ("Peso（克）", "0.010"), ("重量(g)", "0.010"),
        ("WeightGrams", "0.010"), ("PESO GRAMAS", "0.010"), ("Peso (ton)", "10000.000"), ("Peso toneladas", "10000.000"),
        ("Weight (MT)", "10000.000"), ("Peso (t)", "10000.000"), ("pesolb", "4.536"), ("WEIGHT_LBS", "4.536"),
        ("weightLb", "4.536"), ("Peso＜LB＞", "4.536"), ("Peso: libras", "4.536"), ("Peso <lbs>", "4.536"),
        ("Gross Lbs", "4.536"), ("Libras brutas", "4.536"), ("Peso onzas", "0.283"), ("Weight/oz", "0.283"),
        ("Peso (mg)", ""), ("Ｗｅｉｇｈｔ（ＬＢ）", "4.536"), ("Peso *libra*", "4.536"), ("Weight in pounds", "4.536"),
        ("Weight, lb", "4.536"), ("Wt.Lbs.", "4.536"), ("GW(LBS)", "4.536"), ("PesoBrutoLbs", "4.536"))),
    *(make_case("wrong in silence", f"unit unknown in {heading}", f"{CORE} | {heading}=10 | FOB=@fob", "weight_unit_unknown", kg="")
      for heading in ("Peso (kg/lb)", "Weight KG LB", "Peso (st)", "Weight (stone)", "Peso (arrobas)", "Peso qq",
                      "Peso (hg)", "Weight (short tons)", "Peso (100 g)", "Peso (dag)", "Peso [xyz]", "Peso quintales")),
    *(make_case("wrong in silence", f"currency of {heading}", f"{CORE} | Peso=@kg | {heading}=12000", "currency_unknown", fob="")
      for heading in ("Valor (S/)", "Valor S/.", "Valor R$", "Valor ($ CLP)", "Valor moneda nacional", "Valor en pesos chilenos",
                      "FOB AR$", "Valor ARS", "Valor (UF)", "Valor ¥", "Value RMB", "Value (cents)", "Valor en centavos",
                      "Valor FOB M/N", "Valor COP", "MXN$ valor", "valorCLP", "montoclp", "valor_brl", "Valor (Reais)",
                      "Declared Value (EUR)", "申报价值(人民币)", "Valor (USD/CLP)", "FOB (€)", "Value [GBP]", "Valor (XYZ)",
                      "Valor Bs.", "Valor Gs", "Value CA$", "Value A$", "Value HK$")),
    make_case("wrong in silence", "the unit is above the table", f"{CORE} | Peso=10 | FOB=@fob", above=(("Unidad", "LB"),), kg="4.536"),
    make_case("wrong in silence", "the unit is above the table, with a colon", f"{CORE} | Peso=10 | FOB=@fob",
          above=(("Unidad de peso: LB",),), kg="4.536"),
    make_case("wrong in silence", "two facts directly above the headings", f"{CORE} | Peso=10 | FOB=@fob",
          above=(("Moneda: USD", None, "Unidad de peso: LB"),), kg="4.536"),
    make_case("wrong in silence", "a sentence has the unit", f"{CORE} | Peso=10 | FOB=@fob",
          above=(("Nota: todos los pesos en libras",),), kg="4.536"),
    make_case("wrong in silence", "an English sentence has the unit", f"{CORE} | Weight=10 | FOB=@fob",
          above=(("All weights are in grams unless noted",),), kg="0.010"),
    make_case("wrong in silence", "a sentence has the currency", f"{CORE} | Peso=@kg | Valor=12000", "currency_unknown",
          above=(("Valores expresados en CLP",),), fob=""),
    make_case("wrong in silence", "a sentence says pesos", f"{CORE} | Peso=@kg | Valor=12000", "currency_unknown",
          above=(("Los valores de este manifiesto están en pesos",),), fob=""),
    make_case("wrong in silence", "a labelled cell has the currency", f"{CORE} | Peso=@kg | Valor=12000", "currency_unknown",
          above=(("Moneda", "CLP"),), fob=""),
    make_case("wrong in silence", "a labelled cell has another currency", f"{CORE} | Peso=@kg | Value=12000", "currency_unknown",
          above=(("Currency: EUR",),), fob=""),
    make_case("wrong in silence", "one cell names the unit and the currency", f"{CORE} | 重量=10 | 申报价值=120", "currency_unknown",
          above=(("单位：磅 / 人民币",),), kg="4.536", fob=""),
    make_case("wrong in silence", "two units are above the table", f"{CORE} | Peso=10 | FOB=@fob", "weight_unit_unknown",
          above=(("Pesos en kg",), ("Pesos en libras",)), kg=""),
    make_case("wrong in silence", "a unit column far under another word", f"{CORE} | Peso=10 | U/M=LB | FOB=@fob", kg="4.536"),
    make_case("wrong in silence", "a unit column headed Unidad", f"{CORE} | Unidad=LB | Peso=10 | FOB=@fob", kg="4.536"),
    make_case("wrong in silence", "a currency column headed Tipo", f"{CORE} | Peso=@kg | Valor=12000 | Tipo=CLP",
          "fob_usd_invalid currency_unknown", fob=""),
    make_case("wrong in silence", "a currency column without heading", f"{CORE} | Peso=@kg | Valor=12000 | =CLP",
          "fob_usd_invalid currency_unknown", fob=""),
    *(make_case("wrong in silence", f"{heading}: {terms}", f"{CORE} | Peso=@kg | {value}=@fob | {heading}={terms}", "value_not_fob" * (not fob), fob=fob)
      for heading, terms, value, fob in (
        ("Incoterm", "CIF", "Valor USD", ""), ("Condición de venta", "DAP", "Valor", ""), ("", "DDP SCL", "Valor", ""),
        ("Incoterm", "CFR ; FOB", "Valor", ""), ("Incoterm", "CIF", "Valor FOB", "59.90"), ("Incoterm", "FOB", "Valor", "59.90"))),
    *(make_case("wrong in silence", f"terms above: {above}", f"{CORE} | Peso=@kg | Valor=@fob", "value_not_fob", above=(above,), fob="")
      for above in (("Incoterm:", "CIF"), ("Incoterms 2020: DDP",), ("Listado de valores CIF",))),
    *(make_case("wrong in silence", f"a remark on every row: {remark}", f"{CORE} | Peso=@kg | FOB USD=@fob | {heading}={remark}", "currency_unknown", fob="")
      for heading, remark in (("Zurra", "Moneda: EUR"), ("Observaciones", "en euros"), ("Glosa 2", "Valores en EUR"))),
    make_case("wrong in silence", "a second column of currencies", f"{CORE} | Peso=@kg | FOB USD=@fob | Moneda=USD | Zurra=EUR", "currency_unknown", fob=""),
    make_case("wrong in silence", "the currency of the freight", f"{CORE} | Peso=@kg | FOB USD=@fob | Flete=EUR"),
    make_case("wrong in silence", "a group of values that are not FOB", f"{CORE} | Peso=@kg | Unitario=1 | Total=@fob",
          "field_without_column", groups=" |  |  |  |  |  | VALOR CIF | VALOR CIF", fob=""),
    make_case("wrong in silence", "the value for customs beside the freight", f"{CORE} | Peso=@kg | Valor mercancía=@fob | Flete=2 | Valor aduanero=999"),
    make_case("wrong in silence", "a price with its delivery", f"{CORE} | Peso=@kg | Precio con envío USD=99", "field_without_column", fob=""),
    make_case("wrong in silence", "a number that may be a house's away from the street", f"{CORE} | Peso=@kg | FOB=@fob | Número=856 ; 12 | Calle=@addr",
          "columns_kept"),
    make_case("wrong in silence", "a total of all beside one of delivery", f"{CORE} | Peso=@kg | Delivery total USD=5 | Grand total USD=99",
          "column_in_doubt", fob=""),
    *(make_case("wrong in silence", f"{local} beside {house}", f"""{local}=N1 ; N2 | {house}=@hawb | Consignatario=@name | RUT=@rut | Contenido=@desc |
          Bultos=@pk | Peso=@kg | FOB=@fob""")
      for local, house in (("Guía última milla", "Tracking"), ("Local tracking", "Tracking number"), ("Guía de despacho", "Tracking"),
                           ("Delivery tracking", "International tracking"), ("Courier", "Referencia courier"), ("转单号", "运单号"), ("Sub HAWB", "Waybill"))),
    make_case("wrong in silence", "heading and unit column disagree", f"{CORE} | Peso (kg)=10 | Unidad de peso=LB | FOB=@fob",
          "weight_unit_unknown weight_kg_invalid", kg=""),
    make_case("wrong in silence", "a net weight beside one in an unknown unit", f"{CORE} | 重量(斤)=3 | Peso neto=1 | FOB=@fob",
          "column_in_doubt", kg=""),
    make_case("wrong in silence", "grams that look like kilograms", f"{CORE} | Peso=1500 | FOB=@fob", "weight_unlikely", kg="1500.000"),
    make_case("wrong in silence", "pesos that look like dollars", f"{CORE} | Peso=@kg | Valor=59900", "fob_unlikely", fob="59900.00"),
    make_case("wrong in silence", "decimal commas decided by another cell", f"{CORE} | Peso=1,5 ; 2,25 | FOB='1.234 ; '59,90", fob="1234.00"),
    make_case("wrong in silence", "a thousand kilograms beside a decimal comma", f"{CORE} | Peso='1.234 ; '5,5 | FOB=@fob",
          kg="1234.000"),
    make_case("wrong in silence", "three decimals beside a decimal point", f"{CORE} | Peso=@kg | FOB='1.234 ; '59.90", fob="1.23"),
    make_case("wrong in silence", "consignee's tax number in words", """HAWB=@hawb | Consignee TIN=@rut | Consignee=@name | Contents=@desc |
          Pieces=@pk | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "consignee details", """HAWB=@hawb | Consignee Details=@addr | Name of Consignee=@name | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob""", name="Antonia Fuentes Rojas", addr=""),
    make_case("wrong in silence", "a unit column under a word for weights", f"{CORE} | Weight=10 | Weight UQ=LB | FOB=@fob", kg="4.536"),
    make_case("wrong in silence", "the letter of an air waybill for pounds", f"{CORE} | Weight=10 | kg/lb=L | FOB=@fob", kg="4.536"),
    make_case("wrong in silence", "sizes in inches beside a weight without a unit", f"{CORE} | L (in)=10 | Weight=10 | FOB=@fob",
          "weight_unit_unknown", kg=""),
    make_case("wrong in silence", "the status before the region", f"""{CORE} | Peso=@kg | FOB=@fob | Estado=Listo para despachar ; Recibido en Miami |
          Región=@region"""),
    make_case("wrong in silence", "a provinces' column before the departments'", f"{CORE} | Peso=@kg | FOB=@fob | Provincia=Quillota | Departamento=@region"),
    make_case("wrong in silence", "an apartment under the word for a region", f"""{CORE} | Peso=@kg | FOB=@fob | Dirección=@addr | Departamento=52 ; 4B |
          Provincia=@region""", addr="Avenida Los Leones 1280, depto 52, 52"),
    make_case("wrong in silence", "a merchant beside the consignee's two names", """HAWB=@hawb | MERCHANT_NAME=@ship | CONSIGNEE_FIRST_NAME=@given |
          CONSIGNEE_LAST_NAME=@surname | RUT=@rut | Contents=@desc | Weight=@kg | FOB=@fob""", name="Antonia Fuentes Rojas", ship=""),
    make_case("wrong in silence", "article codes are no description", """HAWB=@hawb | Consignatario=@name | RUT=@rut | Item=SK-4711 ; SK-4712 | Peso=@kg |
          FOB=@fob""", "columns_kept", desc=""),
    make_case("wrong in silence", "a document's number is not a name", """HAWB=@hawb | name=WH/OUT/00411 ; WH/OUT/00412 | RUT=@rut | Contents=@desc | Weight=@kg |
          FOB=@fob""", "field_without_column values_missing", name=""),
    make_case("wrong in silence", "a total beside the transport", f"{CORE} | Peso=@kg | Mercancía USD=@fob | Transporte USD=8 | Total USD=70"),
    make_case("wrong in silence", "the consignee's reference is not a name", """HAWB=@hawb | Consignee Reference=R1 ; R2 | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob""", "field_without_column", name=""),
    make_case("wrong in silence", "the consignee's account is not a name", """HAWB=@hawb | Receiver Account=A1 ; A2 | Receiver Full Name=@name |
          RUT=@rut | Contents=@desc | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "a column that names the person holds the RUT", """HAWB=@hawb | Consignatario=@rut | Nombre=@name |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "a column that names the person holds the address", """HAWB=@hawb | Destinatario=@addr |
          Nombre destinatario=@name | RUT=@rut | Contents=@desc | Weight=@kg | FOB=@fob""", addr=""),
    make_case("wrong in silence", "a nickname beside the name", """HAWB=@hawb | Recipient=@nick | Recipient Name=@name | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "the buyer beside the recipient's name", """HAWB=@hawb | Buyer=@nick | Recipient name=@name | RUT=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "quantity beside a unit price", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Quantity=7 |
          Unit price=3 | Weight=@kg | FOB=@fob""", "field_without_column", pk="1"),
    make_case("wrong in silence", "Portuguese quantity beside a unit value", """HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc | Quantidade=7 |
          Valor unitário=3 | Peso=@kg | FOB=@fob""", "field_without_column", pk="1"),
    make_case("wrong in silence", "quantity beside an article's number", """HAWB=@hawb | Consignee=@name | RUT=@rut | Item Number=77120 ; 88340 |
          Item Title=@desc | Quantity=7 | Weight=@kg | FOB=@fob""", "field_without_column", pk="1"),
    make_case("wrong in silence", "an order's total beside the products' value",
          f"{CORE} | Peso=@kg | Total pedido US$=90 ; 95 | Valor productos USD=@fob"),
    make_case("wrong in silence", "net weight beside a gross one of an unknown unit", f"{CORE} | Gr Wt=9 ; 8 | Net wt=@kg | FOB=@fob",
          "column_in_doubt", kg=""),
    make_case("wrong in silence", "name and address in one cell", """HAWB=@hawb | Consignatario y dirección=@addr | RUT=@rut | Contents=@desc |
          Pieces=@pk | Weight=@kg | FOB=@fob""", "field_without_column", name="", addr=""),
    make_case("wrong in silence", "a total beside a subtotal", f"{CORE} | Peso=@kg | Total USD=90 ; 95 | Subtotal=@fob",
          "column_in_doubt", fob=""),
    make_case("wrong in silence", "groups over equal headings, as many fields without them", """Nombre=@name | RUT=@rut | Kg=@kg | Bultos=@pk |
          Descripción=@desc | Guía=@hawb | Razón social=@ship | FOB=@fob""",
          groups="CONSIGNATARIO | CONSIGNATARIO | CARGA | CARGA | CARGA | GUIA | REMITENTE | VALORES"),
    make_case("wrong in silence", "item weight beside the parcel's", """HAWB=@hawb | Consignee=@name | RUT=@rut | Item weight (kg)=0.2 |
          Parcel weight (kg)=@kg | Contents=@desc | Pieces=@pk | Item value=3 | Parcel value=@fob"""),
    make_case("wrong in silence", "product weight beside the shipment's", """HAWB=@hawb | Consignee=@name | RUT=@rut | Product weight=0.2 |
          Shipment weight=@kg | Contents=@desc | Pieces=@pk | Product price=3 | Shipment value USD=@fob"""),
    *(make_case("wrong in silence", f"{heading} is not FOB", f"{CORE} | Peso=@kg | {heading}=12", "field_without_column currency_unknown",
            fob="")
      for heading in ("Valor flete", "Value of insurance", "Valor seguro USD", "Monto IVA", "COD Amount", "Valor CIF USD",
                      "Total freight amount", "Valor derechos", "Amount of duty", "Valor bodegaje", "Precio unitario",
                      "Valor asegurado", "Handling value", "Total CIF", "Valor despacho", "Refund amount", "Tax amount USD",
                      "Valor a cobrar", "Valor arancel", "Collect amount", "Tipo de cambio", "Valor do frete")),
    *(make_case("wrong in silence", f"{heading} may be no FOB", f"{CORE} | Peso=@kg | {heading}=12", "column_in_doubt", fob="")
      for heading in ("FOB anterior USD", "FOB acumulado USD", "FOB MAWB USD", "FOB %", "Valor courier")),
    make_case("wrong in silence", "the RUT of the consignee's agent", """HAWB=@hawb | Consignatario=@name | RUT agente consignatario=@rut |
          Contents=@desc | Weight=@kg | FOB=@fob""", "column_in_doubt", rut=""),
    *(make_case("wrong in silence", f"{heading} is not a weight", f"{CORE} | {heading}=12 | FOB=@fob",
            "field_without_column weight_unit_unknown", kg="")
      for heading in ("Peso volumétrico (kg)", "Chargeable Weight KG", "Peso cubado", "Peso cobrable", "Peso aforado", "Peso tara",
                      "Tare weight", "Weight per piece", "Peso promedio", "Max weight", "Billed weight", "Dim. Wt", "Peso taxable",
                      "体积重(KG)", "Volumetric mass (kg)", "Peso dim. kg", "VolWeight", "Peso/Vol", "Peso unitario (kg)")),
    *(make_case("wrong in silence", f"{heading} is not a count of packages", f"""HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc |
            {heading}=7 | Weight=@kg | FOB=@fob""", "field_without_column", pk="1")
      for heading in ("Package Type", "Tipo de bulto", "Package volume", "Piezas por bulto", "Package value", "Valor bulto")),
    make_case("wrong in silence", "equal headings with nothing to distinguish them", """HAWB=@hawb | Nombre=@other | Nombre=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob""", "column_in_doubt", name=""),
    make_case("wrong in silence", "equal weights with nothing to distinguish them", f"{CORE} | Peso=9 ; 8 | Peso=@kg | FOB=@fob",
          "column_in_doubt", kg=""),
    make_case("wrong in silence", "a tax beside the customer's tax number", """HAWB=@hawb | Consignee=@name | Tax='22.5 | Customer Tax ID=@rut |
          Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob""", ship=""),
    make_case("wrong in silence", "a number of documents beside the RUT", """Document Number=874-18 ; 874-19 | HAWB=@hawb | Consignee=@name |
          Customer : Tax Number=@rut | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "the customer's surname beside the receiver", """HAWB=@hawb | Client Last Name=@surname | Receiver Name=@name |
          RUT=@rut | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "the surname beside the whole name", """HAWB=@hawb | Full Name=@name | Last Name=@surname |
          RUT=@rut | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "the day to ship by is no shipper", f"{CORE} | Peso=@kg | FOB=@fob | Ship By=15/10/2026", ship=""),
    make_case("wrong in silence", "notify party", """HAWB=@hawb | Notify Name=@other | Consignee Name=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "the broker's RUT", """HAWB=@hawb | RUT Agencia=76543210-3 | RUT Consignatario=@rut | Consignatario=@name |
          Contents=@desc | Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "sold to and ship to", """HAWB=@hawb | Sold To Name=@other | Ship To Name=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob"""),
    make_case("wrong in silence", "the sender's name first, then a name", """HAWB=@hawb | De=@ship | Para=@name | RUT=@rut | Contents=@desc |
          Weight=@kg | FOB=@fob""", "field_without_column", name="", ship=""),
)  # fmt: skip

EMPTY = (
    *(make_case("empty in silence", f"weight under {heading}", f"{CORE} | {heading}=@kg | FOB=@fob")
      for heading in ("Masa (kg)", "Mass KG", "Shipment Gross Weight", "Total weight of shipment in KGs", "Peso manifestado",
                      "Kgs. Totales", "Gross Kilos", "Peso bruto estimado kg", "Weight Kilograms", "Pes. Br. Kg", "Peso Kilogramo",
                      "Peso Aprox. (Kg)", "Parcel Mass", "Peso del envío", "Peso registrado en balanza (kg)", "pesoTotalKg",
                      "毛重", "Poids brut (kg)", "Wgt KG", "PESO FÍSICO KG", "Peso do pacote (kg)", "Peso_Bruto_Total_Kg")),
    *(make_case("empty in silence", f"phone and e-mail under {heading}", f"""{CORE} | Peso=@kg | FOB=@fob |
            {heading}=+56 9 5550 0101 / antonia@example.com ; Mail: compras@example.com Tel: (32) 555-0102""",
            phone="+56 9 5550 0101", mail="antonia@example.com")
      for heading in ("Contacto", "Teléfono / Correo", "Fono", "Email", "Contacto destinatario")),
    *(make_case("empty in silence", f"value under {heading}", f"{CORE} | Peso=@kg | {heading}=@fob")
      for heading in ("Declared Shipment Value", "Total Goods Amount USD", "Merchandise Value for Customs Purposes", "Valor Mercancías FOB",
                      "Vlr. Declarado", "Val FOB", "Valor total de la mercancía (US$)", "Customs declared amount", "Valor p/ aduana",
                      "Precio FOB Total", "FOB Miami USD", "Monto total declarado", "Valor aduanero declarado USD", "DeclaredValueUSD",
                      "Valor declarado da mercadoria", "FOB Val.", "Package declared value", "valorMercanciaUsd", "申报总价(美元)",
                      "Valor Comercial US$", "Total Value of Goods", "Value for Customs (US Dollars)", "Valor del contenido")),
    *(make_case("empty in silence", f"packages under {heading}", f"""HAWB=@hawb | Consignee=@name | RUT=@rut | Contents=@desc |
            {heading}=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("Number of Parcel Cartons", "N° total de bultos", "Bultos declarados", "Total Pkgs", "Qtd. volumes", "Cant. Paq.",
                      "Parcels", "Package Qty.", "Piezas totales", "No. Pieces / Cartons", "Nro. de cajas", "Total de piezas", "pieceCount",
                      "Cantidad de piezas manifestadas", "件数", "Número de volumes", "Bultos recibidos", "PKG COUNT")),
    *(make_case("empty in silence", f"description under {heading}", f"""HAWB=@hawb | Consignee=@name | RUT=@rut | {heading}=@desc |
            Pieces=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("Parcel Contents Description", "Descripción comercial ampliada", "Detailed Description of Goods",
                      "Contenido declarado del paquete", "Mercancía transportada", "Full goods description (English)",
                      "Glosa de la mercancía", "Customs Description", "Denominación de la mercadería", "Naturaleza y cantidad",
                      "商品名称", "Descrição detalhada", "Product Title", "Goods Name", "Contents EN",
                      "Nature and Quantity of Goods", "Description (EN)", "DescripcionProducto", "Detalle de contenido")),
    *(make_case("empty in silence", f"RUT under {heading}", f"""HAWB=@hawb | Consignee=@name | {heading}=@rut | Contents=@desc |
            Pieces=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("RUT/RUN", "Rol Único Tributario", "Tax Number", "Consignee TIN", "Consignee VAT No.", "ID Fiscal", "Nº ident. fiscal",
                      "Receiver ID", "Receiver National ID", "Consignee Identification", "Doc. Nro.", "Cédula/RUT", "taxId", "Recipient RUT",
                      "收件人税号", "Identificador del consignatario", "Consignee fiscal code", "RUT del receptor", "Nro doc. destinatario",
                      "Clave", "Registro")),
    *(make_case("empty in silence", f"name under {heading}", f"""HAWB=@hawb | {heading}=@name | RUT=@rut | Contents=@desc |
            Pieces=@pk | Weight=@kg | FOB=@fob""")
      for heading in ("Nombre del receptor", "Name of Consignee", "Consignee Company / Name", "Nombre completo del destinatario",
                      "Recipient Full Name", "Nombre o razón social del consignatario", "To Name", "Destinatario - Nombre",
                      "Nome destinatário", "Receiver's name", "收件人", "Customer Full Name", "ship_to_name", "Destinataire",
                      "Consignee Contact Name", "Nombre Cliente Final", "Razón Social Importador", "Delivery Name", "Attention To",
                      "Nombre de quien recibe", "Entregar a")),
    make_case("empty in silence", "the weight's heading is unknown", f"{CORE} | Balanza=@kg | FOB=@fob",
          "columns_kept field_without_column", kg=""),
    make_case("empty in silence", "the value's heading is unknown", f"{CORE} | Peso=@kg | Cotizado=@fob",
          "columns_kept field_without_column", fob=""),
    make_case("empty in silence", "no value at all", f"{CORE} | Peso=@kg", "field_without_column", fob=""),
    make_case("empty in silence", "no RUT at all", "HAWB=@hawb | Consignee=@name | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob",
          "field_without_column", rut=""),
    make_case("empty in silence", "some weights are missing", f"{CORE} | Peso=~ ; 3 | FOB=@fob", "values_missing", kg=""),
    make_case("empty in silence", "all weights are missing", f"{CORE} | Peso= | FOB=@fob", "values_missing", kg=""),
    make_case("empty in silence", "some names are missing", """HAWB=@hawb | Consignatario=~ ; Ana | RUT=@rut | Descripción=@desc | Bultos=@pk |
          Peso=@kg | FOB=@fob""", "values_missing", name=""),
    make_case("empty in silence", "an unknown column", f"{CORE} | Peso=@kg | FOB=@fob | Zxqwy=7", "columns_kept"),
    make_case("empty in silence", "the seller's name is not the beginning of a block", f"""{CORE} | Vendedor=@ship | Ciudad=@city |
          Estado=Cerrado | Peso=@kg | Consignee Email=@mail | Región=@region | FOB=@fob"""),
    make_case("empty in silence", "a tariff code between words of other subjects", f"{CORE} | Peso=@kg | FOB=@fob | harmonized_system_code=@hs"),
    make_case("empty in silence", "paths below one root", """shipment.houseWaybill=@hawb | shipment.sender.name=@ship | shipment.recipient.name=@name |
          shipment.recipient.taxId=@rut | shipment.recipient.address.line1=@addr | shipment.recipient.address.city=@city |
          shipment.weight.value=4.8 | shipment.weight.unit=LB | shipment.declaredValue.amount=@fob | shipment.contents.description=@desc |
          shipment.packageCount=@pk""", kg="2.177"),
    make_case("empty in silence", "paths through records", """hawb/number=@hawb | hawb/packageCount=@pk | hawb/items/0/name=@desc | weight=@kg | FOB=@fob |
          partner_id/name=@name | partner_id/rut=@rut | partner_id/street=@addr | partner_id/state_id/name=@region | service/name=Express"""),
    make_case("empty in silence", "a package's number beside no count", "HAWB=@hawb | Consignatario=@name | RUT=@rut | Contenido=@desc | N° Caja=7 ; 12 | Peso=@kg",
          "columns_kept", pk="1"),
    make_case("empty in silence", "the consignee's own heading after the shipper's", """HAWB=@hawb | Shipper=@ship | Consignee Name & Address=@name |
          RUT=@rut | Contents=@desc | Pieces=@pk | Weight=@kg | FOB=@fob | Shipper Phone=1 | Phone=@phone"""),
)  # fmt: skip
