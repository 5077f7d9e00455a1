"""The words that manifests use as column headings and cell labels, mostly in Spanish and English.

This is a list of words, not of rules: `headers.py` folds case, accents, punctuation and the many spellings of "number",
so each word is listed once (`numero guia` covers `N° GUÍA`, `Nro. de guía` and `Guía #`). `docs/header-words.md`
publishes this list.

Rank orders competing columns of one field; 0 is best. When a word is listed under two fields, the values below it
decide (`columns.py`).
"""

from shipments.manifests.cells import tokens
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.words.guide_words import CONSIGNEE, GOODS, SHIPPER, Field, Words

WAYBILLS = (
    Words(
        "mawb",
        0,
        """mawb, master, master awb, master air waybill, master airway bill, master airwaybill, master waybill, awb
        master, air waybill master, guia master, guia aerea master, numero master, numero guia master, numero
        mawb, mawb number, mstr, mastr, maw, m awb, m a w b, main awb, awb principal, principal awb, guia
        principal, guia maestra, guia madre, awb madre, conocimiento madre, documento madre, iddocumentomadre, nu
        guia madr, mother guide, master bill, bill master, master document, mawb reference, master reference, s
        mawb, main bill no, guia aerea madre, master awb number""",
    ),
    Words(
        "mawb",
        1,
        """awb, awb number, guia, numero guia, guia aerea, numero guia aerea, air waybill, air waybill number, airway
        bill, airway bill number, lta, numero lta, conocimiento aereo, waybill""",
    ),
    Words(
        "hawb",
        0,
        """hawb, house, house awb, house air waybill, house airway bill, house airwaybill, house waybill, house bill,
        awb house, h awb, numero hawb, hawb number, hawb no, s hawb, house awb number, guia hija, guia house, guia
        aerea hija, awb hija, hija, nu guia hija, blt guia hija, conocimiento hijo, documento hijo, child guide,
        guia courier, conocimiento filhote, filhote, numero house""",
    ),
    Words(
        "hawb",
        1,
        """awb, air waybill, air waybill number, airway bill, airway bill number, airwaybill, awb number, guia, guia
        aerea, numero guia, numero guia aerea, guide, guide number, guide id, waybill, waybill number, air bill,
        bill no, bill number, conocimiento aereo, lta, numero lta, guia de carga, guia de transporte, guia de
        envio, nu guia, parcel no, numero envio, id envio, divideno, consignment number""",
    ),
    Words(
        "hawb",
        2,
        """tracking, tracking number, tracking id, tracking code, track, codigo tracking, codigo seguimiento,
        seguimiento, numero seguimiento, rastreo, numero rastreo, local tracking, local tracking provider,
        tracking local, tracking usa, package tracking, shipment tracking, carrier tracking, amazon tracking, amz
        tracking, ups tracking, fedex tracking, dhl tracking, usps tracking, shipment id, shipment number, amazon
        shipment, amazon id, package id, parcel id, paquete, numero paquete, id paquete, carrier id, local id, item
        id, mail item id, postal item id, mailpiece id, parcel number, package number""",
    ),
    Words(
        "hawb",
        3,
        """id, ref, referencia, reference, numero, numero referencia, internal ref, internal id, internal number,
        numero interno, id interno, order id, order number, order ref, pedido, numero pedido, our ref, your ref,
        nuestra ref, su ref, ref orden, amazon order, amazon number, local number, domestic tracking""",
    ),
)
"""`awb` and `guia` are listed under both. They mean the HAWB if another column is the MAWB or their values differ."""

