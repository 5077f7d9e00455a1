"""A workbook belongs to a layout of its company; what was told of it is read as told."""

import pytest

from shipments.models import Guide, Layout, Manifest, ManifestDraft
from tests.api.validated import validate
from tests.conftest import Caller
from tests.shipments.layouts.telling import HEADINGS, codes, confirm, strange, tell, told_layout

pytestmark = pytest.mark.django_db


def test_a_strange_layout_is_asked_kept_told_once_and_then_read(acme: Caller, rival: Caller) -> None:
    refused = acme.upload(strange())
    assert (refused.status_code, refused.json()["error"]) == (400, "hawb_in_doubt"), refused.content
    assert refused.json()["questions"]
    layout = Layout.objects.get()
    assert [column["heading"] for column in layout.columns] == list(HEADINGS)
    draft = ManifestDraft.objects.get()
    assert (draft.operator, draft.layout, draft.refusal) == (None, layout, "hawb_in_doubt")
    tell(layout)
    created = acme.upload(strange())
    assert created.status_code == 201, created.content
    assert {column["strength"] for column in created.json()["columns"]} == {"told"}
    assert created.json()["questions"] == []
    assert "layout_not_confirmed" not in codes(created)
    assert Manifest.objects.get().layout == layout
    guide = Guide.objects.order_by("pk")[0]
    assert (guide.hawb, guide.consignee_name, str(guide.weight_kg)) == ("HAWB00001", "Persona 1", "1.500")
    assert rival.upload(strange()).json()["error"] == "hawb_in_doubt"
    assert Layout.objects.count() == 2
    assert not Layout.objects.get(company=rival.company).answers.exists()


def test_a_core_column_that_was_renamed_refuses_the_workbook_by_name(acme: Caller) -> None:
    layout = told_layout(acme)
    headings = ["Masa nueva" if heading == "Masa" else heading for heading in HEADINGS]
    refused = acme.upload(strange(headings=headings))
    assert (refused.status_code, refused.json()["error"]) == (400, "workbook_format_changed"), refused.content
    named = {name: refused.json()[name] for name in ("missing", "repeated", "new", "layout")}
    assert named == {"missing": ["Masa"], "repeated": [], "new": ["Masa nueva"], "layout": str(layout.pk)}
    layout.refresh_from_db()
    assert [column["heading"] for column in layout.columns] == list(HEADINGS)
    assert [column["heading"] for column in layout.changed_columns] == headings
    assert Manifest.objects.count() == 0
    tell(layout, {"Masa nueva": {"field": "weight_kg", "unit": "kg"}})
    layout.answers.filter(heading="Masa").delete()
    assert acme.upload(strange(headings=headings)).status_code == 201
    layout.refresh_from_db()
    assert [column["heading"] for column in layout.columns] == headings
    assert layout.changed_columns == []


def test_a_validation_says_what_the_columns_would_be_though_no_column_is_the_hawb(acme: Caller) -> None:
    checked = validate(acme, strange(), destination_airport="SCL").json()
    assert (checked["refusal"]["error"], checked["guides_found"]) == ("hawb_in_doubt", 0)
    assert checked["questions"] == checked["refusal"]["questions"]
    assert {"field": "weight_kg", "heading": "Masa", "column": "H", "unit": "kg", "strength": "sure"} in checked[
        "columns"
    ]
    assert {"column": "G", "heading": "Qué", "key": "x_que"} in checked["kept"]
    assert not {"Bulto Fénix", "Quién"} & {each["heading"] for each in (*checked["columns"], *checked["kept"])}


@pytest.mark.django_db(transaction=True)
def test_pounds_under_a_told_heading_are_said_and_grams_mark_the_guides(acme: Caller) -> None:
    layout = told_layout(acme)
    assert acme.upload(strange("045-00000013", guides=40)).status_code == 201
    pounds = acme.upload(strange("045-00000024", guides=40, weight=3.3))
    assert codes(pounds).count("values_unlike_format") == 1
    assert not [guide for guide in Guide.objects.all() if "values_unlike_format" in guide.review_reasons]
    grams = acme.upload(strange("045-00000035", guides=12, weight=1500))
    assert codes(grams).count("values_unlike_format") == 1
    marked = [guide for guide in Guide.objects.all() if "values_unlike_format" in guide.review_reasons]
    assert len(marked) == 12
    layout.refresh_from_db()
    assert len(layout.figures["workbooks"]) == 1


@pytest.mark.django_db(transaction=True)
def test_documents_that_were_never_valid_are_not_unlike_those_before(acme: Caller) -> None:
    told_layout(acme)
    for mawb in ("045-00000013", "045-00000024"):
        assert "values_unlike_format" not in codes(acme.upload(strange(mawb, guides=12, RUT="12345678-0")))


def test_peru_is_read_by_a_confirmed_layout_alone(acme: Caller) -> None:
    refused = acme.upload(strange("045-00000002"), destination_airport="LIM")
    assert (refused.status_code, refused.json()["error"]) == (400, "no_parser_for_format")
    assert ManifestDraft.objects.get().refusal == "no_parser_for_format"
    layout = Layout.objects.get(country="PE")
    tell(layout)
    assert acme.upload(strange(), destination_airport="LIM").json()["error"] == "no_parser_for_format"
    confirm(layout)
    assert acme.upload(strange(), destination_airport="LIM").status_code == 201
    assert acme.get("/me").json()["workbook_countries"] == ["CL", "PE"]
    others = [f"{heading} X" for heading in HEADINGS]
    other = acme.upload(strange("045-00000024", headings=others), destination_airport="LIM")
    assert other.json()["error"] == "no_parser_for_format"
