"""The words that manifests use as headings for a guide's consignee, shipper and goods.

See `header_words.py`, which combines them with the rest.
"""

from typing import NamedTuple, TypeAlias

from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, GUIDE_FIELDS

Field: TypeAlias = str
"""What a heading can mean: one of `HEADING_FIELDS`."""

PERSONAL: frozenset[Field] = frozenset(
    {
        *CONSIGNEE_FIELDS,
        "given_name",
        "middle_name",
        "surname",
        "second_surname",
        "check_digit",
        "address_number",
        "address_more",
        "consignee_country",
    }
)
"""Fields that any person in a manifest can have. The heading, a group above it or its neighbours say whose they are."""

HEADING_FIELDS: frozenset[Field] = frozenset(
    {
        *(field.name for field in GUIDE_FIELDS if field.in_workbook),
        *PERSONAL,
        "mawb",
        "weight_unit",
        "currency",
        "flight_number",
        "origin",
        "destination",
        "scheduled_departure",
        "scheduled_arrival",
        "unused",
    }
)
"""The guide's fields, and those that help to read them.

`unused`: understood but never read into a guide, so that no shorter word claims the heading.
"""


class Words(NamedTuple):
    """Words of one field and one rank, separated by commas."""

    field: Field
    rank: int
    words: str

    def listed(self) -> tuple[str, ...]:
        """The single words, each on one line."""
        return tuple(" ".join(word.split()) for word in self.words.split(","))


CONSIGNEE = (
    Words(
        "consignee_name",
        0,
        """consignee, consignee name, consignee full name, consignatario, destinatario, destinatario final,
        recipient, recipient name, receiver, receiver name, final recipient, destinatario mercancias, addressee,
        cnee, cnee name, consign,
        consig, no cons, ship to, ship to name, deliver to, deliver to name, beneficiary, beneficiario, merchant
        cs name""",
    ),
    Words(
        "consignee_name",
        1,
        """nombre, name, full name, nombre completo, nombre y apellido, nombre y apellidos, nombres y apellidos,
        apellido y nombre, apellidos y nombres, razon social, nombre o razon social, nombre razon social, company
        name""",
    ),
    Words(
        "consignee_name",
        2,
        """cliente, client, customer, customer name, cliente nombre, nombre cliente, buyer, comprador, importador,
        importer, persona, person, titular""",
    ),
    Words(
        "consignee_name",
        3,
        """merchant, merchant name, contact name, nombre contacto, nombre contacto destinatario, cuenta, account
        name, consignee name & address, consignee name and address""",
    ),
    Words("given_name", 0, "nombres, primer nombre, first name, given name, given names"),
    Words("middle_name", 0, "segundo nombre, middle name"),
    Words(
        "surname",
        0,
        """apellido paterno, primer apellido, apellido, apellidos, apellido 1, last name, surname, family name""",
    ),
    Words("second_surname", 0, "apellido materno, segundo apellido, apellido 2, second surname"),
    Words("consignee_document", 0, "rut, run, rut consignatario, rut destinatario, rut usuario, rut dni"),
    Words(
        "consignee_document",
        1,
        """dni, ruc, nit, rif, rfc, cuit, cuil, cuil cuit, cpf, cnpj, cnpj cpf, curp, ssn, cedula, cedula identidad,
        documento, numero documento, documento identidad, document number, identification, identification number,
        identificacion, numero identificacion, identificacion fiscal, tax id, vat number, passport, passport
        number, pasaporte, numero pasaporte, id number, numero id, national id, id nacional, personal id, id
        personal, identifier code""",
    ),
    Words("consignee_document", 2, "id, ci"),
    Words(
        "check_digit",
        0,
        """dv, digito verificador, digito verificador del rut, dv rut, digito, dig verif, dig ver, check digit""",
    ),
    Words(
        "consignee_document_type",
        0,
        """tipo documento, tipo doc, document type, doc type, tipo id, tipo identificacion, id type, identification
        type, type of id, document kind, clase documento, tipo cedula""",
    ),
    Words(
        "consignee_address",
        0,
        """delivery address, shipping address, ship to address, deliver to address, destination address, direccion
        entrega, direccion envio, direccion despacho, direccion destino, delivery addr, ship addr, lugar entrega,
        punto entrega""",
    ),
    Words(
        "consignee_address",
        1,
        """address, addr, direccion, dir, direccion completa, full address, address line, address line 1, address 1,
        linea direccion, direccion 1, street, street address, street name, calle, domicilio, residential address,
        home address""",
    ),
    Words("consignee_address", 2, "ubicacion, location"),
    Words("address_number", 0, "numero direccion, numero calle, numero casa, street number, altura"),
    Words(
        "address_more",
        0,
        """address 2, address line 2, direccion 2, linea direccion 2, address 3, address line 3, direccion 3, numero
        departamento, depto, numero depto, dpto, apartment, apartamento, apt, complemento""",
    ),
    Words("consignee_city", 0, "comuna, comuna destino"),
    Words(
        "consignee_city",
        1,
        """city, city name, ciudad, nombre ciudad, ciudad destino, destination city, ciudad entrega, delivery city,
        ship to city, town, municipality, municipio, localidad, locality, poblacion, villa, distrito, district,
        canton, corregimiento""",
    ),
    Words(
        "consignee_region",
        0,
        """region, provincia, province, state, state or province, estado, departamento, dept, department, zona, zone,
        area, county""",
    ),
    Words("consignee_country", 0, "country, pais, country code, codigo pais"),
    Words(
        "consignee_postal_code",
        0,
        """postal code, postcode, post code, zip, zip code, postal, postal number, numero postal, codigo postal, cod
        postal, cp, destination zip, codigo postal destinatario, zip destino, delivery zip, shipping zip""",
    ),
    Words(
        "consignee_phone",
        0,
        """phone, phone number, telephone, telephone number, telefono, numero telefono, tel, fono, mobile, mobile
        phone, movil, numero movil, celular, numero celular, cell, cell phone, contact phone, contact number,
        numero contacto, customer phone, telefono cliente, whatsapp, ph""",
    ),
    Words(
        "consignee_email",
        0,
        """email, e mail, mail, correo, correo electronico, electronic mail, email address, mail address, direccion
        email, direccion correo, direccion electronica, electronic address, contact email, customer email, correo
        cliente, correo contacto""",
    ),
)

