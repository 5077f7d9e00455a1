"""What headings mean: tables of words, and of the ways people write them."""

import pytest

from shipments.manifests.words.headings import read_grouped_heading, read_heading
from shipments.manifests.words.levels import Level, level_of
from shipments.manifests.words.lexicon import TITLES, api_names, may_be_personal, phrases

UNDERSTOOD = {
    "mawb": (
        "MAWB|Guía Madre:|MasterAWB|GUIA_MADRE|M.A.W.B.|N° MAWB|Master AWB No|motherGuide|GUIA MASTER N°|"
        "Documento de transporte madre"
    ),
    "hawb": (
        "HAWB|hawb no.|GUIA HIJA|guia_hija|House AWB Number|N° Guía Hija/HAWB|1. HAWB|HAWB (obligatorio)|"
        "Guía Courier|分提單號|快件单号|Conhec. filho|N.º de seguimiento|HWB Serial Number|Nro. doc. transporte hijo|"
        "N° Documento de Transporte|Código de barras bulto|Tracking Number|Número de seguimiento|Parcel No. *|No.|#|"
        "*HAWB*|跟踪号|物流單號|AWBNo|GUIANo|x_hawb|Numéro de suivi|LTA fille|N° colis|H.B.L."
    ),
    "consignee_name": (
        "Consignatario|CONSIGNEE NAME *|Nombre del Destinatario|nombreDestinatario|"
        "Razón Social Destinatario|*NOMBRE DESTINATARIO O RAZON SOCIAL|Nombre y Apellidos|Ship To|"
        "Cliente|收貨人|收貨方名稱|Para quien|IMPORTADOR (LIMA)|Consignatario / Consignee|CONSIGNEE'S NAME|"
        "Nombre obligatorio|Nombre del destinatario mcía.|shippingAddress.name|Consignee Company|收件人全名"
    ),
    "surname": "*APELLIDO PATERNO|Primer apellido|Last name|姓|收件人姓氏",
    "second_surname": "*APELLIDO MATERNO|Segundo Apellido",
    "consignee_document": (
        "RUT|R.U.T.|RUT (sin puntos y con guión)|RUT Consignatario|rutconsignatario|consignee_rut|"
        "RUT/DNI|N° Documento|Doc. Identidad|Receiver Tax ID|Rut usuario|RUT sin puntos|CNPJ/CPF|"
        "RUT DEL CLIENTE|身分證號|證件號碼"
    ),
    "check_digit": "DV|*DIGITO VERIFICADOR (DEL RUT)|Díg. Verif.",
    "consignee_document_type": "Tipo Documento|tipo_doc|Document Type|Tipo de Doc.",
    "consignee_address": (
        "Dirección|Detail Address|DIRECCIÓN DE ENTREGA|Consignee Address 1 *|Ship To Address|Dir. Destinatario|"
        "Domicilio|Morada|收件人详细地址|Logradouro|CNEE ADD|Calle y altura|街道地址"
    ),
    "address_number": "*NUMERO DIRECCION DESTINATARIO|N° Calle",
    "address_more": (
        "Complement|NUMERO DEPARTAMENTO|Address 2|Depto.|ship-address-2|recipientStreetLine2|Delivery Address/Street2"
    ),
    "consignee_city": (
        "*COMUNA DESTINATARIO|Ciudad|comunaDestinatario|Ciudad / Comuna|Consignee City|ship-city|Consignee Place|Ville"
    ),
    "consignee_region": (
        "Región|State or Province|Provincia|ship-state|Delivery Address/State/Name|shippingAddress.stateOrRegion"
    ),
    "consignee_postal_code": ("Código Postal|C.P.|ZIP|Cod. Postal|codigopostaldestinatario|Consignee Postcode"),
    "consignee_phone": (
        "Teléfono|Fono Contacto|TELEFONO DESTINATARIO|Celular|Recipient Phone Number|Tel.|联系电话|Telemóvel|"
        "Telf.|Cel.|Consignee Mob."
    ),
    "consignee_email": "E-mail|Correo Electrónico|E-MAIL DESTINATARIO|Email cliente",
    "shipper_name": (
        "Shipper|Embarcador|NOMBRE REMITENTE|Shipper Name & Address|Consignor Name *|Proveedor|Tienda|Shipper Company"
    ),
    "description_original": (
        "Descripción|*CONTENIDO|Description of Goods *|Desc. Mercadería|Contenido declarado|Producto|"
        "DESCRIPCION\nMERCANCIA|CONTENIDO / DESCRIPCIÓN|申报名称1|貨物名稱|COMM DESC"
    ),
    "hs_code": (
        "HS Code *|Código Arancelario|Partida arancelaria|NCM|Código HS|Cod. Arancel|"
        "Posición arancelaria|Subpartida nacional"
    ),
    "weight_kg": (
        "Peso|*KILOS|Peso (kg)|PESO\n(KGS)|Weight (LBS)|Gross Wt (KGS)|PESO BRUTO KGS.|"
        "Parcel Total Gross Weight *|TotalPeso|P. Bruto|Kg.|Peso Neto|PESO / WEIGHT|Kgs Brutos|毛重\nG.W (KG)|N.W.|"
        "Peso bruto aferido (kg)|Pesaje|GWKg|Weight_kg__c|總重"
    ),
    "packages_count": (
        "Bultos|*CANTIDAD BULTOS|Cant. de Bultos|N° de Bultos|"
        "N.º de volumes|Nombre de colis|件數|No. of Pcs.|Cantidad|Qty|Piezas|TotalBultos|Parcel Qty"
    ),
    "fob_usd": (
        "FOB|Valor FOB US$|VALOR FOB (USD)|*VALOR DECLARADO|Valor declarado en USD|Declared Value (USD)|"
        "Value|US$|Amount (USD)|Total|FOB Total U$S|Valor Mercadería USD|申报总值\nTotal value USD|Valor aduaneiro USD|"
        "Total Declare Value(USD)|Total línea US$|x_fob_usd|x_studio_valor_usd|申報金額(美元)|"
        "Valeur en douane (USD)"
    ),
    "flight_number": "Vuelo|N° de vuelo|Voo|Flight No. *|FLT",
    "origin": "Origen|País Origen|Origin Port *|Aeropuerto de Origen",
    "destination": "Destino|Final Dest|Destination Port *|Aeropuerto de Destino|País destino",
    "scheduled_departure": "ETD|Fecha de Salida|Departure Date|STD *",
    "scheduled_arrival": "ETA|ETA (local)|Fecha Estimada de Arribo|Arrival Date|STA *|FE_LLEG_VUEL",
    "shipper_address": (
        "Dirección del remitente|Shipper Street Address|Endereço do remetente|发件人地址|Adresse de l'expéditeur"
    ),
    "shipper_city": "Shipper City|CIUDAD REMITENTE|Cidade do remetente|发件人城市|Ville expéditeur",
    "shipper_country": "Consignor Country *|PAIS REMITENTE|País do remetente|发件人国家|Pays expéditeur",
    "bag": "Saca|Bag no.|袋号|Consolidado",
    "freight_usd": "Flete (USD)|Freight|FLETE USD|Frete USD|运费(USD)|Fret USD|Freight total",
    "insurance_usd": "Seguro USD|Insurance (USD)|Seguro (US$)|保险(USD)|Assurance USD",
    "goods_country": "PAIS DE ORIGEN|Country of origin|País de origem|原产国|Pays d'origine",
    "currency": "Moneda|Currency",
    "weight_unit": "Unidad de peso|Weight Unit|Un.peso",
}

