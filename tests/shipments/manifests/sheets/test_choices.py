"""Which column serves where several could: houses, customers, counts, totals, regions, blocks side by side."""

import pytest

from shipments.errors import NoRowsParsed
from shipments.manifests.cells import Cell
from shipments.manifests.manifest import ParsedManifest
from tests.shipments.manifests.made_sheets import MAWB_LABEL, noticed, read, sheet

GUIDES: tuple[dict[str, Cell], ...] = (
    {"house": "H1", "name": "Ana Rojas", "rut": "12345678-5", "goods": "Ropa", "pieces": 2, "kg": 1.5, "fob": 20,
     "order": "114-77001", "postal": "RR123456785US", "no": 12, "row": 1, "street": "Prat", "home": "Prat 12",
     "total": 26, "sum": 40, "kilos": 3, "more": "Ana Rojas RUT 12345678-5",
     "given": "Ana", "surname": "Rojas", "shop": "Sol SpA"},
    {"house": "H2", "name": "Beto Soto", "rut": "7654321-6", "goods": "Libro", "pieces": 1, "kg": 2, "fob": 30,
     "order": "114-77219", "postal": "RR123456799US", "no": 7, "row": 2, "street": "Mar", "home": "Mar 7",
     "total": 37, "sum": 30, "kilos": 2, "more": "Beto Soto, 7654321-6",
     "given": "Beto", "surname": "Soto", "shop": "Luna Ltda"},
    {"house": "H3", "name": "Caro Díaz", "rut": "9876543-3", "goods": "Cable", "pieces": 1, "kg": 3, "fob": 40,
     "order": "114-77330", "postal": "RR123457785US", "no": 3, "row": 3, "street": "Luz", "home": "Luz 3",
     "total": 48, "sum": 40, "kilos": 3, "more": "Caro Díaz, 11222333-9",
     "given": "Caro", "surname": "Díaz", "shop": "Mar SpA"},
)  # fmt: skip


def laid_out(layout: str) -> ParsedManifest:
    """Three guides under `heading=key` pairs between bars. `!x` is the text x on every row, an empty key no value."""
    columns = [pair.rpartition("=")[::2] for pair in layout.split(" | ")]
    rows = [[key[1:] if key[:1] == "!" else guide.get(key) for _, key in columns] for guide in GUIDES]
    return read(sheet(MAWB_LABEL, [heading for heading, _ in columns], *rows))


REST = "RUT=rut | Contenido=goods | Peso=kg | FOB=fob"


@pytest.mark.parametrize(
    ("columns", "house"),
    [
        ("Código de barras=postal | Consignatario=name", "RR123456785US"),
        ("Pedido=order | Etiqueta del envío=house | Consignatario=name", "H1"),
        ("Pedido=order | Barcode=postal | Consignatario=name", "RR123456785US"),
    ],
)
def test_what_identifies_a_shipment_is_the_house(columns: str, house: str) -> None:
    assert laid_out(f"{columns} | {REST} | Bultos=pieces").guides[0].hawb == house


def asked(manifest: ParsedManifest) -> dict[str, list[str]]:
    """Field in doubt -> the headings of the columns that may be it."""
    return {each.field: [column.heading for column in each.columns] for each in manifest.questions}


def kept(manifest: ParsedManifest) -> list[str]:
    """The headings of the columns that no field reads."""
    return [column.heading for column in manifest.kept]


@pytest.mark.parametrize("columns", ["Calle=street | Número=no", "Índice=row"])
def test_a_number_of_another_trade_is_no_house_and_the_refusal_quotes_the_headings(columns: str) -> None:
    with pytest.raises(NoRowsParsed, match=columns.rpartition(" | ")[2].partition("=")[0]):
        laid_out(f"{columns} | Consignatario=name | {REST} | Bultos=pieces")


