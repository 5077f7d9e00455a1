"""What headings, units, currencies and persons are understood to be: nothing wrong, and nothing empty, in silence."""

import json

import pytest

from shipments.errors import GuidesLeftUnread, NoRowsParsed
from shipments.manifests.cells import Cell
from shipments.manifests.manifest import ColumnReading, ParsedManifest
from shipments.manifests.words.headings import read_heading
from shipments.manifests.words.nouns import UNREADABLE
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB_LABEL, Cells, noticed, read, said, sheet
from tests.shipments.manifests.understanding import FIELDS, Case
from tests.shipments.manifests.understanding_cases import EMPTY, USUAL, WRONG

MOST_NEEDLESS = 1
"""Notices of a usual layout that its sender would call needless."""


def by_name(case: Case) -> str:
    """The id of a case."""
    return case.name


def read_case(case: Case) -> ParsedManifest:
    """The manifest of a case, once its first guide is compared with what the case wants."""
    manifest = read(sheet(*case.rows()))
    guide = manifest.guides[0]
    values = {word: getattr(guide, FIELDS[word]) for word in case.want}
    assert {word: "" if value is None else str(value) for word, value in values.items()} == case.want
    return manifest


@pytest.mark.parametrize("case", USUAL, ids=by_name)
def test_a_usual_layout_is_read_in_full_and_without_noise(case: Case) -> None:
    assert len(read_case(case).notices) <= MOST_NEEDLESS


@pytest.mark.parametrize("case", WRONG, ids=by_name)
def test_nothing_is_taken_for_what_it_is_not(case: Case) -> None:
    manifest = read_case(case)
    codes = {*noticed(manifest), *(warning.code for warning in manifest.warnings)}
    assert not case.said or codes.intersection(case.said)


@pytest.mark.parametrize("case", EMPTY, ids=by_name)
def test_nothing_is_left_empty_without_a_word(case: Case) -> None:
    manifest = read_case(case)
    assert not case.said or set(case.said) <= set(noticed(manifest))


# --- units: every noun, every unit, every way to write the two -------------------------------------------------------

NOUNS = ("Peso", "Weight", "GROSS WEIGHT", "Peso neto")
SPELLINGS = {
    "kg": "kg KG Kgs KGS. kilo kilos kilogramo Kilogramos kilogram KILOGRAMS quilos",
    "lb": "lb LB lbs LBS. libra Libras pound POUNDS",
    "oz": "oz OZ onza onzas ounce ounces",
    "g": "gr GR grs GRS. gramo Gramos gram grams gms GRAMAS",
    "t": "ton TON tonelada Toneladas tonne tonnes tons TM",
    "mg": "mg MG miligramos milligrams",
    UNREADABLE: "st stone quintal qq arroba hg dag xyz kg/lb carats",
}
WAYS = ("{noun} ({unit})", "{noun} {unit}", "{noun}_{unit}", "{noun} - {unit}", "{noun}/{unit}", "{noun} en {unit}",
        "{noun}: {unit}", "{noun}, {unit}", "{noun}\n({unit})", "{noun} <{unit}>", "{noun}（{unit}）",
        "* {noun} ({unit}) *", "3. {noun} ({unit})", "{unit} {noun}")  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("unit", SPELLINGS)
def test_a_weights_unit_is_read_or_it_is_unknown(unit: str, way: str) -> None:
    for noun in NOUNS:
        for spelling in SPELLINGS[unit].split():
            heading = read_heading(way.format(noun=noun, unit=spelling))
            may_be_gross = way == "{unit} {noun}" and noun == "Weight" and spelling in {"gr", "GR", "grs", "GRS."}
            expected = UNREADABLE if may_be_gross else unit
            assert {*heading.fields(), heading.unit} == {"weight_kg", expected}, way.format(noun=noun, unit=spelling)


@pytest.mark.parametrize(
    "heading", ["PesoKg", "pesokg", "PESOKG", "WeightKGS", "weight_kg", "pesoBrutoKg", "ＰＥＳＯ（ＫＧ）"]
)
def test_a_unit_joined_to_its_noun_is_read(heading: str) -> None:
    assert {*read_heading(heading).fields(), read_heading(heading).unit} == {"weight_kg", "kg"}


