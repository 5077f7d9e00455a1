"""A manifest's page begins with the work: the next step, for which guides, and except which."""

import pytest
from django.test import Client

from companies.models import Company
from shipments.admin.forms import find_named_guides, next_step
from tests.shipments.admin.pages import moved, of_manifest, preview_of, text_of, told
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("counts", "step"),
    [
        ({"registered": 3}, ("customs_processing", "registered", 3)),
        ({"customs_processing": 220, "customs_held": 10}, ("customs_released", "customs_processing", 220)),
        ({"customs_processing": 2, "out_for_delivery": 5}, ("delivered", "out_for_delivery", 5)),
        ({"delivered": 5, "customs_held": 1}, ("", "", 0)),
        ({}, ("", "", 0)),
    ],
)
def test_the_step_after_the_status_of_most_is_proposed(counts: dict[str, int], step: tuple[str, str, int]) -> None:
    assert tuple(next_step(counts)) == step


def test_the_page_proposes_the_step_and_shows_exceptions_first(staff: Client, reader: Client, ours: Company) -> None:
    manifest = shipped(ours, 25)
    last = manifest.guides.latest("hawb")
    bring(last, "customs_held")
    page = text_of(staff.get(of_manifest(manifest)))
    assert '<option value="customs_processing" selected' in page
    assert page.index(last.tracking_code) < page.index(manifest.guides.earliest("hawb").tracking_code)
    assert page.count('/change/">OUR') == 20
    assert "Open the list of 25 guides" in page
    assert "next-step" not in text_of(reader.get(of_manifest(manifest)))


def test_all_of_one_status_move_except_those_that_are_named(staff: Client, ours: Company, theirs: Company) -> None:
    manifest, other = shipped(ours, 5), shipped(theirs, 1)
    one, two, three, *_rest = manifest.guides.order_by("hawb")
    bring(three, "customs_held")
    named = f"{one.hawb.lower()}, {two.tracking_code}"
    sent = told("in_transit", which="registered", except_for=named)
    page = text_of(preview_of(staff, of_manifest(manifest, "advance_guides"), sent))
    assert "2</strong>" in page
    assert "2 guides that you excepted stay as they are." in page
    moved(staff, of_manifest(manifest, "advance_guides"), sent)
    manifest.refresh_from_db()
    assert manifest.guides_by_status == {"registered": 2, "customs_held": 1, "in_transit": 2}
    assert other.guides.get().status == "registered"


def test_a_word_that_is_not_in_the_manifest_is_named_and_nothing_is_previewed(
    staff: Client, ours: Company, theirs: Company
) -> None:
    manifest, other = shipped(ours, 2), shipped(theirs, 1)
    foreign = other.guides.get().tracking_code
    sent = {**told("in_transit"), "except_for": f"H001\n{foreign} H999", "step": "run"}
    page = text_of(staff.post(of_manifest(manifest, "advance_guides"), sent))
    assert f"Not in this manifest: {foreign}, H999." in page
    assert f"H001\n{foreign} H999" in page, "what was pasted stays"
    page = text_of(
        staff.post(of_manifest(manifest, "advance_guides"), {**told("lost"), "except_for": "H001 H002", "step": "run"})
    )
    assert "No guides are left" in page


def test_of_many_unknown_words_it_is_said_how_many_there_are(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 2)
    words = " ".join(f"NO{number:02}" for number in range(25))
    page = text_of(
        staff.post(of_manifest(manifest, "advance_guides"), {**told("lost"), "except_for": words, "step": "run"})
    )
    assert "NO18, NO19, and 5 more. Nothing was previewed" in page


def test_names_are_found_by_lines_and_by_words(ours: Company) -> None:
    manifest = shipped(ours, 3)
    manifest.guides.filter(hawb="H003").update(hawb="H 003")
    ids = dict(manifest.guides.values_list("hawb", "pk"))
    found, unknown = find_named_guides(manifest, "H 003\nH001 h002;\tX")
    assert (found, unknown) == (set(ids.values()), ["X"])
    code = manifest.guides.get(hawb="H001").tracking_code
    found, unknown = find_named_guides(manifest, f'"{code[:3]}-{code[3:]}" • (h002).')
    assert (found, unknown) == ({ids["H001"], ids["H002"]}, [])
