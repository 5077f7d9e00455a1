"""The page of a layout: an operator says what its columns are, confirms it, and creates what waited for that."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from base.admin.activity import ActKind, act_in_words
from shipments.layouts.answering import answer_layout
from shipments.models import Guide, Layout, LayoutAnswer, Manifest, ManifestDraft
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.layouts.telling import ANSWERS, HEADINGS, codes, strange, told_layout

pytestmark = pytest.mark.django_db


def address(layout: Layout) -> str:
    return reverse("admin:shipments_layout_change", args=[layout.pk])


def form_of(browser: Client, layout: Layout, choices: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the form of the columns sends. choices: heading -> field, chosen besides."""
    context = browser.get(address(layout)).context
    form, sent = context["answers"], {"seen": context["stamp"]}
    for each in (*form.columns, *form.labels, form.rule):
        sent |= {each.add_prefix(name): each.initial.get(name) or "" for name in each.fields}
    for each in form.columns:
        if each.column["heading"] in (choices or {}):
            sent[each.add_prefix("field")] = (choices or {})[each.column["heading"]]
    return sent


@pytest.fixture
def asked(acme: Caller) -> Layout:
    """A layout whose first workbook was refused, because nobody can tell its HAWB."""
    assert acme.upload(strange(), destination_airport="SCL").json()["error"] == "hawb_in_doubt"
    return Layout.objects.get()


def acts_on(layout: Layout) -> list[tuple[str, str]]:
    """Who did what to it, looks aside."""
    entries = LogEntry.objects.filter(object_id=str(layout.pk)).exclude(action_flag=ActKind.OPENED).order_by("pk")
    return [(entry.user.username, act_in_words(entry)) for entry in entries]


FIELDS = {heading: str(answer["field"]) for heading, answer in ANSWERS.items()}


def test_the_page_shows_the_refused_workbook_and_what_each_choice_makes_of_it(
    admin_client: Client, asked: Layout
) -> None:
    page = admin_client.get(address(asked)).content.decode()
    assert "HAWB00001" in page
    assert "say which column is the HAWB" in page
    assert "1 refused workbook is waiting" in page
    sent = form_of(admin_client, asked, FIELDS)
    part = admin_client.post(address(asked), sent, headers={"HX-Request": "true"})
    assert "Persona 1" in part.content.decode()
    assert "3 guides" in part.content.decode()
    assert not LayoutAnswer.objects.exists()


def test_confirming_answers_every_column_and_lets_the_workbook_be_created(
    admin_client: Client, admin_user: User, asked: Layout
) -> None:
    sent = {**form_of(admin_client, asked, FIELDS), "do": "confirm"}
    assert admin_client.post(address(asked), sent).status_code == 302
    asked.refresh_from_db()
    assert (asked.confirmed_by, asked.questions) == (admin_user, [])
    assert set(asked.answers.values_list("heading", flat=True)) == set(HEADINGS)
    draft = ManifestDraft.objects.get()
    preview = admin_client.post(address(asked), {"do": "create", "draft": draft.pk}, follow=True)
    assert "Nothing has been created yet" in preview.content.decode()
    assert Manifest.objects.count() == 0
    admin_client.post(reverse("enter-manifest-preview", args=[draft.pk]))
    manifest = Manifest.objects.get()
    assert (manifest.entered_by, manifest.layout, manifest.total_guides) == (admin_user, asked, 3)


def test_a_layout_without_a_hawb_is_not_confirmed(admin_client: Client, asked: Layout) -> None:
    answer = admin_client.post(address(asked), {**form_of(admin_client, asked), "do": "confirm"})
    assert answer.status_code == 400
    assert "Say which column is the HAWB." in answer.content.decode()
    asked.refresh_from_db()
    assert asked.confirmed_at is None


def test_saving_keeps_what_the_page_does_not_ask(admin_client: Client, acme: Caller) -> None:
    layout = told_layout(acme)
    LayoutAnswer.objects.filter(field="weight_kg").update(decimals="comma")
    before = dict(layout.answers.values_list("heading", "field"))
    assert admin_client.post(address(layout), {**form_of(admin_client, layout), "do": "save"}).status_code == 302
    assert dict(layout.answers.values_list("heading", "field")) == before
    assert layout.answers.get(field="weight_kg").decimals == "comma"


def test_the_second_of_two_operators_sees_what_the_first_said(
    admin_client: Client, asked: Layout, django_user_model: Any
) -> None:
    sent = {**form_of(admin_client, asked, FIELDS), "do": "confirm"}
    first = django_user_model.objects.create_user("rosa", is_staff=True)
    answer_layout(asked, {"answers": [{"heading": "Masa", "field": "weight_kg", "unit": "lb"}]}, first)
    late = admin_client.post(address(asked), sent)
    assert late.status_code == 409
    assert "rosa has saved answers since you opened this page" in late.content.decode()
    assert "by rosa" in late.content.decode()
    assert [each.unit for each in LayoutAnswer.objects.all()] == ["lb"]


