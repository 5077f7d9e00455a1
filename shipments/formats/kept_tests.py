"""Tests kept with a format: made-up guides, written as a client writes them, and what must be read of them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import msgspec
from django.utils import timezone
from django.utils.translation import gettext

from companies.models import Company
from shipments.errors import FormatInvalid
from shipments.manifests.mapped.made_up import differences, habits_of, made_up, workbook_of
from shipments.manifests.mapped.profile import profile_of
from shipments.manifests.mapped.reading import read_by, survey_by
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.spec import FieldProfile, FormatInUse, FormatSpec
from shipments.manifests.xlsx import opening, parse_slots
from shipments.models import FormatTest


def learned(
    company: Company, spec: FormatSpec, sample: Path, others: Iterable[str] = ()
) -> tuple[list[dict[str, Any]], Sequence[str], Mapping[str, FieldProfile]]:
    """A test in the manner of a sample, without anything of its people, as `save_version` takes it; why there is none;
    and the sample's profile.

    There is none if the format reads fields of made-up guides otherwise than it says they are written. others: names of
    tests that will be kept with it. Its own gets a number if it is one of those or if the company's format has it,
    because a test of the same name would replace the one before. Takes a slot for reading workbooks.
    Raises `FormatInvalid` if the sample has other headings than the format, OSError if the file does not exist, and the
    refusal of a workbook that cannot be read.
    """
    with parse_slots.parse_slot(), opening.reading(sample) as book:
        found = recognise(book, [FormatInUse(0, spec.name, 0, spec)]).full
        if not found:
            raise FormatInvalid("The sample does not have the headings of the format.")
        profile = profile_of(read_by(spec, survey_by(book, found[0])).guides)
        habits = habits_of(found[0][0], book)
    kept = FormatTest.objects.filter(format__company=company, format__name=spec.name)
    taken = {*others, *kept.values_list("name", flat=True)}
    name = gettext("sample of %s") % timezone.localdate().isoformat()
    numbered = chain([name], (f"{name} ({number})" for number in count(2)))
    test = msgspec.to_builtins(made_up(spec, habits, next(each for each in numbered if each not in taken)))
    unread = differences(spec, test["grid"], test["expected"])
    return [] if unread else [test], unread, profile


def failing(spec: FormatSpec, tests: Iterable[FormatTest]) -> list[FormatTest]:
    """The tests that a format does not read as expected."""
    return [test for test in tests if differences(spec, test.grid, test.expected)]


def are_rivals(spec: FormatSpec, tests: Iterable[FormatTest], other: FormatSpec) -> bool:
    """Return whether a format also reads a test of another format, so that an upload could match both."""
    forms = [FormatInUse(1, spec.name, 0, spec), FormatInUse(2, other.name, 0, other)]
    for test in tests:
        full = recognise(workbook_of(test.grid), forms).full
        counts = {matches[0].format.reference: matches[0].mapped_count() for matches in full}
        if 1 in counts and counts[1] >= counts.get(2, 0):
            return True
    return False