@pytest.mark.parametrize(
    ("columns", "maybe"),
    [
        ("Pedido=order", ["Pedido"]),  # anything of an order
        ("Pedido=order | Clave zafra=no", ["Pedido", "Clave zafra"]),
        ("Guía=row | Clave zafra=house", ["Guía", "Clave zafra"]),  # a counter beside a column that identifies
        ("N°=no", ["N°"]),  # a short number may be the row's
        ("Índice=no", ["Índice"]),  # no heading says so
        ("ID=row | Consignatario 2=name", ["ID"]),
        ("Guía zafra=house", ["Guía zafra"]),  # nobody knows the word
        ("采购单号=house", ["采购单号"]),
        ("HAWB anulado=house", ["HAWB anulado"]),
        ("Tracking local=house", ["Tracking local"]),
        ("Guía 2=house", ["Guía 2"]),
    ],
)
def test_a_house_that_may_be_another_column_is_asked(columns: str, maybe: list[str]) -> None:
    manifest = laid_out(f"{columns} | Consignatario=name | {REST} | Bultos=pieces")
    assert asked(manifest)["hawb"] == maybe


@pytest.mark.parametrize(
    "columns",
    [
        "Titular=!Tienda Sur | Adquirente=name | RUT adquirente=rut",
        "Cliente=!Tienda Sur | Destinatario=name | RUT=rut",
        "Comprador=goods | Adquirente=name | RUT adquirente=rut",
    ],
)
def test_of_customers_the_one_that_is_about_each_guide_is_the_consignee(columns: str) -> None:
    guide = laid_out(f"HAWB=house | {columns} | Descripción=goods | Peso=kg | FOB=fob | Bultos=pieces").guides[0]
    assert (guide.consignee_name, guide.consignee_document) == ("Ana Rojas", "12345678-5")


@pytest.mark.parametrize(
    "columns",
    ["姓=surname | 名=given", "收件人名=given | 收件人姓=surname", "Name 1=given | Name 2=surname",
     "Consignee Name 1=given | Consignee Name 2=surname", "Name 1=name | Name 2="],
)  # fmt: skip
def test_a_name_in_two_columns_is_joined(columns: str) -> None:
    manifest = laid_out(f"HAWB=house | {columns} | {REST} | Bultos=pieces")
    assert ([guide.consignee_name for guide in manifest.guides], manifest.kept) == (
        ["Ana Rojas", "Beto Soto", "Caro Díaz"], (),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "field", "headings"),
    [
        ("Nombre=name | Cliente=shop | Peso=kg", "consignee_name", ["Nombre", "Cliente"]),
        ("Titular=name | Adquirente=street | Peso=kg", "consignee_name", ["Titular", "Adquirente"]),
        ("Nombre=home | Dirección=name | Peso=kg", "consignee_name", ["Nombre", "Dirección"]),
        ("Consignatario=name | Libras=kg | Onzas=no", "weight_kg", ["Libras", "Onzas"]),
        ("Consignatario=name | Kilos=kg | g=no", "weight_kg", ["Kilos", "g"]),
    ],
)
def test_of_two_columns_that_nothing_tells_apart_neither_is_read(columns: str, field: str, headings: list[str]) -> None:
    manifest = laid_out(f"HAWB=house | {columns} | RUT=rut | Contenido=goods | FOB=fob | Bultos=pieces")
    assert not getattr(manifest.guides[0], field)
    assert asked(manifest) == {field: headings}


@pytest.mark.parametrize("columns", ["Nombre=name | Cliente=!Sol SpA", "Cliente=name | Nombre=!Sol SpA"])
def test_of_two_bare_columns_for_people_the_values_choose(columns: str) -> None:
    manifest = laid_out(f"HAWB=house | {columns} | {REST} | Bultos=pieces")
    assert (manifest.guides[0].consignee_name, manifest.questions) == ("Ana Rojas", ())