NEVER_READ = (
    "Peso Volumétrico|PESO VOL.|Chargeable Weight|Dimensional Weight (kg)|Peso cobrable|"
    "Peso / Volumen|Peso unitario|Valor CIF|CIF USD|Valor por unidad|Cliente ID|Código cliente|Código producto|"
    "Fecha de nacimiento destinatario|Origen/Destino|Destinatario tipo cuenta|"
    "Precio Unitario|Unit Price|Item Value Per Unit *|Insured Value|Valor asegurado|"
    "Costo|Shipping cost|RUT del Embarcador|RUT Proveedor|"
    "Teléfono agente|RUT remitente|Shipper Zip|"
    "Ciudad Origen|Fecha"
)

UNKNOWN = (
    "Television|Bultos entregados|Guía\nnacional Zurbo|Identificador X|Refrigerado|Kgv|xyz|???|123|Consignatario zxy|"
    "Bultos zxy|Postal\ncharges"
)

FOREIGN = "Valor FOB CLP|Valor CLP|Valor en pesos|Valor €|Valor EUR|Valor (zxy)"


@pytest.mark.parametrize("field", UNDERSTOOD)
def test_a_heading_is_understood_however_it_is_written(field: str) -> None:
    missed = [heading for heading in UNDERSTOOD[field].split("|") if field not in read_heading(heading).fields()]
    assert missed == []


