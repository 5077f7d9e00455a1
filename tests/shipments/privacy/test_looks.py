"""Lists that show people leave a line for each page, with whose: a person is told who looked."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from base.admin.activity import act_in_words
from shipments.models import Guide, ListedGuides, Manifest
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.admin.pages import GUIDES, of_manifest
from tests.shipments.privacy.conftest import PERSON, Run
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(uploaded: dict[str, Manifest]) -> Client:  # noqa: ARG001  # something to list
    return operator_of("CL", username="camila", role="Operations")


def lines() -> list[tuple[str, int]]:
    """What the log says, and of how many guides."""
    entries = LogEntry.objects.order_by("pk").select_related("listed_guides")
    return [(act_in_words(entry), len(entry.listed_guides.guides)) for entry in entries]


def test_a_page_of_the_list_is_one_line_with_its_filters_and_never_what_was_searched_for(staff: Client) -> None:
    staff.get(f"{GUIDES}?q=Marta+Quispe&status__exact=registered")
    assert lines() == [("Looked at a list; guides: 2; filters: status__exact=registered, q.", 2)]
    assert "Marta" not in json.dumps([*LogEntry.objects.values("change_message", "object_repr")])
    assert set(ListedGuides.objects.get().guides) == set(Guide.objects.filter(hawb="M1").values_list("pk", flat=True))


def test_each_page_is_a_line_of_its_own_and_one_that_shows_nobody_is_none(staff: Client, acme: Caller) -> None:
    shipped(acme.company, 60)
    for page in (1, 2):
        staff.get(f"{GUIDES}?p={page}")
    staff.get(f"{GUIDES}?q=Nobody+Known")
    assert [count for _said, count in lines()] == [50, 14]
    first, second = ListedGuides.objects.order_by("pk")
    assert not set(first.guides) & set(second.guides)


def test_so_are_the_guides_of_a_manifest_the_search_of_the_header_and_an_export(
    staff: Client, uploaded: dict[str, Manifest]
) -> None:
    staff.get(of_manifest(uploaded["ACME"]))
    staff.post(reverse("search"), {"s": "Marta Quispe"})
    answer: Any = staff.get(f"{GUIDES}export.csv?q=Marta")
    b"".join(answer.streaming_content)
    assert lines() == [
        ("Looked at a list; guides: 2; filters: manifest.", 2),
        ("Looked at a list; guides: 2; filters: q.", 2),
        ("Exported as CSV; rows: 2; filters: q.", 2),
    ]


def test_a_person_is_told_of_each_and_by_whom(staff: Client, run: Run) -> None:
    staff.get(f"{GUIDES}?q=Marta+Quispe")
    staff.get(f"{GUIDES}?q=Pedro+Soto")
    entries = json.loads(run("personal_data", "--document", "-", stdin=PERSON))
    assert [[(seen["operator"], seen["what"]) for seen in entry["seen_and_changed_by"]] for entry in entries] == [
        [("camila", "Looked at a list; guides: 2; filters: q.")]
    ] * 2