# --- currencies -------------------------------------------------------------------------------------------------------

DOLLARS = "USD|US$|U$S|U$D|dólares|US Dollars|usd|Dólar"
FOREIGN = (
    "S/|S/.|PEN|soles|R$|BRL|reais|CLP|$ CLP|CLP$|pesos|ARS|AR$|COP|MXN|MX$|UF|UTM|EUR|€|euros|¥|CNY|RMB|yuan|£|GBP|"
    "JPY|moneda nacional|moneda local|centavos|cents|¢|Bs.|guaraníes|USD/EUR|XYZ|UYU|M/N"
)
VALUES = ("Valor ({})", "VALOR {}", "Value [{}]", "FOB {}", "Valor FOB ({})", "Declared value ({})", "Monto en {}")


@pytest.mark.parametrize("way", VALUES)
def test_a_value_is_in_dollars_or_not_taken(way: str) -> None:
    for currency in DOLLARS.split("|"):
        heading = read_heading(way.format(currency))
        assert {*heading.fields(), heading.currency} == {"fob_usd", "USD"}, way.format(currency)
    for currency in FOREIGN.split("|"):
        heading = read_heading(way.format(currency))
        assert heading.fields() == {"fob_usd"}, way.format(currency)
        assert heading.currency not in {"", "USD"}, way.format(currency)


# --- what is said -----------------------------------------------------------------------------------------------------


def with_column(heading: str, *values: Cell) -> ParsedManifest:
    """Two guides with one more column."""
    rows: list[Cells] = [[*guide, value] for guide, value in zip((ANA, BETO), values, strict=True)]
    return read(sheet(MAWB_LABEL, [*FEW_HEADINGS, heading], *rows))


def test_the_columns_are_given_as_they_were_understood() -> None:
    manifest = read(
        sheet(MAWB_LABEL, ["HAWB", "Consignatario", "RUT", "Glosa", "Peso (LBS)", "FOB US$", "Bultos"], ANA, BETO)
    )
    assert manifest.columns == (
        ColumnReading("hawb", "HAWB", "A", strength="sure"),
        ColumnReading("consignee_name", "Consignatario", "B", strength="sure"),
        ColumnReading("consignee_rut", "RUT", "C", strength="sure"),
        ColumnReading("description_original", "Glosa", "D", strength="sure"),
        ColumnReading("weight_kg", "Peso (LBS)", "E", unit="lb", strength="sure"),
        ColumnReading("fob_usd", "FOB US$", "F", currency="USD", strength="sure"),
        ColumnReading("packages_count", "Bultos", "G", strength="sure"),
    )


def test_what_no_field_reads_is_kept_and_listed_once() -> None:
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS, "Zurrapa\nfina", "Pedido", "", "SKU", "Vacía"],
                          [*ANA, "a", "P1", "frágil", "S1"], [*BETO, None, "P2", 7, "S2"]))  # fmt: skip
    (notice,) = manifest.notices
    assert notice.code == "columns_kept"
    assert "Zurrapa fina (H), Pedido (I)" in said(notice)
    assert [(column.column, column.key) for column in manifest.kept] == [
        ("H", "x_zurrapa_fina"), ("I", "order"), ("J", "x_column_J"), ("K", "sku"),
    ]  # fmt: skip
    assert [dict(guide.extra_data) for guide in manifest.guides] == [
        {"x_zurrapa_fina": "a", "order": "P1", "x_column_J": "frágil", "sku": "S1"},
        {"order": "P2", "x_column_J": "7", "sku": "S2"},
    ]
    assert [guide.review_reasons for guide in manifest.guides] == [(), ()]


def test_of_a_guide_with_several_rows_the_different_values_are_kept_in_order() -> None:
    rows = [[*ANA, value] for value in ("b", "a", "b", None)]
    assert read(sheet(MAWB_LABEL, [*FEW_HEADINGS, "Zurrapa"], *rows)).guides[0].extra_data == {"x_zurrapa": "b | a"}


