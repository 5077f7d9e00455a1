"""take_back_status: what the command does, says, and refuses."""

import pytest
from django.core.management import CommandError

from shipments.models import Guide, GuideEvent
from tests.conftest import Caller
from tests.shipments.commands.running import codes, refused, run
from tests.shipments.shipping import assert_sound, bring, shipped

pytestmark = pytest.mark.django_db

WHY = ("--wrong", "delivered", "--reason", "Another MAWB was meant")


def test_takes_back_a_whole_manifest_after_a_dry_run(acme: Caller, rival: Caller) -> None:
    manifest, others = shipped(acme.company, mawb="045-12345675"), shipped(rival.company, mawb="045-12345675")
    for guide in (*manifest.guides.all(), *others.guides.all()):
        bring(guide, "in_transit", "delivered")
    where = ("--company", "ACME", "--mawb", manifest.mawb)
    said = run("take_back_status", *WHY, *where, "--dry-run")
    assert "delivered -> in_transit taken_back" in said
    assert "Dry run, nothing was changed. 3 guides: 3 taken_back." in said
    assert not GuideEvent.objects.exclude(withdrawn_at=None).exists()
    assert run("take_back_status", *WHY, *where) == "3 guides: 3 taken_back.\n"
    assert_sound(manifest)
    assert manifest.guides_by_status == {"in_transit": 3}
    assert {event.withdrawn_by for event in GuideEvent.objects.exclude(withdrawn_at=None)} == {
        "manage.py take_back_status"
    }
    assert set(others.guides.values_list("status", flat=True)) == {"delivered"}


def test_takes_back_named_guides_to_a_status_and_reports_the_others(acme: Caller) -> None:
    manifest = shipped(acme.company)
    wrong, waiting, _third = codes(manifest)
    bring(manifest.guides.get(tracking_code=wrong), "delivered")
    said, end = refused("take_back_status", *WHY, "--to", "on_hold", wrong.lower(), waiting, "ACM-NONE")
    assert "nothing_to_take_back: The guide is registered, not delivered." in said
    assert "not_found: No guide has this tracking code." in said
    assert end == "2 of 3 guides refused; the others were done."
    assert Guide.objects.get(tracking_code=wrong).status == "on_hold"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--wrong", "registered", "--reason", "Wrong", "ACM1"], "registered"),
        ([*WHY, "--to", "lost", "ACM1"], "lost"),
        (["--wrong", "delivered", "--reason", " ", "ACM1"], "Say why."),
    ],
)
def test_says_what_is_wrong(acme: Caller, arguments: list[str], complaint: str) -> None:
    shipped(acme.company)
    with pytest.raises(CommandError) as ended:
        run("take_back_status", *arguments)
    assert complaint in str(ended.value)