@pytest.mark.parametrize("heading", NEVER_READ.split("|"))
def test_what_only_looks_like_a_field_is_understood_and_never_read(heading: str) -> None:
    assert read_heading(heading).fields() == {"unused"}


@pytest.mark.parametrize("heading", FOREIGN.split("|"))
def test_a_value_in_another_currency_serves_only_where_no_other_does(heading: str) -> None:
    read, plain = read_heading(heading), read_heading("Valor total")
    assert read.fields() == {"fob_usd"}
    assert read.currency not in {"", "USD"}
    assert read.meanings[0].rank > plain.meanings[0].rank


@pytest.mark.parametrize("heading", ["", " ", "\x00", "\ud800", "x" * 200, "a " * 60, *UNKNOWN.split("|")])
def test_a_heading_that_says_something_else_means_nothing(heading: str) -> None:
    assert read_heading(heading).fields() == frozenset()


@pytest.mark.parametrize("field", TITLES)
def test_every_listed_word_means_its_field_in_capitals_and_starred_too(field: str) -> None:
    for word in (word for listed in phrases(field) for word in listed):
        assert field in read_heading(word).fields(), word
        assert field in read_heading(f"* {word.upper()} ").fields(), word


@pytest.mark.parametrize(("name", "field"), list(api_names()))
def test_every_name_of_the_api_is_a_heading(name: str, field: str) -> None:
    assert field in read_heading(name).fields()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Peso bruto", "Peso"),
        ("Peso real", "Peso neto"),
        ("Valor declarado", "Valor"),
        ("Customs value", "Valor"),
        ("HAWB", "Guía"),
        ("AWB", "Tracking number"),
        ("Tracking", "Referencia"),
        ("Bultos", "Cantidad"),
        ("Consignatario", "Nombre"),
        ("Nombre", "Cliente"),
        ("RUT consignatario", "RUT"),
        ("RUT", "RUT importador"),
        ("RUT", "DNI"),
    ],
)
def test_of_competing_headings_the_one_that_says_more_ranks_better(better: str, worse: str) -> None:
    ranks = [
        min(meaning.rank for meaning in read_heading(heading).meanings if meaning.field != "mawb")
        for heading in (better, worse)
    ]
    assert ranks[0] < ranks[1]


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("Gr Wt", "?"),
        ("Gr. wt. kg", "kg"),
        ("Peso bruto (KB)", ""),
        ("Mnfst wgt lb", "lb"),
        ("Libras", "lb"),
        ("Peso", ""),
    ],
)
def test_a_heading_gives_its_unit(heading: str, unit: str) -> None:
    assert read_heading(heading).unit == unit


@pytest.mark.parametrize(
    ("group", "heading", "field"),
    [
        ("CONSIGNATARIO", "NOMBRE", "consignee_name"),
        ("DATOS DEL DESTINATARIO", "RUT", "consignee_document"),
        ("EMBARCADOR", "NOMBRE", "shipper_name"),
        ("DATOS DEL REMITENTE", "RUT", "unused"),
        ("ORIGEN", "CIUDAD", "unused"),
        ("货物信息", "HS编码", "hs_code"),
        ("PESO", "BRUTO", "weight_kg"),
        ("PESO", "VOLUMÉTRICO", "unused"),
        ("PESO VOLUMETRICO", "KG", "unused"),
        ("VALOR USD", "FOB", "fob_usd"),
        ("VALOR USD", "FLETE", "unused"),
        ("GUIA", "HIJA", "hawb"),
        ("VUELO", "NUMERO", "flight_number"),
        ("PESO", "VALOR FOB", "fob_usd"),
        ("HAWB", "", "hawb"),
        ("", "HAWB", "hawb"),
        ("DETALLE DE LA CARGA", "BULTOS", "packages_count"),
        ("MERCANCIA", "CANT.", "packages_count"),
        ("PESO", "LARGO", "unused"),
        ("ENVÍO", "KILOS", "weight_kg"),
        ("FLETE", "USD", "freight_usd"),
    ],
)
def test_a_group_heading_says_whose_or_which(group: str, heading: str, field: str) -> None:
    assert field in read_grouped_heading(group, heading).fields()


