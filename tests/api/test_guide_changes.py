"""`GET guides`: many guides in one call, and every change of them exactly once."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.utils import timezone

from shipments.models import Guide, Manifest
from shipments.v1.queries import filter_guides
from tests.api.answers import answered, error
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.shipments.shipping import bring, shipped, tell

pytestmark = pytest.mark.django_db


def asked(caller: Caller, **query: Any) -> Any:
    return answered(caller.get(f"/guides?{urlencode(query, doseq=True)}"))


def codes(caller: Caller, **query: Any) -> list[str]:
    return [each["tracking_code"] for each in asked(caller, **query)["guides"]]


@pytest.fixture
def manifests(acme: Caller, rival: Caller) -> list[Manifest]:
    """100 guides over 4 MAWBs, and as many of the other company."""
    for number in range(4):
        shipped(rival.company, 25, mawb=f"045-1000000{number}")
    return [shipped(acme.company, 25, mawb=f"045-1000000{number}") for number in range(4)]


def test_by_hawb_by_code_by_mawb_by_status_and_by_country(acme: Caller, manifests: list[Manifest]) -> None:
    first = list(manifests[0].guides.order_by("id"))
    bring(first[1], "customs_processing")
    other = shipped(acme.company, 2, country="PE")
    found = asked(acme, hawb=["h001", "H002"])["guides"]
    assert [(each["hawb"], each["mawb"]) for each in found[:1]] == [("H001", "045-10000000")]
    assert len(found) == 10
    assert found[-1] == {
        "hawb": "H002", "tracking_code": first[1].tracking_code, "mawb": "045-10000000",
        "status": "customs_processing", "status_code": 2, "sequence": 2, "updated_at": found[-1]["updated_at"],
        "needs_correction": False,
    } or found[-1]["mawb"] == other.mawb  # fmt: skip
    assert codes(acme, tracking_code=[first[0].tracking_code.lower(), "none"]) == [first[0].tracking_code]
    assert len(codes(acme, mawb="045 10000001", limit=100)) == 25
    assert codes(acme, mawb="045-10000000", status=["customs_processing", "lost"]) == [first[1].tracking_code]
    assert codes(acme, hawb="H001", country="pe") == [other.guides.get(hawb="H001").tracking_code]
    assert codes(acme, mawb="nonsense") == []


def test_in_pages_of_seven_while_guides_move_each_change_is_seen_and_none_twice(
    acme: Caller, rival: Caller, manifests: list[Manifest]
) -> None:
    since = manifests[0].created_at
    seen: dict[str, str] = {}
    rows: list[tuple[str, str]] = []
    moving = iter(Guide.objects.of(acme.company).order_by("-id")[:20])
    cursor, query = None, {"updated_since": since.isoformat(), "limit": 7}
    while True:
        page = asked(acme, **query, **({"cursor": cursor} if cursor else {}))
        rows += [(each["updated_at"], each["tracking_code"]) for each in page["guides"]]
        seen |= {each["tracking_code"]: each["status"] for each in page["guides"]}
        cursor = page["next_cursor"]
        if cursor is None:
            break
        for guide in [each for _number, each in zip(range(2), moving, strict=False)]:
            tell(guide, "customs_processing")
            tell(Guide.objects.of(rival.company).get(manifest__mawb=guide.manifest.mawb, hawb=guide.hawb), "lost")
    assert rows == sorted(rows, key=lambda row: row[0])
    assert len(rows) == len(set(rows)) >= 100
    assert seen == dict(Guide.objects.of(acme.company).values_list("tracking_code", "status"))
    last = max(updated_at for updated_at, _code in rows)
    assert asked(acme, updated_since=last)["guides"][-1]["updated_at"] == last


@pytest.mark.parametrize("has_cursor", [False, True])
def test_a_page_is_read_from_its_place_in_the_companys_index_alone(
    acme: Caller, manifests: list[Manifest], *, has_cursor: bool
) -> None:
    """Not from the guides of all companies, nor again from the first of a moment, which a manifest's guides share."""
    since = manifests[0].created_at
    after = (since, manifests[0].guides.earliest("id").pk) if has_cursor else None
    page = filter_guides(Guide.objects.of(acme.company), {"updated_since": since}, after).order_by("updated_at", "id")[
        :101
    ]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # so few rows are read whole
            cursor.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
            cursor.execute("ANALYZE shipments_guide; ANALYZE shipments_manifest")
    plan = page.explain().lower()
    assert "guide_by_change" in plan
    assert "sort" not in plan
    assert "temp b-tree" not in plan
    if connection.vendor == "postgresql":  # SQLite ends at the moment: an index has its rows' ids anyway
        assert ("row(updated_at, id) >" in plan) is has_cursor


def test_only_what_changed_since_is_read_again(acme: Caller, manifests: list[Manifest]) -> None:
    guide = manifests[2].guides.get(hawb="H010")
    before = timezone.now()
    bring(guide, "in_transit")
    assert codes(acme, updated_since=before.isoformat()) == [guide.tracking_code]


def test_the_tag_holds_until_something_changes(acme: Caller, manifests: list[Manifest]) -> None:
    path = "/guides?mawb=045-10000000&limit=5"
    tag = acme.get(path)["ETag"]
    assert acme.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 304
    bring(manifests[0].guides.order_by("id")[0], "in_transit")
    assert acme.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 200


def test_needs_correction_tells_what_a_client_can_mend(acme: Caller) -> None:
    body = acme.upload(workbook_bytes([guide_row(1, RUT="1-1"), guide_row(2)])).json()
    query = {"mawb": body["mawb"]}
    assert {each["hawb"]: each["needs_correction"] for each in asked(acme, **query)["guides"]} == {
        "HAWB00001": True, "HAWB00002": False,
    }  # fmt: skip
    bring(Guide.objects.get(hawb="HAWB00001"), "customs_processing")
    assert [each["needs_correction"] for each in asked(acme, **query)["guides"]] == [False, False]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("", {"hawb", "tracking_code", "mawb", "updated_since"}),
        ("status=lost&country=CL&limit=5", {"hawb", "tracking_code", "mawb", "updated_since"}),
        ("mawb=1&limit=101", {"limit"}),
        ("updated_since=2026-11-24T10:00:00", {"updated_since"}),
        ("&".join(f"hawb={number}" for number in range(101)), {"hawb"}),
        ("mawb=1&mawb=2", {"mawb"}),
        ("mawb=1&cursor=x", {"cursor"}),
        ("mawb=%00", {"mawb"}),
        ("tracking_code=" + "x" * 65, {"tracking_code"}),
    ],
)
def test_what_cannot_be_asked_is_named(acme: Caller, query: str, named: set[str]) -> None:
    answer = acme.get(f"/guides?{query}")
    assert error(answer) == (400, "invalid_query")
    assert set(answer.json()["details"]) == named


def test_a_cursor_holds_for_its_own_filters_and_company_alone(
    acme: Caller, rival: Caller, manifests: list[Manifest]
) -> None:
    assert len(manifests) == 4
    cursor = asked(acme, mawb="045-10000000", limit=5)["next_cursor"]
    assert len(codes(acme, mawb="045-10000000", limit=9, cursor=cursor)) == 9
    for caller, mawb in ((rival, "045-10000000"), (acme, "045-10000001")):
        answer = caller.get(f"/guides?mawb={mawb}&cursor={cursor}")
        assert error(answer) == (400, "invalid_query")
