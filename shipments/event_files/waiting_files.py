"""Files that wait between two pages: uploaded, looked at, and done only when their operator says so.

Each lies in the private storage under its operator's id and a UUID: nobody else finds it, and no browser carries it, so
what is done is what was looked at. No row speaks of them; `sweep_files` deletes what is a day old.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self
from uuid import UUID, uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from shipments.files.storage import WAITING_DIRECTORY, file_store


class State(StrEnum):
    """How far a file has come; also how its name ends."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """One uploaded file of one operator."""

    owner_id: int
    id: UUID

    @classmethod
    def keep(cls, upload: "UploadedFile[bytes]", owner_id: int) -> Self:
        """Store what an operator uploaded."""
        file = cls(owner_id, uuid4())
        default_storage.save(file._name("about"), ContentFile(json.dumps({"name": (upload.name or "")[:200]})))
        default_storage.save(file._name(State.WAITING), upload)
        return file

    @property
    def state(self) -> State | None:
        """None when there is no such file, or no longer."""
        return next((state for state in reversed(State) if default_storage.exists(self._name(state))), None)

    @property
    def original_name(self) -> str:
        """What the operator's computer called it."""
        return str(self._read("about")["name"])

    def content(self) -> AbstractContextManager[Path]:
        """Its content while it waits, as a path that is there inside the `with`. Raises `FileNotFoundError`."""
        return file_store().local_copy(self._name(State.WAITING))

    @contextmanager
    def claimed(self) -> Iterator[Path | None]:
        """Its content, for whoever comes first; None for whoever comes after. It waits again if the work fails.

        The claim is an empty file beside the content: a bucket knows no renaming.
        """
        if not file_store().claim(self._name(State.RUNNING)):
            yield None
            return
        try:
            if default_storage.exists(self._name(State.WAITING)):
                with self.content() as path:
                    yield path
                return
        except BaseException:
            default_storage.delete(self._name(State.RUNNING))
            raise
        # Whoever came first has finished since we looked.
        default_storage.delete(self._name(State.RUNNING))
        yield None

    def finish(self, outcome: Sequence[Sequence[Any]]) -> None:
        """Keep what became of each row in place of the content."""
        default_storage.save(self._name(State.DONE), ContentFile(json.dumps(outcome)))
        default_storage.delete(self._name(State.WAITING))
        default_storage.delete(self._name(State.RUNNING))

    def outcome(self) -> Sequence[Sequence[Any]]:
        """What `finish` was given."""
        rows: Sequence[Sequence[Any]] = self._read(State.DONE)
        return rows

    def discard(self) -> None:
        """Delete it: what it holds cannot be done."""
        for ending in ("about", *State):
            default_storage.delete(self._name(ending))

    def _read(self, ending: str) -> Any:  # noqa: ANN401  # JSON that this class wrote
        with default_storage.open(self._name(ending)) as file:
            return json.load(file)

    def _name(self, ending: str) -> str:
        return f"{WAITING_DIRECTORY}/{self.owner_id}-{self.id}.{ending}"
