"""Formats as files: import, export, and the house's own layouts."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils import timezone

from companies.models import Company
from shipments.errors import FormatInvalid
from shipments.formats.kept_tests import free_name, sample_profile, scrubbed_test
from shipments.formats.publishing import Saved, save_version
from shipments.manifests.mapped import house
from shipments.manifests.mapped.scrubbing.scrub import KeptTest
from shipments.manifests.mapped.spec import FormatSpec
from shipments.manifests.mapped.spec_json import dump, from_json, load
from shipments.models import FormatTest, FormatVersion

HOUSE = Path(house.__file__).parent


def house_format(country: str) -> bytes:
    """The file of the house template's format for a country of `LAYOUTS` (alpha-2)."""
    return (HOUSE / f"{country}.json").read_bytes()


def import_format(company: Company, content: bytes, *, actor: str, note: str = "", sample: Path | None = None) -> Saved:
    """Save the format of a file for a company; it is not used until it is published.

    The same name makes the next version; the same content makes none. sample: a workbook in the format, kept as a test
    without people's data; a file without a profile gets the sample's. Raises `FormatInvalid`, `FormatConflict` and, of
    a sample, what its upload would.
    """
    spec, tests = load(content)
    company.require_country(spec.country)
    test = _test_of(spec, sample) if sample else None
    if sample and test:
        kept = FormatTest.objects.filter(format__company=company, format__name=spec.name)
        taken = {*kept.values_list("name", flat=True), *(each["name"] for each in tests)}
        tests.append(test.as_json(free_name(f"sample of {timezone.localdate().isoformat()}", taken)))
        spec = spec if spec.profile else replace(spec, profile=sample_profile(spec, sample))
    saved = save_version(company, spec, actor=actor, note=note, tests=tests)
    return replace(saved, left_out=test.left_out) if test else saved


def _test_of(spec: FormatSpec, sample: Path) -> KeptTest:
    test = scrubbed_test(spec, sample)
    if test is None:
        raise FormatInvalid(
            "The sample cannot be kept as a test: the format does not read it, or reads none of its rows alike with "
            "invented values."
        )
    return test


def export_format(version: FormatVersion) -> bytes:
    """The file of a version, with the tests kept with its format, without those that were superseded."""
    tests: Sequence[dict[str, Any]] = [
        {"name": test.name, "grid": test.grid, "expected": test.expected}
        for test in version.format.tests.filter(superseded_by=None).order_by("name")
    ]
    return dump(spec_of(version), tests)


def spec_of(version: FormatVersion) -> FormatSpec:
    """The content of a stored version."""
    return from_json(version.spec)