@pytest.mark.parametrize(
    ("columns", "address"),
    [
        ("Tracking=house | Street=street | House number=no", "Prat 12"),
        ("House No.=no | Calle=street | HAWB=house", "Prat 12"),
        ("House number=no | Tracking=house | Calle=street", "Prat"),
        ("HAWB=house | Calle=street | N°=no", "Prat 12"),
        ("House no=no | HAWB=house", ""),
    ],
)
def test_a_house_number_of_few_digits_is_a_door_and_no_hawb(columns: str, address: str) -> None:
    guide = laid_out(f"Consignatario=name | {columns} | {REST} | Bultos=pieces").guides[0]
    assert (guide.hawb, guide.consignee_address) == ("H1", address)


@pytest.mark.parametrize(
    ("columns", "packages"),
    [
        ("Quantity=pieces | UoM=!EA", 1),
        ("Quantity=pieces | Unidad=!bulto", 2),
        ("Cantidad de artículos=pieces", 1),
        ("Quantity=pieces", 2),
    ],
)
def test_a_quantity_of_goods_is_no_count_of_packages(columns: str, packages: int) -> None:
    manifest = laid_out(f"HAWB=house | Consignatario=name | {REST} | {columns}")
    assert manifest.guides[0].packages_count == packages


@pytest.mark.parametrize(
    ("columns", "fob"),
    [
        ("Flete=no | Total U$S=total", "None"),
        ("Frete=no | Subtotal USD=fob | Total=total", "None"),
        ("Total=total", "26.00"),
    ],
)
def test_a_total_beside_freight_is_no_fob(columns: str, fob: str) -> None:
    manifest = laid_out(f"HAWB=house | Consignatario=name | RUT=rut | Contenido=goods | Peso=kg | {columns}")
    assert str(manifest.guides[0].fob_usd) == fob


@pytest.mark.parametrize(("state", "region"), [("!released", ""), ("!Biobío", "Biobío"), ("!C_2", "")])
def test_a_status_is_no_region(state: str, region: str) -> None:
    manifest = laid_out(f"HAWB=house | Consignatario=name | {REST} | State={state}")
    assert manifest.guides[0].consignee_region == region


def test_of_equal_headings_the_one_in_the_block_of_the_house_serves() -> None:
    manifest = laid_out(f"HAWB=house | Consignatario=name | {REST} | = | Consignatario=street | Peso=no | FOB=total")
    guide = manifest.guides[0]
    assert (guide.consignee_name, str(guide.weight_kg), str(guide.fob_usd)) == ("Ana Rojas", "1.500", "20.00")


@pytest.mark.parametrize(
    ("columns", "fob", "kilograms", "packages"),
    [
        ("Cant=pieces | Precio=fob | Total=sum | Peso=kg", "40.00", "1.500", 1),
        ("Unidades=pieces | Valor=fob | Valor total=sum | Peso=kg | Bultos=!4", "40.00", "1.500", 4),
        ("Cant=pieces | Precio=fob | Total=sum | Peso=kg | Seguro=!1", "40.00", "1.500", 1),
        ("Bultos=pieces | Peso=kg | Peso total=kilos | FOB=fob", "20.00", "3.000", 2),
    ],
)
def test_what_a_count_turns_into_another_column_is_of_one_piece(
    columns: str, fob: str, kilograms: str, packages: int
) -> None:
    guide = laid_out(f"HAWB=house | Consignatario=name | RUT=rut | Producto=goods | {columns}").guides[0]
    assert (str(guide.fob_usd), str(guide.weight_kg), guide.packages_count) == (fob, kilograms, packages)


