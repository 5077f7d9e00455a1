"""Versions of a company's format: save, publish, go back, retire. Each takes the format's row lock first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from msgspec.structs import replace

from companies.models import Company
from shipments.errors import FormatConflict, HeadingsDiffer, KeptTestsDiffer
from shipments.formats.alarms import settle_explained
from shipments.formats.kept_tests import are_rivals, failing
from shipments.manifests.mapped.spec import (
    MAX_TESTS,
    FormatInUse,
    FormatSpec,
    digest,
    fingerprint,
    from_json,
    heading_key,
    to_json,
)
from shipments.models import FormatDraft, FormatTest, FormatVersion, WorkbookFormat
from shipments.models.formats import MOST_ACTIVE
from shipments.models.manifests import violated

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """version: the new one, or the existing one with the same content. is_new: whether it was created. unread: why no
    test is kept of the sample, as `learned` says it."""

    version: FormatVersion
    is_new: bool
    unread: Sequence[str] = ()


def save_version(
    company: Company,
    spec: FormatSpec,
    *,
    actor: str,
    note: str = "",
    tests: Sequence[Mapping[str, Any]] = (),
    began_from: int | None = None,
    despite_headings: bool = False,
) -> Saved:
    """Save `spec` as the next version of the company's format of that name, or as a new format. It is not used yet.

    tests: to keep with it, each with `name`, `grid` and `expected`; of more than `MAX_TESTS` the oldest are deleted.
    began_from: the newest version when editing began. despite_headings: also if it has fewer than half of the last
    version's headings.

    Raises `HeadingsDiffer` without that; `FormatConflict` if another version was saved meanwhile, if another format has
    the same required headings, or if there are too many formats.
    """
    try:
        with transaction.atomic():
            form = _locked(company, spec)
            if not despite_headings:
                _require_alike(form, spec)
            saved = _save(form, spec, actor, note, began_from)
            _keep_tests(form, tests)
    except IntegrityError as error:
        raise _conflict(error) from error
    log.info("format_saved", format=str(form.pk), version=saved.version.number, is_new=saved.is_new, actor=actor)
    return saved


def publish(form: WorkbookFormat, number: int, *, actor: str, despite_tests: bool = False) -> FormatVersion:
    """Use a version of the format for uploads from now on: a new one, or an earlier one to go back to.

    despite_tests: also if the version reads kept tests differently. These are superseded by it, and count again once a
    version that passes them is published.

    Raises `KeptTestsDiffer`; `FormatConflict` when the format cannot be distinguished from another, when it is retired,
    or when the version does not exist.
    """
    try:
        with transaction.atomic():
            locked = WorkbookFormat.objects.select_for_update(no_key=True).get(pk=form.pk)
            version = locked.versions.filter(number=number).first()
            if version is None:
                raise FormatConflict(gettext("The format has no version %(number)s.") % {"number": number})
            if not locked.is_active:
                raise FormatConflict(gettext("The format is retired."))
            spec = from_json(version.spec)
            _judge_tests(locked, version, spec, despite_tests=despite_tests)
            _require_apart(locked, spec)
            locked.in_use, locked.fingerprint = version, fingerprint(spec)
            locked.save(update_fields=["in_use", "fingerprint"])
    except IntegrityError as error:
        raise _conflict(error) from error
    log.info("format_published", format=str(form.pk), version=number, actor=actor)
    form.refresh_from_db()
    return version


def newer_than(draft: FormatDraft) -> FormatVersion | None:
    """The version that somebody saved after the draft began; None without one."""
    newest = draft.format.versions.first() if draft.format else None
    return newest if newest and newest.number != draft.began_from else None


def accept_spelling(
    form: WorkbookFormat, heading: str, spelling: str, *, actor: str, operator: AbstractBaseUser | None = None
) -> FormatVersion:
    """Use a version from now on in which `spelling` names the same column as `heading`, and settle the alarms about it.

    heading, spelling: as an alarm has them, each with the heading of its group before a slash, if it has one. operator:
    closes the alarms. Raises `FormatConflict` as `publish` does, and if no version is in use, it has no such column, or
    the spelling is under another group.
    """
    version = form.in_use
    spec = from_json(version.spec) if version else None
    column = next((each for each in spec.columns if heading in {each.heading, each.name()}), None) if spec else None
    if spec is None or column is None or not column.heading:
        raise FormatConflict(gettext("The version in use has no such column."))
    group, _slash, own = spelling.rpartition(" / ") if column.group else ("", "", spelling)
    if group and heading_key(group) != heading_key(column.group):
        raise FormatConflict(gettext("The new heading is under another group. Start from a new sample."))
    columns = tuple(replace(each, also=(*each.also, own)) if each is column else each for each in spec.columns)
    with transaction.atomic():
        saved = save_version(
            form.company, replace(spec, columns=columns), actor=actor, note=f"{heading} = {spelling}"[:255]
        )
        used = publish(form, saved.version.number, actor=actor)
        settle_explained(form, column.name(), spelling, operator)
    return used


def retire(form: WorkbookFormat, *, actor: str) -> None:
    """Stop using the format. Its versions stay, because manifests name them."""
    with transaction.atomic():
        locked = WorkbookFormat.objects.select_for_update(no_key=True).get(pk=form.pk)
        locked.is_active, locked.in_use = False, None
        locked.save(update_fields=["is_active", "in_use"])
    log.info("format_retired", format=str(form.pk), actor=actor)
    form.refresh_from_db()


def _locked(company: Company, spec: FormatSpec) -> WorkbookFormat:
    """The format's row, locked; a new one is created with the company's row locked."""
    forms = WorkbookFormat.objects.select_for_update(no_key=True)
    form = forms.filter(company=company, name=spec.name).first()
    if form is None:
        Company.objects.select_for_update(no_key=True).get(pk=company.pk)
        if WorkbookFormat.objects.of(company).active().filter(country=spec.country).count() >= MOST_ACTIVE:
            raise FormatConflict(
                gettext("The company has %(count)s active formats for this country already. Retire one first.")
                % {"count": MOST_ACTIVE}
            )
        return WorkbookFormat.objects.create(
            company=company, country=spec.country, name=spec.name, fingerprint=fingerprint(spec)
        )
    if form.country != spec.country:
        raise FormatConflict(gettext("The company has a format of this name for another country."))
    if not form.is_active:
        raise FormatConflict(gettext("The company has a retired format of this name. Choose another name."))
    return form


def _require_alike(form: WorkbookFormat, spec: FormatSpec) -> None:
    """Raise `HeadingsDiffer` if the layout is another one: it should be a format of its own."""
    newest = form.versions.first()
    before = from_json(newest.spec).columns if newest else ()
    known = {key for column in spec.columns for key in column.spellings()}
    named = [column for column in before if column.heading]
    shared = sum(not known.isdisjoint(column.spellings()) for column in named)
    if shared * 2 < len(named):
        text = gettext("Only %(shared)s of the %(count)s headings of version %(number)s are in this one.")
        raise HeadingsDiffer(text % {"shared": shared, "count": len(named), "number": newest.number if newest else 0})


def _save(form: WorkbookFormat, spec: FormatSpec, actor: str, note: str, began_from: int | None) -> Saved:
    newest = form.versions.first()
    if began_from is not None and newest and newest.number != began_from:
        raise FormatConflict(
            gettext("%(name)s saved version %(number)s while you were editing. Nothing was saved.")
            % {"name": newest.created_by, "number": newest.number}
        )
    sha256 = digest(spec)
    if newest and newest.sha256 == sha256:
        return Saved(newest, is_new=False)
    version = FormatVersion.objects.create(
        format=form,
        number=newest.number + 1 if newest else 1,
        spec=to_json(spec),
        sha256=sha256,
        note=note,
        created_by=actor,
    )
    return Saved(version, is_new=True)


def _keep_tests(form: WorkbookFormat, tests: Sequence[Mapping[str, Any]]) -> None:
    for test in tests:
        FormatTest.objects.update_or_create(
            format=form,
            name=test["name"],
            defaults={"grid": test["grid"], "expected": test["expected"], "superseded_by": None},
        )
    newest = form.tests.order_by("-created_at", "-pk").values_list("pk", flat=True)[:MAX_TESTS]
    form.tests.exclude(pk__in=list(newest)).delete()


def _judge_tests(form: WorkbookFormat, version: FormatVersion, spec: FormatSpec, *, despite_tests: bool) -> None:
    """Run all kept tests, also those that another version superseded. Raises `KeptTestsDiffer`."""
    failed = failing(spec, form.tests.all())
    names = [str(test) for test in failed if test.superseded_by_id is None]
    if names and not despite_tests:
        text = gettext("This version reads these kept tests differently: %(names)s.")
        raise KeptTestsDiffer(text % {"names": ", ".join(names)})
    keys = [test.pk for test in failed]
    form.tests.filter(pk__in=keys, superseded_by=None).update(superseded_by=version)
    form.tests.exclude(pk__in=keys).update(superseded_by=None)


def _require_apart(form: WorkbookFormat, spec: FormatSpec) -> None:
    others = WorkbookFormat.objects.reading(form.company).filter(country=form.country).exclude(pk=form.pk)
    for other in others.prefetch_related("tests"):
        version = other.in_use
        if version and are_rivals(spec, other.tests.all(), from_json(version.spec)):
            raise FormatConflict(gettext("Workbooks of another format of this company would be read by this one."))


def _conflict(error: IntegrityError) -> FormatConflict | IntegrityError:
    if violated(error, "format_once_per_layout"):
        return FormatConflict(gettext("Another active format of this company has the same required headings."))
    if violated(error, "format_name_once_per_company") or violated(error, "format_version_number_once"):
        return FormatConflict(gettext("Somebody saved this format at the same moment. Try again."))
    return error


def formats_in_use(company: Company) -> Sequence[FormatInUse]:
    """The versions in use, in one query. An upload reads them once, so that it ends with what it began with."""
    rows = WorkbookFormat.objects.reading(company).values_list(
        "in_use", "name", "in_use__number", "in_use__spec", "is_only"
    )
    return [FormatInUse(reference, name, number, from_json(spec), only) for reference, name, number, spec, only in rows]


def format_countries(company: Company) -> set[str]:
    """The countries for which the company has a format in use."""
    return set(WorkbookFormat.objects.reading(company).order_by().values_list("country", flat=True).distinct())