SHIPPER = (
    Words(
        "shipper_name",
        0,
        """shipper, shipper name, embarcador, nombre embarcador, remitente, nombre remitente, sender, sender name,
        exportador, exporter, exporter name, consignor, consignor name, consignante, nombre consignante, emisor,
        nombre emisor, expedidor, nombre expedidor, expediteur""",
    ),
    Words(
        "shipper_name",
        1,
        """proveedor, nombre proveedor, supplier, supplier name, vendor, seller, seller name, vendedor, nombre
        vendedor, tienda, store, shipper name & address, shipper name and address""",
    ),
)

GOODS = (
    Words(
        "description_original",
        0,
        """description, descripcion, desc, description of goods, goods description, product description, item
        description, cargo description, commodity description, contenido, content, contents, shipment contents,
        package contents, nature and quantity of goods, nature and quantity, naturaleza y cantidad, naturaleza y
        cantidad mercancia, contenido envio, contenido paquete, descripcion mercancia, descripcion mercaderia,
        descripcion producto, descripcion contenido, nature of goods, de contenido, de carg, que contiene,
        descricao da carga, descricao, descrip, descr""",
    ),
    Words(
        "description_original",
        1,
        """product, products, product name, producto, productos, nombre producto, articulo, nombre articulo, item
        name, item desc, prod desc, merchandise, mercancia, mercancias, mercaderia, mercaderias, mercadoria,
        goods, commodity, glosa""",
    ),
    Words("description_original", 2, "item, detalle, detail, details, material, cargo, carga, load, what"),
    Words(
        "hs_code",
        0,
        """hs code, hs, hs number, hts code, hts, hts number, hsn, hsn code, hsn number, harmonized code, tariff
        code, tariff, customs code, commodity code, schedule b, schedule b code, taric, taric code, ncm, ncm code,
        codigo ncm, codigo arancelario, codigo hs, codigo armonizado, sistema armonizado, codigo arancel, arancel
        codigo, cod arancel, arancel, tarifa arancelaria, partida arancelaria, partida, codigo aduanero, fraccion
        arancelaria, fraccion""",
    ),
    Words(
        "weight_kg",
        0,
        """gross weight, gross wt, peso bruto, gw, p bruto, peso br, total gross weight, peso bruto total, kg bruto,
        kgs bruto, kgs brutos, kilos brutos, parcel total gross weight""",
    ),
    Words(
        "weight_kg",
        1,
        """weight, wt, peso, kg, kgs, kilos, kilogramos, kilogrammes, kilograms, lb, lbs, libras, pounds, weight kg,
        weight lb, weight in kg, weight in lbs, peso kg, peso lb, peso en kg, peso en libras, package weight, peso
        paquete, cargo weight, kg reci, g kil, peso declarado, total weight, peso total, total peso""",
    ),
    Words("weight_kg", 2, "actual weight, peso real, peso actual, peso fisico"),
    Words("weight_kg", 3, "net weight, net wt, peso neto, p neto, nw"),
    Words("weight_kg", 4, "item weight"),
    Words("weight_unit", 0, "weight unit, unidad peso, unidad de peso, weight uom, uom peso, um peso"),
    Words(
        "packages_count",
        0,
        """packages, package count, number of packages, bultos, bulto, cantidad bultos, total bultos, nu bult, nu
        bult mani, nu bult reci, bultos manif, pieces, piezas, pieza, pzas, pcs, number of pieces, num pieces,
        piece count, pcs count, cargo piece count, cantidad piezas, total pieces, total piezas, pkgs, pkg qty,
        package quantity, cantidad volumes, numero volumes, total volumes, cantidad paquetes, paquetes, cartons,
        carton, cartones, ctns, ctn, cajas, caja, colis""",
    ),
    Words("packages_count", 1, "cantidad, cantidades, quantity, quantities, qty, cant, count"),
    Words("packages_count", 2, "units, unidades, numero unidades, items, items count, item count"),
    Words(
        "fob_usd",
        0,
        """fob, fob value, value fob, valor fob, fob total, total fob, monto fob, importe fob, fob amount""",
    ),
    Words(
        "fob_usd",
        1,
        """declared value, valor declarado, declared amount, monto declarado, total declarado, total declared,
        customs value, value for customs, valor
        aduana, valor aduanero, valor en aduana""",
    ),
    Words(
        "fob_usd",
        2,
        """value, valor, usd, assessed value, value usd, usd value, valor usd, dollar value, valor dolares, amount,
        monto, importe, price, precio, invoice value, valor factura, item value, valor item, valor articulo,
        package value, valor paquete, goods value, valor mercancia, valor mercaderia, commercial value, valor
        comercial, import value, valor importacion""",
    ),
    Words("fob_usd", 3, "total value, valor total, total valor, total, total usd, total amount, monto total"),
    Words("product_value", 0, "product value, valor producto"),
    Words("currency", 0, "currency, currency code, moneda, tipo moneda, codigo moneda, divisa"),
)