@pytest.mark.parametrize(
    ("columns", "others"),
    [
        ("Consignee=!Agencia Sur | Ship to=name | RUT=rut", ["Consignee"]),
        (
            "Consignatario=!Agencia | RUT consignatario=!76543210-3 | Destinatario final=name | RUT destinatario=rut",
            ["Consignatario", "RUT consignatario"],
        ),
        ("Destinatario=more | Nombre=name | RUT=rut", ["Destinatario"]),
    ],
)
def test_of_two_columns_for_the_consignee_the_agents_is_kept(columns: str, others: list[str]) -> None:
    manifest = laid_out(f"HAWB=house | {columns} | Contenido=goods | Bultos=pieces | Peso=kg | FOB=fob")
    assert (manifest.guides[0].consignee_name, manifest.guides[0].consignee_document) == ("Ana Rojas", "12345678-5")
    assert (noticed(manifest), kept(manifest)) == (["columns_kept"], others)


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        ("Consignatario=more | Peso=kg | FOB=fob", "consignee_name"),  # names with more than the name
        ("Consignatario=name | Peso=kg | Flete=!9 | Valor total=total", "fob_usd"),
    ],
)
def test_a_column_that_may_hold_more_than_its_heading_says_is_asked(columns: str, field: str) -> None:
    manifest = laid_out(f"HAWB=house | {columns} | RUT=rut | Contenido=goods | Bultos=pieces")
    assert not getattr(manifest.guides[0], field)
    assert (noticed(manifest)[0], [*asked(manifest)]) == ("column_in_doubt", [field])
    assert manifest.guides[0].review_reasons == ("column_in_doubt",)


@pytest.mark.parametrize(
    ("columns", "others", "doubts"),
    [
        ("Consignatario=name | Fono=!ana@x.cl | Email=!91234567", ["Fono", "Email"], {}),
        ("Consignatario=name | Teléfono bodega=!91234567 | Dirección retiro=street",
         ["Teléfono bodega", "Dirección retiro"], {}),
        ("Consignatario=name | Celular zafra=!91234567 | Chofer=shop", ["Celular zafra", "Chofer"], {}),
        ("Consignatario=name | FLT US$=!9.95", ["FLT US$"], {}),
        ("Name=!Acme Ltd | Name.1=name | Address=!1 Main St | Address.1=street", ["Name", "Address", "Address.1"],
         {"consignee_address": ["Address", "Address.1"]}),
    ],
)  # fmt: skip
def test_what_the_values_contradict_is_kept(columns: str, others: list[str], doubts: dict[str, list[str]]) -> None:
    manifest = laid_out(f"HAWB=house | {columns} | Peso=kg | FOB=fob | RUT=rut | Contenido=goods | Bultos=pieces")
    guide = manifest.guides[0]
    assert (sorted(kept(manifest)), asked(manifest)) == (sorted(others), doubts)
    assert (guide.consignee_name, guide.consignee_phone, guide.consignee_address) == ("Ana Rojas", "", "")
    assert guide.review_reasons == ()  # an address is no core field


@pytest.mark.parametrize(("count", "fob"), [("pieces", None), ("!1", 20)])
def test_a_price_beside_quantities_may_be_of_one_piece_and_is_asked(count: str, fob: int | None) -> None:
    manifest = laid_out(f"HAWB=house | Consignatario=name | {REST.replace('FOB', 'Precio')} | Cantidad={count}")
    assert (manifest.guides[0].fob_usd, "fob_usd" in asked(manifest)) == (fob, fob is None)


def test_a_description_of_digits_is_not_read_and_said() -> None:
    manifest = laid_out(
        "HAWB=house | Consignatario=name | RUT=rut | Descripción=!95030090 | Peso=kg | FOB=fob | Bultos=!1"
    )
    assert (manifest.guides[0].description_original, noticed(manifest)) == (
        "", ["columns_kept", "field_without_column"],
    )  # fmt: skip


def test_the_total_of_a_line_is_added() -> None:
    rows = [("H1", "Ana Rojas", "12345678-5", goods, 1, 1.5, 12) for goods in ("Ropa", "Libro")]
    headings = ("HAWB", "Consignatario", "RUT", "Contenido", "Bultos", "Peso", "Total ítem USD")
    assert str(read(sheet(MAWB_LABEL, headings, *rows)).guides[0].fob_usd) == "24.00"