def test_what_exceeds_the_limit_of_a_guide_is_named_and_what_is_asked_comes_first() -> None:
    headings = [*FEW_HEADINGS[:4], *(f"Zurrapa {at}" for at in range(10)), "Peso", "Peso", *FEW_HEADINGS[5:]]
    rows: list[Cells] = [[*guide[:4], *("ñ" * 1000 for _ in range(10)), 1, 2, *guide[5:]] for guide in (ANA, BETO)]
    manifest = read(sheet(MAWB_LABEL, headings, *rows))
    extra = manifest.guides[0].extra_data
    assert len(json.dumps(dict(extra))) <= 16 * 1024
    assert [*extra][:3] == ["asked_weight_kg_O", "asked_weight_kg_P", "x_zurrapa_0"]
    assert [(warning.hawb, warning.field, warning.code) for warning in manifest.warnings] == [
        ("H1", "extra_data", "extra_data_truncated"), ("H2", "extra_data", "extra_data_truncated"),
    ]  # fmt: skip
    assert "x_zurrapa_9" in said(manifest.warnings[0])


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        ({"Comuna": ("Maipú", "Ñuñoa"), "Distrito": ("Sur", "Norte")}, "Distrito"),
        ({"RUT comprador": ("7654321-6", "12345678-5")}, "RUT comprador"),
        ({"Teléfono": ("1234567", "2234567"), "Celular": ("3234567", "4234567")}, "Celular"),
        ({"Peso neto (kg)": (1, 1)}, "Peso neto (kg)"),
    ],
)
def test_of_columns_for_one_field_the_others_are_kept(columns: dict[str, Cells], kept: str) -> None:
    rows = [[*guide, *(values[at] for values in columns.values())] for at, guide in enumerate((ANA, BETO))]
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS, *columns], *rows))
    assert ([column.heading for column in manifest.kept], manifest.questions) == ([kept], ())


def test_samples_are_values_of_measures_only_and_shapes_of_everything_else() -> None:
    (weights,) = with_column("Peso", 7, 8).questions
    assert [(column.heading, column.samples) for column in weights.columns] == [
        ("Peso (kg)", ("1.5", "2")), ("Peso", ("7", "8")),
    ]  # fmt: skip
    assert (weights.field, weights.reason) == ("weight_kg", "rival")
    (names,) = with_column("Consignatario", "Luis Tapia", "Eva Ruiz Paz").questions
    assert [column.samples for column in names.columns] == [("Aaa Aaaaa", "Aaaa Aaaa"), ("Aaaa Aaaaa", "Aaa Aaaa Aaa")]


# --- stated outside the headings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "below", "expected", "codes"),
    [
        ("Peso", ["Pesos en onzas"], "0.043", []),
        ("Peso", ["Unidad de medida:", "LB"], "0.680", []),
        ("Peso", ["Todos los pesos son en kilogramos"], "1.500", []),
        ("Peso", ["Peso total: 7,7 LB"], "None", ["weight_unit_unknown"]),
        ("Peso (kg)", ["Pesos en onzas"], "None", ["weight_unit_unknown"]),
        ("Peso (kg)", ["Peso total: 7,7 lb"], "1.500", []),
        ("Peso (kg)", ["Peso máximo por bulto: 110 lb"], "1.500", []),
    ],
)
@pytest.mark.parametrize("at", [2, 3, 4], ids=["above", "between", "below"])
def test_a_unit_counts_wherever_it_is_stated(
    at: int, weight: str, below: list[str], expected: str, codes: list[str]
) -> None:
    rows: list[Cells] = [MAWB_LABEL, [*FEW_HEADINGS[:4], weight, *FEW_HEADINGS[5:]], ANA, BETO]
    rows.insert(1 if at == 2 else at, below)
    manifest = read(sheet(*rows))
    assert str(manifest.guides[0].weight_kg) == expected
    assert noticed(manifest) == codes


@pytest.mark.parametrize(
    ("value", "below", "expected", "codes"),
    [
        ("Valor FOB", "Valores expresados en CLP", "None", ["currency_unknown"]),
        ("Valor FOB", "Valores en dólares", "20.00", []),
        ("FOB USD", "Valores expresados en pesos", "None", ["currency_unknown"]),
        ("FOB USD", "Flete en CLP", "20.00", []),
    ],
)
def test_a_currency_counts_below_the_guides(value: str, below: str, expected: str, codes: list[str]) -> None:
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS[:5], value, FEW_HEADINGS[6]], ANA, BETO, [below]))
    assert str(manifest.guides[0].fob_usd) == expected
    assert noticed(manifest) == codes


