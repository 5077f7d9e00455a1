"""Formats as files: import, export, and the house's own layouts."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from django.db import transaction
from django.utils.translation import gettext

from companies.models import Company
from shipments.formats.kept_tests import learned
from shipments.formats.publishing import Saved, publish, save_version
from shipments.manifests.mapped.house.house_layouts import house_spec
from shipments.manifests.mapped.made_up import made_up
from shipments.manifests.mapped.spec import dump, from_json, load
from shipments.models import FormatVersion, WorkbookFormat


def house_format(country: str) -> bytes:
    """The file of the house template's format, with a kept test. Raises KeyError for a country without a template."""
    spec = house_spec(country)
    return dump(spec, [msgspec.to_builtins(made_up(spec, name=gettext("made up")))])


def use_house(company: Company, country: str, *, actor: str) -> WorkbookFormat:
    """Bind the house template's format to a company, and use it from now on. Raises as `publish` does."""
    with transaction.atomic():
        saved = import_format(company, house_format(country), actor=actor)
        return publish(saved.version.format, saved.version.number, actor=actor).format


def import_format(
    company: Company,
    content: bytes,
    *,
    actor: str,
    note: str = "",
    sample: Path | None = None,
    despite_headings: bool = False,
) -> Saved:
    """Save the format of a file for a company; it is not used until it is published.

    The same name makes the next version; the same content makes none. sample: a workbook in the format, whose manner
    a kept test has; a file without a profile gets the sample's. Raises as `save_version`, `FormatInvalid`
    and, of a sample, what its upload would.
    """
    spec, tests = load(content)
    company.require_country(spec.country)
    unread: Sequence[str] = ()
    if sample:
        own, unread, profile = learned(company, spec, sample, [each["name"] for each in tests])
        tests += own
        spec = spec if spec.profile else msgspec.structs.replace(spec, profile=dict(profile))
    saved = save_version(company, spec, actor=actor, note=note, tests=tests, despite_headings=despite_headings)
    return replace(saved, unread=unread)


def export_format(version: FormatVersion) -> bytes:
    """The file of a version, with the tests kept with its format, without those that were superseded."""
    tests: Sequence[dict[str, Any]] = [
        {"name": test.name, "grid": test.grid, "expected": test.expected}
        for test in version.format.tests.filter(superseded_by=None).order_by("name")
    ]
    return dump(from_json(version.spec), tests)
