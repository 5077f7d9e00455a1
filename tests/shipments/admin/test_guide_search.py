"""Searching guides: names by any word, HAWBs by their end, whole e-mails and phones, and pasted lists of codes."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import CharField, F, Value
from django.db.models.functions import Concat
from django.test import Client

from companies.models import Company
from shipments.admin.guide_search import codes_in, missing_codes, read_pasted_list, search_guides
from shipments.models import Guide
from shipments.privacy.erasing import erase_person
from shipments.privacy.person import Documents, Person
from tests.shipments.admin.pages import GUIDES, listed, text_of
from tests.shipments.shipping import correct_as_operator, shipped

pytestmark = pytest.mark.django_db

MARIA = {
    "consignee_name": "María José Ibáñez", "consignee_email": "Mji@Example.com", "consignee_phone": "+56 9 5550 0101",
    "consignee_document": "12345678-5", "consignee_document_type": "RUT",
}  # fmt: skip


@pytest.fixture
def guide(ours: Company, theirs: Company) -> Guide:
    """The one to be found, among others."""
    shipped(theirs, 2, consignee_name="Marianela Soto", consignee_email="soto@example.com")
    shipped(ours, 1, consignee_name="José Ibarra", consignee_phone="955500101")
    return shipped(ours, 1, mawb="045-12345675", **MARIA).guides.get()


FOUND = [
    "Ibanez", "IBÁÑEZ", "ibañ", "maria jose", "jose  maría", "ibanez, maria", "mji@example.com", "+56955500101",
    "56 9 5550 0101", "045-12345675", "04512345675", "045 1234 5675", " 045-1234567 ", "12345678-5", "12.345.678-5",
    "123456785", "12345678", "and-2612", "/0817", "0817",
]  # fmt: skip
NOT_FOUND = [
    "banez", "maria soto", "example.com", "mji@example", "955500", "i'", "a\\b", "@", ":*", "817", "%", "_", "\\",
    "'; --", "999-99999999", "x" * 500, "٣٤٥",
]  # fmt: skip


def test_a_guide_is_found_by_what_an_operator_has_in_hand_and_not_by_parts_of_it(staff: Client, guide: Guide) -> None:
    Guide.objects.filter(pk=guide.pk).update(hawb="AND-2612/0817")
    texts = [*FOUND, guide.tracking_code.lower()]
    assert [text for text in texts if [*search_guides(Guide.objects.all(), text)] != [guide]] == []
    assert [text for text in NOT_FOUND if guide in search_guides(Guide.objects.all(), text)] == []
    assert listed(staff.get(GUIDES, {"q": "\0IBÁÑEZ"})) == [guide]


class TestPastedCodes:
    def test_a_pasted_column_makes_a_list(self, staff: Client, ours: Company, guide: Guide) -> None:
        manifest = shipped(ours, 3, mawb="045-00000011")
        manifest.guides.update(hawb=Concat(Value("ZX-"), F("id"), output_field=CharField()))
        others = list(manifest.guides.all())
        column = f"HAWB\r\n{guide.tracking_code.lower()}\r\n{others[0].hawb}; {others[1].hawb},12.345.678-5\tNOPE-1"
        assert set(listed(staff.get(GUIDES, {"q": column}))) == {guide, *others[:2]}
        assert missing_codes(Guide.objects.all(), codes_in(column, Guide.objects.all())) == ["NOPE-1"]

    def test_mawbs_and_spelled_documents_are_codes_too(self, ours: Company, guide: Guide) -> None:
        all_of_it = set(shipped(ours, 2, mawb="045-00000022").guides.all())
        text = "04500000022 123456785 99999999999"
        assert set(search_guides(Guide.objects.all(), text)) == {*all_of_it, guide}
        assert missing_codes(Guide.objects.all(), codes_in(text, Guide.objects.all())) == ["99999999999"]

    def test_a_tracking_code_without_a_digit_is_a_code(self, staff: Client, ours: Company) -> None:
        first, second = shipped(ours, 2).guides.order_by("pk")
        # Chosen among issued codes; the last letter is the check character.
        Guide.objects.filter(pk=first.pk).update(tracking_code="OURBKJKZKSSBEN")
        text = f"ourbkjkzkssben {second.tracking_code}"
        assert set(listed(staff.get(GUIDES, {"q": text}))) == {first, second}
        mistyped = read_pasted_list(f"{text} OURBKJKZKSSBEM", Guide.objects.all())
        assert mistyped is not None
        assert mistyped.others == ["OURBKJKZKSSBEM"]

    def test_quotation_marks_and_unseen_signs_are_not_part_of_a_code(self, staff: Client, ours: Company) -> None:
        first, second, third = shipped(ours, 3).guides.order_by("pk")
        text = f"\u200b{first.tracking_code}\ufeff\t“{second.tracking_code}”\u00a0'{third.tracking_code}'"
        assert set(search_guides(Guide.objects.all(), text)) == {first, second, third}
        assert search_guides(Guide.objects.all(), f"\u200b“{first.tracking_code}”").get() == first
        mawb = first.manifest.mawb.replace("-", "\u2011")
        assert codes_in(f"{mawb} {second.hawb}", Guide.objects.all()) == [first.manifest.mawb, second.hawb]
        assert "Open the list of 3 guides" in text_of(staff.post("/admin/search/", {"s": text}))

    def test_each_word_is_found_or_missing_or_not_looked_for(
        self, staff: Client, ours: Company, theirs: Company
    ) -> None:
        mine = shipped(ours, 1).guides.get()
        other = shipped(theirs, 20).guides.filter(tracking_code__regex="[0-9]")[0]  # without a digit it is a word
        codes = f"{mine.tracking_code} {other.tracking_code} NOPE-1"
        page: Any = staff.get(GUIDES, {"q": f"Tracking {codes}", "company": "OURS"})
        assert listed(page) == [mine]
        pasted = page.context["cl"].pasted()
        assert (pasted.missing, pasted.others) == ([other.tracking_code, "NOPE-1"], ["Tracking"])
        words = " ".join(re.sub("<[^>]*>", " ", text_of(page)).split())
        assert f"2 codes were not found here: {other.tracking_code} NOPE-1 1 word was not looked for" in words
        whole: Any = staff.get(GUIDES, {"q": f"{mine.tracking_code} {other.tracking_code}"})
        assert "pa-pasted" not in text_of(whole)

    def test_the_signs_around_codes_and_the_hyphens_in_them_do_not_matter(self, ours: Company) -> None:
        first, second, third = shipped(ours, 20).guides.filter(tracking_code__regex="[0-9]").order_by("pk")[:3]
        hyphened = f"{third.tracking_code[:3]}-{third.tracking_code[3:8]}-{third.tracking_code[8:]}"
        text = f'\u2022 "{first.tracking_code}" | ({second.hawb}). {hyphened.lower()}\u200b - NOPE-1.'
        assert set(search_guides(Guide.objects.all(), text)) == {first, second, third}
        pasted = read_pasted_list(text, Guide.objects.all())
        assert pasted is not None
        assert (missing_codes(Guide.objects.all(), pasted.codes), pasted.others) == (["NOPE-1"], [])
        assert set(search_guides(Guide.objects.all(), hyphened)) == {third}

    @pytest.mark.parametrize("text", ["maria jose", "045 1234 5675", "+56 9 5550 0101", "H-0001", "Soto 12345678", ""])
    def test_what_is_not_a_list(self, text: str) -> None:
        assert not codes_in(text, Guide.objects.all())

    def test_a_list_is_bounded_and_names_each_code_once(self) -> None:
        pasted = read_pasted_list(" ".join(f"C{number:05}" for number in range(5_000)), Guide.objects.all())
        assert pasted is not None
        assert (len(pasted.codes), len(pasted.beyond), pasted.beyond[0]) == (1_000, 4_000, "C01000")
        assert codes_in("abc123 ABC123 abc124", Guide.objects.all()) == ["ABC123", "ABC124"]


class TestTheStoredWords:
    def test_a_correction_changes_them(self, staff: Client, guide: Guide) -> None:
        correct_as_operator(guide, {"consignee_name": "Rosa Quispe"}, actor="olga")
        assert listed(staff.get(GUIDES, {"q": "quispe"})) == [guide]
        assert listed(staff.get(GUIDES, {"q": "ibanez"})) == []

    def test_nobody_who_was_anonymised_is_found(self, staff: Client, guide: Guide) -> None:
        erase_person(Person(Documents(["12345678-5"])), reference="PRIV-1", actor="camila")
        guide.refresh_from_db()
        assert guide.consignee_words is None
        for text in ("ibanez", "mji@example.com", "+56955500101"):
            assert listed(staff.get(GUIDES, {"q": text})) == []


def test_a_word_of_any_length_is_stored_and_searched(ours: Company) -> None:
    for name in ("\u332b" * 255, "x" * 255, "\U00020000" * 255):
        guide = shipped(ours, 1, consignee_name=name).guides.get()
        assert search_guides(Guide.objects.all(), name[:100]).get() == guide
    assert not search_guides(Guide.objects.all(), f"{'y' * 3_000} a").exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such indexes")
@pytest.mark.parametrize(
    ("search", "index"),
    [
        ("ibanez maria", "guide_by_consignee_words"),
        ("mji@example.com", "guide_by_consignee_words"),
        ("-0817", "guide_by_hawb_end"),
    ],
)
def test_an_index_answers_each_search(search: str, index: str) -> None:
    assert index in plan_of(search_guides(Guide.objects.all(), search).query.sql_with_params)


def plan_of(statement: Callable[[], tuple[str, Any]]) -> str:
    """Return the plan of a statement. Of a few rows all would be read, so that is forbidden here."""
    query, parameters = statement()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
        cursor.execute(f"EXPLAIN {query}", parameters)
        return "\n".join(line for (line,) in cursor.fetchall())