def test_a_unit_in_the_sheets_name_counts_and_a_contradiction_is_quoted() -> None:
    plain = [*FEW_HEADINGS[:4], "Peso", *FEW_HEADINGS[5:]]
    assert str(read(sheet(MAWB_LABEL, plain, ANA, name="Manifiesto LBS")).guides[0].weight_kg) == "0.680"
    (notice,) = read(sheet(MAWB_LABEL, FEW_HEADINGS, ANA, [], ["Pesos en onzas"])).notices
    assert "“Pesos en onzas”" in said(notice)


@pytest.mark.parametrize(("unit", "weight"), [("CM", "None"), ("in", "None"), ("KG", "1.500"), ("LB", "0.680")])
def test_a_unit_that_may_be_of_length_leaves_the_weights_open(unit: str, weight: str) -> None:
    plain = [*FEW_HEADINGS[:4], "Peso", *FEW_HEADINGS[5:]]
    for rows in ([MAWB_LABEL, ["Unidad de medida:", unit], plain, ANA], [MAWB_LABEL, [*plain, "UoM"], [*ANA, unit]]):
        assert str(read(sheet(*rows)).guides[0].weight_kg) == weight


def test_columns_of_several_tables_are_named_once() -> None:
    headings = [*FEW_HEADINGS, "Zurrapa"]
    other = [*headings[:4], "Peso (lb)", *headings[5:]]
    rows: list[Cells] = [[*ANA, "a"], [*BETO, "b"], ["H3", *ANA[1:], "c"], ["H4", *BETO[1:], "d"]]
    assert noticed(read(sheet(MAWB_LABEL, headings, *rows[:2], [], other, *rows[2:]))) == ["columns_kept"]


def test_sheets_that_complete_each_other_are_refused() -> None:
    people = sheet(MAWB_LABEL, FEW_HEADINGS[:4], ANA[:4], BETO[:4], name="Personas")
    measures = sheet(["HAWB", *FEW_HEADINGS[4:]], [ANA[0], *ANA[4:]], [BETO[0], *BETO[4:]], name="Pesos")
    with pytest.raises(GuidesLeftUnread, match="only 'Pesos' has fob_usd, packages_count, weight_kg"):
        read(people, measures)


def test_quoted_headings_are_cut() -> None:
    notices = with_column("Zurrapa " * 15, "a", "b").notices
    assert [notice.code for notice in notices] == ["columns_kept"]
    assert len(said(notices[0])) < 250


def test_a_field_without_column_is_said_and_the_column_that_may_be_it_is_kept() -> None:
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS[:4], "Balanza", *FEW_HEADINGS[5:]], ANA, BETO))
    assert noticed(manifest) == ["columns_kept", "field_without_column"]
    assert "weight_kg" in said(manifest.notices[1])
    assert manifest.guides[0].extra_data == {"x_balanza": "1.5"}


@pytest.mark.parametrize(
    ("heading", "reason"),
    [("Zafra (peso)", "weak_heading"), ("Peso (kg/lb)", "unit_unknown"), ("Peso Zafra", "unit_unknown")],
)  # fmt: skip
def test_a_doubtful_weight_is_left_empty_kept_asked_and_marked(heading: str, reason: str) -> None:
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS[:4], heading, *FEW_HEADINGS[5:]], ANA, BETO))
    (question,) = manifest.questions
    assert (question.field, question.reason, question.columns[0].heading) == ("weight_kg", reason, heading)
    for guide, weight in zip(manifest.guides, ("1.5", "2"), strict=True):
        assert (guide.weight_kg, guide.extra_data) == (None, {"asked_weight_kg_E": weight})
        assert guide.review_reasons == ("column_in_doubt",)


def test_missing_values_are_counted_once_for_each_field() -> None:
    nobody = ("H3", None, "12345678-5", "Ropa", None, 3, None)
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, ANA, BETO, nobody, ("H4", *nobody[1:4], 2, 3, 1)))
    assert noticed(manifest) == ["values_missing"] * 3
    assert [said(notice).split(".")[0] for notice in manifest.notices] == [
        "The consignee's name (consignee_name) is missing in 2 of 4 guides",
        "The number of packages (packages_count) is missing in 1 of 4 guides",
        "The weight (weight_kg) is missing in 1 of 4 guides",
    ]


