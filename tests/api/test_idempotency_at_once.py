"""Idempotency-Key: two requests under one key at the same time."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from shipments.errors import ParserBusy
from shipments.intake import upload as uploading
from shipments.intake.workbook_reading import read_workbook
from shipments.models import IdempotencyKey, Manifest
from shipments.models.uploads import IdempotencyKeyQuerySet
from shipments.tracking.voiding import void_manifest
from tests.api.answers import error
from tests.api.keyed import OTHER_BOOK, assert_same, is_replay, post, upload
from tests.conftest import Caller

pytestmark = pytest.mark.django_db


class TestWhileTheFirstIsRunning:
    """Each test runs another request under the same key while the first one is reading its workbook."""

    @pytest.fixture
    def meanwhile(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
        def arrange(act: Callable[[], None]) -> None:
            def read(*args: Any) -> Any:
                monkeypatch.setattr(uploading, "read_workbook", original)
                parsed = original(*args)
                act()
                return parsed

            original = read_workbook
            monkeypatch.setattr(uploading, "read_workbook", read)

        return arrange

    def test_the_second_must_wait(self, acme: Caller, rival: Caller, meanwhile: Any) -> None:
        answers: list[Any] = []
        meanwhile(lambda: answers.extend([upload(acme), upload(acme, content=OTHER_BOOK), upload(rival)]))
        first = upload(acme)
        waiting, other, neighbour = answers
        assert error(waiting) == (409, "idempotency_in_progress")
        assert waiting["Retry-After"] == "5"
        assert error(other) == (422, "idempotency_key_reused")
        assert neighbour.status_code == 201
        assert_same(first, upload(acme))

    def test_one_that_takes_over_creates_it_and_the_first_repeats_its_answer(
        self, acme: Caller, meanwhile: Any, clock: Any
    ) -> None:
        answers: list[Any] = []

        def take_over() -> None:
            clock.shift(121)
            answers.append(upload(acme))

        meanwhile(take_over)
        late = upload(acme)
        assert_same(answers[0], late)
        assert Manifest.objects.count() == 1

    def test_one_that_took_over_and_was_refused_makes_the_first_start_again(
        self, acme: Caller, meanwhile: Any, clock: Any, monkeypatch: pytest.MonkeyPatch, media: Any
    ) -> None:
        def take_over() -> None:
            clock.shift(121)
            with monkeypatch.context() as patch:
                patch.setattr(uploading, "read_workbook", lambda *_args: (_ for _ in ()).throw(ParserBusy()))
                assert upload(acme).status_code == 503

        meanwhile(take_over)
        assert error(upload(acme)) == (409, "idempotency_in_progress")
        assert not Manifest.objects.exists()
        assert not [path for path in media.rglob("*") if path.is_file()]
        assert upload(acme).status_code == 201

    def test_a_dead_ones_key_is_taken_over(self, acme: Caller, clock: Any) -> None:
        now = timezone.now()
        upload(acme)
        IdempotencyKey.objects.update(manifest=None, held_until=now + timedelta(seconds=120))
        void_manifest(Manifest.objects.get(), reason="never committed", actor="ana")
        assert error(upload(acme)) == (409, "idempotency_in_progress")
        clock.move_to(now + timedelta(seconds=121))
        answer = upload(acme)
        assert (answer.status_code, is_replay(answer)) == (201, False)

    def test_one_that_finishes_while_its_key_is_taken_over_is_repeated(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, key, update = post(acme), IdempotencyKey.objects.get(), IdempotencyKeyQuerySet.update
        IdempotencyKey.objects.update(manifest=None, held_until=timezone.now())

        def finish_first(rows: Any, **changes: Any) -> int:
            monkeypatch.undo()
            IdempotencyKey.objects.filter(pk=key.pk).update(manifest=key.manifest)
            return update(rows, **changes)

        monkeypatch.setattr(IdempotencyKeyQuerySet, "update", finish_first)
        assert_same(first, post(acme))
