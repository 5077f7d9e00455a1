"""manage.py anonymise by age, asked for or set: what has come of age goes, in batches that a later run finishes."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import DatabaseError
from django.utils import timezone

from shipments.models import Guide, Manifest
from shipments.privacy import anonymise
from shipments.tracking.totals import check_totals
from tests.conftest import Caller
from tests.shipments.privacy.conftest import PERSON, Run, guide, later, stored
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db


class TestByAge:
    def test_takes_what_came_before_and_leaves_what_came_after(
        self, uploaded: dict[str, Manifest], acme: Caller, run: Run, media: Path
    ) -> None:
        with later(days=10):
            young = shipped(acme.company, 1, consignee_name="Young")
            said = run("anonymise", "--older-than", "5")
        assert "Anonymised 4 guides of 2 manifests; files: 4," in said
        assert set(Guide.objects.exclude(manifest=young).values_list("consignee_name", flat=True)) == {""}
        assert guide(young, "H001").consignee_name == "Young"
        assert stored(media) == 0
        assert all(each.anonymised_at for each in Manifest.objects.filter(pk__in=[one.pk for one in uploaded.values()]))
        assert list(check_totals()) == []

    def test_voided_manifests_and_those_without_guides_go_too(self, acme: Caller, run: Run) -> None:
        manifest = shipped(acme.company, 1, consignee_name="Marta")
        Manifest.objects.update(voided_at=timezone.now(), void_reason="Marta sent it twice")
        shipped(acme.company, 0)
        with later(days=10):
            assert "of 2 manifests" in run("anonymise", "--older-than", "5")
        manifest.refresh_from_db()
        assert manifest.void_reason == ""
        assert guide(manifest, "H001").consignee_name == ""

    def test_a_run_that_died_is_finished_by_the_next(
        self, acme: Caller, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        manifest = shipped(acme.company, 7, consignee_name="Marta", fob_usd=Decimal("1.10"))
        monkeypatch.setattr(anonymise, "BATCH_GUIDES", 2)
        monkeypatch.setattr(anonymise, "forget_texts", _dying_after(2))
        with later(days=10):
            with pytest.raises(DatabaseError):
                run("anonymise", "--older-than", "5")
            assert Guide.objects.filter(anonymised_at=None).count() == 3, "two batches are committed, the third is not"
            monkeypatch.undo()
            run("anonymise", "--older-than", "5")
        assert not Guide.objects.filter(anonymised_at=None).exists()
        manifest.refresh_from_db()
        assert manifest.anonymised_fob_usd == Decimal("7.70")
        assert list(check_totals()) == []

    def test_works_in_more_batches_than_one_read(self, acme: Caller, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(anonymise, "READ_MANIFESTS", 2)
        for _ in range(5):
            shipped(acme.company, 1, consignee_name="Marta")
        with later(days=10):
            assert "Anonymised 5 guides of 5 manifests" in run("anonymise", "--older-than", "5")

    @pytest.mark.parametrize("days", ["0", "-3", "99999999"])
    def test_refuses_days_that_make_no_sense(self, run: Run, days: str) -> None:
        with pytest.raises(CommandError):
            run("anonymise", "--older-than", days)

    def test_only_a_persons_older_guides_when_both_are_asked(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document=PERSON)
        with later(days=10):
            shipped(acme.company, 1, consignee_document=PERSON)
            assert "Anonymised 1 guides" in run("anonymise", "--older-than", "5", "--document", "-", stdin=PERSON)


def _dying_after(batches: int) -> Callable[..., int]:
    done = iter(range(batches))

    def forget_texts(_company_id: int, _subjects: object) -> int:
        if next(done, None) is None:
            raise DatabaseError("the server went away")
        return 0

    return forget_texts


class TestBySettings:
    def test_says_that_both_are_off_and_does_nothing(
        self, uploaded: dict[str, Manifest], run: Run, media: Path
    ) -> None:
        with later(days=4000):
            said = run("anonymise")
        assert "RETENTION_DAYS_PERSONAL_DATA is off" in said
        assert "RETENTION_DAYS_FILES is off" in said
        assert not Guide.objects.exclude(anonymised_at=None).exists()
        assert stored(media) == 2 * len(uploaded)

    def test_files_alone_go_at_their_age(
        self, uploaded: dict[str, Manifest], run: Run, settings: Any, media: Path
    ) -> None:
        settings.RETENTION_DAYS_FILES = 30
        with later(days=31):
            assert "files: 4" in run("anonymise", dry_run=True)
            assert "Anonymised 0 guides of 0 manifests; files: 4" in run("anonymise")
        assert stored(media) == 0
        for manifest in uploaded.values():
            manifest.refresh_from_db()
            assert (manifest.files_erased_at is not None, manifest.anonymised_at) == (True, None)
            assert guide(manifest, "M1").consignee_name == "Marta Quispe"

    def test_people_go_at_theirs(self, uploaded: dict[str, Manifest], run: Run, settings: Any) -> None:  # noqa: ARG002  # for what it leaves
        settings.RETENTION_DAYS_FILES, settings.RETENTION_DAYS_PERSONAL_DATA = 30, 300
        with later(days=299):
            assert "Anonymised 0 guides" in run("anonymise")
        with later(days=301):
            assert "Anonymised 4 guides of 2 manifests; files: 0" in run("anonymise")