@pytest.mark.parametrize(
    ("weights", "expected", "warned"),
    [
        (("1.234", "5,5"), ["1234.000", "5.500"], []),
        (("1.234", "5.5"), ["1.234", "5.500"], []),
        (("1.234", "2.500"), ["1.234", "2.500"], []),
        (("1.234", 5.5), ["1.234", "5.500"], []),
    ],
)
def test_one_cell_decides_the_decimal_mark_of_its_column(
    weights: tuple[Cell, Cell], expected: list[str], warned: list[str]
) -> None:
    rows: list[Cells] = [[*guide[:4], weight, *guide[5:]] for guide, weight in zip((ANA, BETO), weights, strict=True)]
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, *rows))
    assert [str(guide.weight_kg) for guide in manifest.guides] == expected
    assert [warning.code for warning in manifest.warnings] == warned


def test_a_column_that_contradicts_itself_warns_of_every_cell_that_could_be_either() -> None:
    weights = ("1,5", "2.5", "1.234", "3,456", "0,350")
    rows: list[Cells] = [[f"H{number}", *ANA[1:4], weight, *ANA[5:]] for number, weight in enumerate(weights)]
    manifest = read(sheet(MAWB_LABEL, FEW_HEADINGS, *rows))
    assert [(warning.hawb, warning.field, warning.code) for warning in manifest.warnings] == [
        ("H2", "weight_kg", "ambiguous_number"),
        ("H3", "weight_kg", "ambiguous_number"),
    ]


def test_a_blank_unit_under_units_that_agree_is_theirs() -> None:
    rows: list[Cells] = [[*ANA[:5], "LB", *ANA[5:]], [*BETO[:5], None, *BETO[5:]]]
    manifest = read(sheet(MAWB_LABEL, [*FEW_HEADINGS[:4], "Peso", "U/M", *FEW_HEADINGS[5:]], *rows))
    assert [str(guide.weight_kg) for guide in manifest.guides] == ["0.680", "0.907"]
    assert manifest.warnings == ()


def test_ruts_are_found_by_their_check_digits_where_no_heading_says_so() -> None:
    manifest = read(sheet(MAWB_LABEL, ["HAWB", "Consignatario", "Clave", *FEW_HEADINGS[3:]], ANA, BETO))
    assert [guide.consignee_document for guide in manifest.guides] == ["12345678-5", "7654321-6"]
    assert (manifest.warnings, manifest.notices) == ((), ())


@pytest.mark.parametrize("remark", ["ANULADA", "se queda, no viajó", "Not shipped", "Próximo vuelo", "未发"])
@pytest.mark.parametrize("heading", ["Estado envío", ""])
def test_a_column_of_remarks_marks_guides_that_do_not_travel(heading: str, remark: str) -> None:
    remarked = sheet(MAWB_LABEL, [*FEW_HEADINGS, heading], [*ANA, remark], [*BETO, "frágil"])
    assert "may_not_travel" in noticed(read(remarked))


@pytest.mark.parametrize(("goods", "is_said"), [("Aros - NO EMBARCADO", True), ("Válvula de retorno", False)])
def test_a_description_may_say_that_its_guide_does_not_travel(goods: str, *, is_said: bool) -> None:
    found = noticed(read(sheet(MAWB_LABEL, FEW_HEADINGS, [*ANA[:3], goods, *ANA[4:]], BETO)))
    assert found == ["may_not_travel"] * is_said


def test_headings_shifted_against_their_values_are_refused_or_said() -> None:
    rows: list[list[Cell]] = [[f"H{at}", *ANA[1:3], "", *ANA[3:-1], 4] for at in range(3)]
    notices = read(sheet(MAWB_LABEL, FEW_HEADINGS, *rows)).notices
    assert any("next to the headings" in said(notice) for notice in notices)
    with pytest.raises(NoRowsParsed, match="it lacks HAWB"):
        read(sheet(MAWB_LABEL, ["", *FEW_HEADINGS], ANA, BETO))
