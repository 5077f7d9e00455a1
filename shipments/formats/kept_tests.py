"""Tests kept with a format: a small grid without people's data, and how it must be read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from shipments.manifests.manifest import FlightFields
from shipments.manifests.mapped.kept_grid import outcome, workbook_of
from shipments.manifests.mapped.mapped_reading import read_by, survey_by
from shipments.manifests.mapped.profile import profile_of
from shipments.manifests.mapped.recognise import Match, recognise
from shipments.manifests.mapped.scrubbing.scrub import KeptTest, scrub
from shipments.manifests.mapped.spec import FieldProfile, FormatInUse, FormatSpec
from shipments.manifests.xlsx import opening, parse_slots
from shipments.models import FormatTest


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number if it is taken: a test of the same name would replace the one before."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def scrubbed_test(spec: FormatSpec, sample: Path) -> KeptTest | None:
    """A sample as a test to keep, without people's data. None if `scrub` gives none.

    Takes a slot for reading workbooks. Raises OSError if the file does not exist, and the refusal of a workbook that
    cannot be read.
    """
    with parse_slots.parse_slot(), opening.reading(sample) as book:
        return scrub(spec, book)


def sample_profile(spec: FormatSpec, sample: Path) -> Mapping[str, FieldProfile]:
    """What the values of a sample are like, by field; nothing if the format does not read it. Raises as above."""
    with parse_slots.parse_slot(), opening.reading(sample) as book:
        found = recognise(book, [FormatInUse(0, spec.name, 0, spec)]).full
        return profile_of(read_by(survey_by(book, found[0]), FlightFields()).guides) if found else {}


def failing(spec: FormatSpec, tests: Iterable[FormatTest]) -> list[FormatTest]:
    """The tests that a format does not read as expected."""
    return [test for test in tests if outcome(spec, test.grid) != test.expected]


def rivals(spec: FormatSpec, tests: Iterable[FormatTest], other: FormatSpec) -> list[str]:
    """The names of another format's tests that this one would read as well: uploads could not be told apart."""
    forms = [FormatInUse(1, spec.name, 0, spec), FormatInUse(2, other.name, 0, other)]
    return [test.name for test in tests if _is_tied(recognise(workbook_of(test.grid), forms).full)]


def _is_tied(full: Sequence[Sequence[Match]]) -> bool:
    counts: Mapping[int, int] = {matches[0].format.reference: matches[0].mapped_count() for matches in full}
    return 1 in counts and counts[1] >= counts.get(2, 0)