def test_a_field_for_two_columns_is_said_beside_the_column(admin_client: Client, asked: Layout) -> None:
    sent = form_of(admin_client, asked, {**FIELDS, "Monto": "packages_count"})
    answer = admin_client.post(address(asked), {**sent, "do": "save"})
    assert answer.status_code == 400
    assert answer.content.decode().count("Only one column can be this field.") == 2
    assert not LayoutAnswer.objects.exists()


@pytest.fixture
def changed(acme: Caller) -> Layout:
    """A confirmed layout whose weight has another heading in the last workbook."""
    layout = told_layout(acme)
    headings = ["Masa nueva" if heading == "Masa" else heading for heading in HEADINGS]
    refused = acme.upload(strange(headings=headings), destination_airport="SCL")
    assert refused.json()["error"] == "workbook_format_changed"
    return layout


def test_it_is_the_same_column_under_another_heading(admin_client: Client, acme: Caller, changed: Layout) -> None:
    page = admin_client.get(address(changed)).content.decode()
    assert "Masa nueva" in page
    sent = {"changed-masa": "masa nueva", "do": "rename"}
    assert admin_client.post(address(changed), sent).status_code == 302
    assert changed.answers.get(field="weight_kg").heading == "Masa nueva"
    headings = ["Masa nueva" if heading == "Masa" else heading for heading in HEADINGS]
    assert acme.upload(strange(headings=headings), destination_airport="SCL").status_code == 201


def test_it_is_another_layout(admin_client: Client, changed: Layout) -> None:
    assert admin_client.post(address(changed), {"do": "apart"}).status_code == 302
    apart = Layout.objects.exclude(pk=changed.pk).get()
    assert [column["heading"] for column in apart.columns if column["heading"] == "Masa nueva"] == ["Masa nueva"]
    assert ManifestDraft.objects.get(refusal="workbook_format_changed").layout == apart
    changed.refresh_from_db()
    assert changed.changed_columns == []
    assert acts_on(changed) == [("admin", "Made a separate layout of its new headings.")]


@pytest.mark.django_db(transaction=True)
def test_values_unlike_those_before_are_said_until_an_operator_takes_them_as_usual(
    admin_client: Client, acme: Caller
) -> None:
    layout = told_layout(acme)
    for mawb, weight in (("045-00000013", 1.5), ("045-00000024", 1500)):
        assert acme.upload(strange(mawb, guides=10, weight=weight)).status_code == 201
    said = "The values of the last workbook are unusual for this layout"
    assert said in admin_client.get(address(layout)).content.decode()
    for _press in range(2):
        assert admin_client.post(address(layout), {"do": "accept"}).status_code == 302
    assert said not in admin_client.get(address(layout)).content.decode()
    assert acts_on(layout) == [("admin", "Accepted its values as usual from then on.")]
    again = acme.upload(strange("045-00000035", guides=10, weight=1500))
    assert "values_unlike_format" not in codes(again)


def test_a_sample_makes_a_layout_and_no_guide(admin_client: Client, acme: Caller) -> None:
    file = SimpleUploadedFile("sample.xlsx", strange())
    sent = {"company": acme.company.client_code, "country": "CL", "manifest_file": file}
    answer = admin_client.post(reverse("admin:shipments_layout_sample"), sent)
    layout = Layout.objects.get()
    assert answer["Location"] == address(layout)
    page = admin_client.get(address(layout)).content.decode()
    assert "HAWB00001" in page
    assert "workbook is waiting" not in page
    assert not Guide.objects.exists()
    colleague = operator_of("CL")
    assert "HAWB00001" not in colleague.get(address(layout)).content.decode()


def test_who_only_reads_sees_the_page_and_changes_nothing(asked: Layout) -> None:
    reader = operator_of("CL", role="Read-only")
    assert reader.get(address(asked)).status_code == 200
    assert reader.post(address(asked), {"do": "confirm"}).status_code == 403


def test_the_start_page_has_one_line_a_company(admin_client: Client, acme: Caller, asked: Layout) -> None:
    assert acme.upload(strange("045-00000002", headings=[f"{each} b" for each in HEADINGS])).status_code == 400
    page = admin_client.get(reverse("admin:index")).content.decode()
    assert "2 new layouts" in page
    Layout.objects.filter(pk=asked.pk).delete()
    assert "1 new layout" in admin_client.get(reverse("admin:index")).content.decode()


def test_what_was_said_before_a_change_is_restored(admin_client: Client, acme: Caller) -> None:
    layout = told_layout(acme)
    before = dict(layout.answers.values_list("heading", "field"))
    other = {name: "" if value == "weight_kg" else value for name, value in form_of(admin_client, layout).items()}
    admin_client.post(address(layout), {**other, "do": "save"})
    assert dict(layout.answers.values_list("heading", "field")) != before
    entry = LogEntry.objects.filter(object_id=str(layout.pk)).latest("pk")
    page = admin_client.get(address(layout)).content.decode()
    assert f'name="entry" value="{entry.pk}"' in page
    assert admin_client.post(address(layout), {"do": "restore", "entry": entry.pk}).status_code == 302
    assert dict(layout.answers.values_list("heading", "field")) == before
    assert admin_client.post(address(layout), {"do": "restore", "entry": "x"}).status_code == 302