@pytest.mark.parametrize("heading", ["N° / Peso (kg)", "# | N°", "- / -", "() | ()", "* / RUT"])
def test_a_part_of_a_heading_without_words_is_passed_over(heading: str) -> None:
    assert read_heading(heading).text == heading


@pytest.mark.parametrize(
    ("heading", "rank"),
    [("Código de guía", 1), ("AWB ref.", 1), ("House ID", 0), ("Etiqueta del despacho", 2), ("Código del envío", 2),
     ("Shipment barcode", 2), ("Parcel label no.", 2)],
)  # fmt: skip
def test_a_house_or_a_shipment_with_a_word_for_its_number_is_the_hawb(heading: str, rank: int) -> None:
    assert [each.rank for each in read_heading(heading).meanings if each.field == "hawb"] == [rank]


@pytest.mark.parametrize(
    "heading", ["Código del servicio de envío", "Etiqueta", "Código postal de envío", "Código", "Fecha de despacho"]
)
def test_other_codes_and_other_words_about_shipments_are_no_hawb(heading: str) -> None:
    assert "hawb" not in read_heading(heading).fields()


@pytest.mark.parametrize(
    "heading",
    ["Shipping amount", "Shipping value", "Delivery price", "Freight total", "Handling amount", "Tax total",
     "Total envío", "Discount value", "Tip amount", "Importe del despacho"],
)  # fmt: skip
def test_a_charge_is_never_the_fob(heading: str) -> None:
    assert read_heading(heading).fields() <= {"unused", "freight_usd"}


@pytest.mark.parametrize("heading", ["Unidades", "Cantidad de artículos", "Items", "No. of units", "Cant. productos"])
def test_a_count_of_goods_is_no_count_of_packages(heading: str) -> None:
    assert "packages_count" not in read_heading(heading).fields()


@pytest.mark.parametrize(
    ("heading", "field", "unit"),
    [
        ("Nro.\nde Cajas", "packages_count", ""),
        ("Peso\nbruto", "weight_kg", ""),
        ("Peso bruto³ (kg)", "weight_kg", "kg"),
        ("RUT†", "consignee_document", ""),
        ("FOB (no incluye courier)", "fob_usd", ""),
        ("Valor FOB (no incluye flete ni seguro)", "fob_usd", ""),
        ("Dato 4 zafra (Peso bruto kg)", "weight_kg", "kg"),
        ("Volumen (m³)", "unused", ""),
        ("Peso (kg, máx. 30)", "weight_kg", "kg"),
        ("Peso (hasta 30 kg)", "weight_kg", "kg"),
        ("重量（KG，最大30）", "weight_kg", "kg"),
        ("Peso (kg, máx.)", "unused", ""),
        ("Peso máximo 30 (kg)", "unused", ""),
        ("重量(公斤)", "weight_kg", "kg"),
        ("重量(斤)", "weight_kg", "?"),  # 500 g or 600 g
        ("重量(台斤)", "weight_kg", "?"),
    ],
)
def test_line_breaks_marks_and_brackets_are_understood(heading: str, field: str, unit: str) -> None:
    reading = read_heading(heading)
    assert (field in reading.fields(), reading.unit) == (True, unit)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("ana@example.com", True),
        ("contacto@tienda.com", True),  # of words that headings have
        ("@ de Ana", True),
        ("E-mail @ del destinatario", False),
        ("12.345.678-5", True),
        ("RUT 12345678", True),
        ("１２３４５６", True),
        ("Zurbo 12345", False),
        ("Dejar con el vecino de la casa azul porfa", True),
        ("Nombre y apellido del destinatario / Name and surname of the consignee", False),
        ("Color favorito", False),
        ("", False),
    ],
)
def test_what_may_be_a_persons_data_is_told_from_headings(heading: str, *, expected: bool) -> None:
    assert may_be_personal(heading) is expected


@pytest.mark.parametrize(("heading", "is_sure"), [("Customer code\nHAWB", False), ("HAWB\nGuía hija", True)])
def test_a_second_line_that_says_something_else_than_the_first_is_only_a_hint(heading: str, *, is_sure: bool) -> None:
    read = read_heading(heading)
    meaning = next(meaning for meaning in read.meanings if meaning.field == "hawb")
    assert (level_of(read, meaning, heading).level > Level.REMARK) is is_sure
