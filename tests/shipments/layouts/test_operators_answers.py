"""What operators say of a layout, and what that does to guides that exist."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from base.admin.activity import act_in_words
from base.errors import ValidationFailed
from shipments.errors import LayoutAnswered
from shipments.intake.asked_guides import correct_guides
from shipments.layouts.answering import answer_layout, confirm, restore, stamp_of, told_body
from shipments.models import Guide, Layout, Manifest
from tests.api.changing import sent
from tests.conftest import Caller
from tests.documents import guide
from tests.shipments.layouts.rows import make_layout, questions
from tests.shipments.shipping import assert_sound, bring

pytestmark = pytest.mark.django_db

HAWB = {"heading": "N° seguimiento", "field": "hawb"}
ASKED_WEIGHT = {
    "Guía": {"strength": "sure", "field": "hawb"},
    "Kilos declarados": {"strength": "doubtful", "key": "asked_weight_kg_B"},
    "Peso": {"strength": "doubtful", "key": "asked_weight_kg_C"},
}
WEIGHT = {"heading": "Peso", "field": "weight_kg", "unit": "lb"}


@pytest.fixture
def olga() -> User:
    return User.objects.create_user("olga", is_staff=True)


@pytest.fixture
def mine(acme: Caller, rival: Caller) -> Layout:
    make_layout(rival.company)
    return make_layout(acme.company)


def test_an_operator_is_told_that_another_has_answered_in_between(mine: Layout, olga: User) -> None:
    seen = stamp_of(mine)
    answer_layout(mine, {"answers": [HAWB]}, User.objects.create_user("otto"), seen=seen)
    with pytest.raises(LayoutAnswered):
        answer_layout(mine, {"answers": [{"heading": "Pedido", "field": "hawb"}]}, olga, seen=seen)
    assert list(mine.answers.values_list("answered_by__username", flat=True)) == ["otto"]
    answer_layout(mine, {"answers": []}, olga, seen=stamp_of(mine))
    assert not mine.answers.exists()


def test_the_activity_log_has_what_was_said_before_and_it_can_be_restored(mine: Layout, olga: User) -> None:
    label = {"label": "Papel madre", "field": "mawb", "zone": ""}
    answer_layout(mine, {"answers": [HAWB], "labels": [label], "rows_without_hawb": "products"}, None)
    before = told_body(mine)
    answer_layout(mine, {"answers": [{"heading": "Pedido", "field": "hawb"}]}, olga)
    answer_layout(mine, {"answers": [{"heading": "Pedido", "field": "hawb"}]}, olga)  # the same: nothing to log
    entry = LogEntry.objects.get(user=olga)
    assert (entry.object_id, act_in_words(entry)) == (str(mine.pk), "Answered about its columns.")
    restore(mine, entry, olga)
    assert told_body(mine) == before


def test_confirming_answers_for_every_filled_column_as_it_is_read(mine: Layout, olga: User) -> None:
    with pytest.raises(ValidationFailed):
        confirm(mine, olga)
    answer_layout(mine, {"answers": [HAWB, {"heading": "Pedido", "field": "fob_usd", "currency": "USD"}]}, None)
    assert confirm(mine, olga).total == 0
    mine.refresh_from_db()
    told = {each.name: (each.field, each.key, each.unit) for each in mine.answers.all()}
    assert told["peso"] == ("weight_kg", "", "kg")
    assert told["valor"] == ("", "", ""), "another column was told as the value"
    assert told["valor#2"] == ("", "x_valor", "")
    assert len(told) == len(mine.columns)
    assert (mine.confirmed_by, mine.questions, mine.confirmed_at is None) == (olga, [], False)


def test_the_figures_of_a_column_are_forgotten_when_another_is_told(mine: Layout, olga: User) -> None:
    answer_layout(mine, {"answers": [HAWB, WEIGHT]}, olga)
    Layout.objects.filter(pk=mine.pk).update(figures={"weight_kg": 2})
    answer_layout(mine, {"answers": [HAWB, WEIGHT, {"heading": "Valor", "field": "fob_usd"}]}, olga)
    assert Layout.objects.get(pk=mine.pk).figures
    answer_layout(mine, {"answers": [HAWB, {**WEIGHT, "unit": "kg"}]}, olga)
    assert Layout.objects.get(pk=mine.pk).figures == {}


class TestCorrectingGuides:
    """Guides of a workbook whose weight was asked."""

    @pytest.fixture
    def guides(self, acme: Caller) -> list[Guide]:
        layout = make_layout(acme.company, columns=ASKED_WEIGHT)
        made = sent(acme, *(guide(number) for number in range(1, 5)))
        kept = [
            {"column": letter, "heading": heading, "key": f"asked_weight_kg_{letter}"}
            for letter, heading in (("B", "Kilos declarados"), ("C", "Peso"))
        ]
        Manifest.objects.filter(pk=made[0].manifest_id).update(
            layout=layout, kept_columns=kept, questions=questions("weight_kg", "B", "C"), total_weight_kg=0
        )
        for each, text in zip(made, ("10", "1.5", "s/i", "8"), strict=True):
            each.weight_kg, each.needs_review, each.review_reasons = None, True, ["column_in_doubt"]
            each.extra_data = {"asked_weight_kg_B": "1", "asked_weight_kg_C": text, "order": "7"}
            each.save()
        bring(made[3], "customs_processing")
        return made

    @pytest.mark.usefixtures("guides")
    def test_the_values_of_the_told_column_are_moved_and_no_value_is_lost(self, olga: User) -> None:
        layout = Layout.objects.get()
        answer_layout(layout, {"answers": [WEIGHT]}, olga)
        found = confirm(layout, olga)
        assert (found.total, found.first[0].fields) == (2, {"weight_kg": Decimal("4.536")})
        while not correct_guides(layout, olga, at_most=1).is_finished:
            pass
        rows: list[Any] = list(Guide.objects.order_by("pk"))
        assert [each.weight_kg for each in rows] == [Decimal("4.536"), Decimal("0.680"), None, None]
        assert rows[0].extra_data == {"order": "7", "x_kilos_declarado": "1"}
        assert rows[2].extra_data == {"order": "7", "x_kilos_declarado": "1", "x_peso": "s/i"}
        assert rows[3].extra_data["x_peso"] == "8", "customs has it already"
        assert [each.needs_review for each in rows] == [False, False, True, True]
        assert {each.actor for each in rows[0].corrections.all()} == {"olga"}
        assert Manifest.objects.get().total_weight_kg == Decimal("5.216")
        assert LogEntry.objects.filter(user=olga, change_message__contains="layout_guides_corrected").count() == 2
        assert confirm(layout, olga).total == 0

    @pytest.mark.usefixtures("guides")
    def test_the_page_names_those_that_differ_once_the_layout_is_confirmed(
        self, olga: User, admin_client: Client
    ) -> None:
        layout = Layout.objects.get()
        page = reverse("admin:shipments_layout_change", args=[layout.pk])
        answer_layout(layout, {"answers": [WEIGHT]}, olga)
        assert "differ from the answers" not in admin_client.get(page).content.decode()
        confirm(layout, olga)
        text = admin_client.get(page).content.decode()
        assert "2 registered guides differ from the answers" in text
        assert "4.536" in text
        text = admin_client.post(page, {"do": "correct"}, follow=True).content.decode()
        assert "2 guides were corrected." in text
        assert "differ from the answers" not in text

    def test_what_was_corrected_in_the_meantime_stays(self, guides: list[Guide], olga: User) -> None:
        Guide.objects.filter(pk=guides[0].pk).update(weight_kg=3)
        layout = Layout.objects.get()
        answer_layout(layout, {"answers": [WEIGHT]}, olga)
        confirm(layout, olga)
        assert correct_guides(layout, olga).corrected == 1
        first = Guide.objects.get(pk=guides[0].pk)
        assert (first.weight_kg, first.extra_data["x_peso"]) == (Decimal(3), "10")

    def test_guides_of_other_layouts_and_of_voided_manifests_stay(self, guides: list[Guide], olga: User) -> None:
        layout = Layout.objects.get()
        answer_layout(layout, {"answers": [WEIGHT]}, olga)
        Manifest.objects.update(layout=None)
        assert confirm(layout, olga).total == 0
        assert correct_guides(layout, olga) == (0, True)
        assert guides[0].extra_data == Guide.objects.get(pk=guides[0].pk).extra_data
        assert_sound(guides[0].manifest)