FLIGHT = (
    Words(
        "flight_number",
        0,
        """flight number, flight no, flight, flt, vuelo, numero vuelo, codigo vuelo, nu vuel, flight code, vuelo
        numero""",
    ),
    Words(
        "origin",
        0,
        """origin, origen, origin airport, airport of origin, aeropuerto origen, airport of departure, origin port,
        port of origin, puerto origen, port of loading, country of origin, pais de origen, pais origen, origin
        country, source country, procedencia, pais procedencia, parcel origin, co ciud orig, pol, aol, org""",
    ),
    Words("origin", 1, "departure, from, ship from, source"),
    Words(
        "destination",
        0,
        """destination, destino, destination airport, airport of destination, aeropuerto destino, airport of arrival,
        destination port, port of destination, puerto destino, port of discharge, destination country, pais
        destino, country of destination, parcel destination, co ciud dest, final destination, destino final, final
        dest, dest port, dest, pod, aod, puerto descarga, aeropuerto descarga, lugar descarga, puerto desembarque,
        aeropuerto desembarque, puerto arribo, aeropuerto arribo, puerto llegada, aeropuerto llegada, lugar destino,
        airport of discharge, place of discharge, discharge port, discharge airport, port of unloading, place of
        unloading, airport of unloading, unloading port, unloading airport, arrival airport, arrival port, place of
        delivery, destination station, aeroporto destino, porto destino, porto descarga, local destino""",
    ),
    Words(
        "scheduled_departure",
        0,
        """scheduled departure, estimated time of departure, estimated departure, departure date, date of departure,
        departure time, fecha estimada de salida, fecha de salida, fecha salida, fecha vuelo, fecha de embarque,
        flight date, etd, atd, std, dep, salida, departure""",
    ),
    Words(
        "scheduled_arrival",
        0,
        """scheduled arrival, eta, eta date, ata, sta, estimated time of arrival, estimated arrival, arrival date,
        date of arrival, arrival time, arrival, arr, arribo, llegada, fecha estimada de arribo, fecha estimada de
        llegada, fecha de arribo, fecha arribo, fecha de llegada, fecha llegada, fecha y hora de arribo, fecha y
        hora de llegada, fe lleg vuel""",
    ),
)

UNUSED = (
    Words(
        "unused",
        0,
        """volume, volumen, vol, volumetric weight, volume weight, vol weight, vol wt, peso volumetrico, peso vol,
        peso volumen, dimensional weight, dim weight, peso dimensional, chargeable weight, peso cobrable, peso
        tasable, peso facturable, kg reci vola, unit weight, peso unitario""",
    ),
    Words(
        "unused",
        0,
        """cif, cif value, valor cif, unit price, unit value, precio unitario, valor unitario, item value per unit,
        price per unit, insured value, valor asegurado, insurance, insurance value, seguro, valor seguro, parcel
        total insurance charges, cost, costo, fob unitario, unit fob""",
    ),
    Words(
        "unused",
        0,
        """freight, flete, freight cost, freight charge, freight amount, monto flete, shipping, shipping cost,
        shipping fee, shipping amount, envio, costo envio, monto envio, tarifa envio, delivery cost, delivery fee,
        costo entrega, transport cost, costo transporte, cargo transporte, carrier charge, handling, handling fee,
        manejo, parcel total freight charges""",
    ),
    Words(
        "unused",
        0,
        """bag, saca, bolsa, parcel bag id, consolidado, consolidated, consol, consol id, consolidation,
        consolidation number, numero consolidado, master consolidado, master consol, consolidacion, pallet, linea,
        line, correlativo, item no, row, fila, fecha, date, status, observaciones, remarks, comentarios, notas,
        notes, category, categoria, platform name, marketplace cop no, marketplace waybill, product code, sku,
        brand, marca, url, invoice number, numero factura""",
    ),
)

EXACT_ONLY = tokens(
    """amount arancel area arrival articulo buyer calle carga cargo client cliente consign content contents cost
    costo count county cuenta customer date declarado department departure dept detail details detalle digito
    envio estado fecha fila fraccion from glosa guide hija house importador importe importer item items line
    llegada load location mail master material merchant monto name nombre numero paquete partida pedido person
    persona postal precio price product producto reference referencia region row salida shipment shipping source
    state status store street tariff tienda titular total track value villa what zona zone"""
)
"""Words too common to claim a heading that merely begins with them."""

CONTRACT_NAMES: dict[str, Field] = {
    **{field.name: field.name if field.in_workbook else "unused" for field in GUIDE_FIELDS},
    "mawb": "mawb",
    "rut": "consignee_document",
    "consignee_rut": "consignee_document",
    "description": "description_original",
    "flight_number": "flight_number",
    "origin_airport": "origin",
    "origin_country": "origin",
    "destination_airport": "destination",
    "destination_country": "destination",
    "scheduled_departure": "scheduled_departure",
    "scheduled_arrival": "scheduled_arrival",
    "eta": "scheduled_arrival",
    "tracking_code": "hawb",
    "quantity": "packages_count",
    "unit_value": "unused",
    "marketplace_cop_no": "unused",
    "marketplace_waybill": "unused",
    "status": "unused",
    "status_code": "unused",
    "manifest_id": "unused",
    "flight_id": "unused",
    "client_code": "unused",
    "transport_mode": "unused",
    "company_id": "unused",
    "country": "consignee_country",
}
"""Field names of the contract and of the JSON endpoint, so that our own names are understood too."""

VOCABULARY: tuple[Words, ...] = (*WAYBILLS, *CONSIGNEE, *SHIPPER, *GOODS, *FLIGHT, *UNUSED)
