"""Which layout of a company a workbook has, what was told of it, and what is remembered after each reading."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from companies.countries import SERVED
from companies.models import Company
from shipments.errors import WorkbookFormatChanged
from shipments.manifests.findings import shorten
from shipments.manifests.manifest import Notice, ParsedManifest, Reason, SeenColumn, SeenLayout
from shipments.manifests.sheets.answers import NOTHING_TOLD, Answer, RowsWithoutHawb, Told, ToldLabel
from shipments.manifests.sheets.evidence import CORE
from shipments.manifests.sheets.figures import MOST_WORKBOOKS, UNLIKE, Figures, usual_figures
from shipments.manifests.sheets.layouts import fingerprint, heads_table, offers_of
from shipments.models import AnswerKind, Layout, LayoutAnswer

MOST_UNANSWERED = 50
"""Layouts of a company of which nobody has said anything; the one unseen longest goes."""
KEPT_UNCONFIRMED = timedelta(days=90)
"""How long an unconfirmed layout is kept after its last workbook."""

_FEWEST_HEADINGS = 3
_MOST_NAMED = 10
_DECIDING: Collection[str] = CORE | {"weight_unit", "currency", "consignee_document_type", "check_digit"}
"""Fields without which, or with another column for which, a layout is not read as it was told."""


def told_of(layout: Layout, others: Iterable[Layout] = (), said: Iterable[LayoutAnswer] | None = None) -> Told:
    """What a person has said of a layout. others: those of the same company, whose answers are likely here.

    said: the answers, in place of the stored ones.
    """
    answers = list(layout.answers.all() if said is None else said)
    named = {answer.name for answer in answers if answer.kind == AnswerKind.COLUMN}
    return Told(
        columns={each.name: answer_of(each) for each in answers if each.kind == AnswerKind.COLUMN},
        likely={name: answer for name, answer in _likely(others).items() if name not in named},
        labels=tuple(
            ToldLabel(each.heading or each.name, each.field, each.zone)
            for each in answers
            if each.kind == AnswerKind.LABEL
        ),
        constants={each.field or each.name: each.value for each in answers if each.kind == AnswerKind.CONSTANT},
        rows_without_hawb=next(
            (_RULES[each.value] for each in answers if each.kind == AnswerKind.RULE and each.name == "rows_without_hawb"
             and each.value in _RULES), "",
        ),
    )  # fmt: skip


_RULES: Mapping[str, RowsWithoutHawb] = {"products": "products", "left_out": "left_out"}


def answer_of(row: LayoutAnswer) -> Answer:
    return Answer(**{each.name: getattr(row, each.name) for each in fields(Answer)})


def _likely(layouts: Iterable[Layout]) -> Mapping[str, Answer]:
    """The answers about columns, of equal headings the newest."""
    rows = [row for layout in layouts for row in layout.answers.all() if row.kind == AnswerKind.COLUMN and row.field]
    return {row.name: answer_of(row) for row in sorted(rows, key=lambda row: row.answered_at)}


@dataclass(frozen=True, slots=True)
class Choice:
    """The layout of a workbook. layout: None for one that the company had in no workbook so far.

    told: what was said of it, and of others of the company. is_changed: whether some of its headings are others.
    """

    layout: Layout | None = None
    told: Told = NOTHING_TOLD
    is_changed: bool = False

    @property
    def is_confirmed(self) -> bool:
        return self.layout is not None and self.layout.confirmed_at is not None

    def usual(self) -> Figures:
        """The figures of its guides so far; empty without any."""
        workbooks = self.layout.figures.get("workbooks", []) if self.layout else []
        return usual_figures(workbooks) if workbooks else {}


def layouts_of(company: Company) -> Sequence[Layout]:
    """The layouts of a company with their answers, the last seen first."""
    return list(Layout.objects.of(company).order_by("-last_seen_at").prefetch_related("answers"))


def workbook_countries(company: Company, layouts: Iterable[Layout] | None = None) -> list[str]:
    """The countries (alpha-2) it may ship to and whose workbooks are read: all of them, or a confirmed layout.

    layouts: of the company, if they are known already.
    """
    if layouts is None:
        rows = Layout.objects.of(company).exclude(confirmed_at=None).order_by()
        confirmed = set(rows.values_list("country", flat=True))
    else:
        confirmed = {layout.country for layout in layouts if layout.confirmed_at}
    readable = confirmed.union(company.read_by_headings)
    return [code for code in SERVED if code in readable and code in company.allowed_countries]


def choose(layouts: Sequence[Layout], headings: Sequence[Collection[str]], country: str = "") -> Choice:
    """The layout to which a workbook belongs.

    layouts: as `layouts_of` gives them. headings: the sets of headings that the workbook may have, by their keys.
    country: of its destination, alpha-2; empty if it is not known yet, then those of all countries are compared.

    The one with the same headings; else the one with answers with most of whose headings they agree, if these are at
    least half of them, and three; of two the last seen. Else a new one.
    """
    possible = [layout for layout in layouts if country in {"", layout.country}]
    named = [frozenset(filter(heads_table, names)) for names in headings]
    digests = {fingerprint(names) for names in named if names}
    same = next((layout for layout in possible if layout.fingerprint in digests), None)
    chosen = same or _most_alike([layout for layout in possible if layout.answers.all()], named)
    others = [layout for layout in layouts if layout is not chosen]
    if chosen is None:
        return Choice(told=replace(NOTHING_TOLD, likely=_likely(others)) if others else NOTHING_TOLD)
    return Choice(chosen, told_of(chosen, others), is_changed=same is None)


def _most_alike(layouts: Sequence[Layout], headings: Sequence[Collection[str]]) -> Layout | None:
    best, most = None, 0
    for layout in layouts:
        names = set(filter(heads_table, (column["name"] for column in layout.columns)))
        agreeing = max((len(names.intersection(each)) for each in headings), default=0)
        if agreeing >= _FEWEST_HEADINGS and agreeing * 2 >= len(names) and agreeing > most:
            best, most = layout, agreeing
    return best


# --- changed ----------------------------------------------------------------------------------------------------------


def change_of(choice: Choice, seen: SeenLayout, exact: Mapping[str, str]) -> WorkbookFormatChanged | None:
    """The refusal of a workbook that contradicts what was told of a column that decides; None for any other.

    exact: key of a heading -> the field whose words it has, without any other.
    """
    if choice.layout is None:
        return None
    told, here = choice.told.columns, {column.name: column for column in seen.columns}
    deciding = {name: answer for name, answer in told.items() if answer.field in _DECIDING}
    before = {column["name"] for column in choice.layout.columns}
    written = {row.name: row.heading or row.name for row in choice.layout.answers.all()}
    missing = [written.get(name, name) for name in deciding if name not in here] if choice.is_changed else []
    unknown = here.keys() - before - told.keys()
    repeated = {f"{name}#2": written.get(name, name) for name in deciding if f"{name}#2" in unknown}
    decisive = {answer.field for answer in deciding.values()}
    new = [column for name, column in here.items() if name in unknown]
    rivals = [column for column in new if exact.get(column.name) in decisive and column.name not in repeated]
    turned = [here[name] for name, each in deciding.items() if name in here and _is_contradicted(each, here[name])]
    if not (missing or repeated or rivals or turned):
        return None
    named = {
        "missing": missing,
        "repeated": [*repeated.values()],
        "new": [_format_heading(column) for column in (new if missing else rivals)],
    }
    if turned:
        named["new"] = [
            *(f"{_format_heading(each)} ({each.unit or each.currency or '?'})" for each in turned),
            *named["new"],
        ]
    return WorkbookFormatChanged(headings=named, layout=str(choice.layout.pk))


def _is_contradicted(answer: Answer, column: SeenColumn) -> bool:
    """Whether the workbook itself says another unit or currency of a column than was told."""
    is_measure = answer.field in {"weight_kg", "fob_usd", "product_value"}
    pairs = ((answer.unit, column.unit), (answer.currency, column.currency))
    return is_measure and any(told and here not in {"", told} for told, here in pairs)


def _format_heading(column: SeenColumn) -> str:
    return f"{column.group} / {column.heading}" if column.group else column.heading or column.column


def changes_noticed(choice: Choice, seen: SeenLayout) -> Iterable[Notice]:
    """What else is missing or new in a workbook of a layout with answers."""
    if choice.layout is None or not choice.is_changed:
        return
    before = {column["name"]: column for column in choice.layout.columns if heads_table(column["name"])}
    here = {column.name: column for column in seen.columns if heads_table(column.name)}
    missing = [column["heading"] for name, column in before.items() if name not in here]
    new = [_format_heading(column) for name, column in here.items() if name not in before]
    for code, texts in (("layout_columns_missing", missing), ("layout_columns_new", new)):
        if texts:
            named = ", ".join(f"“{shorten(text)}”" for text in texts[:_MOST_NAMED])
            more = f" (+{len(texts) - _MOST_NAMED})" if len(texts) > _MOST_NAMED else ""
            yield Notice(code, Reason(code, {"columns": named + more}))


# --- remembered -------------------------------------------------------------------------------------------------------


def record(company: Company, country: str, seen: SeenLayout, choice: Choice, *, is_refused: bool = False) -> Layout:
    """Remember the layout of a workbook that was read, or refused. Holds no lock when it returns.

    is_refused: as changed; what the layout was like then stays, beside the headings of this workbook.
    """
    now, layout, columns = timezone.now(), choice.layout, list(map(asdict, seen.columns))
    for column in columns:
        column["offers"] = offers_of(column)  # which `check_layouts` compares with those of the next version
    if layout is not None:
        changed = {"last_seen_at": now, **({"changed_columns": columns} if is_refused else {})}
        if not is_refused:
            changed |= {"columns": columns, "questions": list(seen.questions), "changed_columns": []}
        if _update(layout, changed, fingerprint(seen.names()) if choice.is_changed and not is_refused else ""):
            return layout
    made, is_new = Layout.objects.get_or_create(
        company=company,
        country=country,
        fingerprint=fingerprint(seen.names()),
        defaults={"columns": columns, "questions": list(seen.questions), "last_seen_at": now},
    )
    if is_new:
        # One with a workbook that waits stays: the workbook would go with it.
        unanswered = Layout.objects.of(company).filter(answers=None, confirmed_at=None, drafts=None)
        newest_first = unanswered.order_by("-last_seen_at").values_list("pk", flat=True)
        Layout.objects.filter(pk__in=list(newest_first[MOST_UNANSWERED : MOST_UNANSWERED * 2])).delete()
    return made


def _update(layout: Layout, changed: Mapping[str, object], digest: str) -> int:
    """Change a layout. Returns 0 if it is gone. digest: of its new headings, unless another one has them."""
    rows = Layout.objects.filter(pk=layout.pk)
    if digest:
        try:
            with transaction.atomic():
                return rows.update(**changed, fingerprint=digest)
        except IntegrityError:  # two workbooks at once
            pass
    return rows.update(**changed)


def add_figures(layout: Layout, parsed: ParsedManifest) -> None:
    """Add what the values of a manifest are like to its layout, from the first one with a told column on.

    A manifest whose values were unlike those before says nothing of what is usual.
    """
    figures = parsed.layout.figures if parsed.layout else {}
    is_told = any(column.strength == "told" for column in parsed.columns)
    if not figures or not is_told or any(notice.code == UNLIKE for notice in parsed.notices):
        return
    with transaction.atomic():
        row = Layout.objects.select_for_update(no_key=True).filter(pk=layout.pk).only("figures").first()
        if row is not None:
            row.figures = {"workbooks": [*row.figures.get("workbooks", []), dict(figures)][-MOST_WORKBOOKS:]}
            row.save(update_fields=["figures"])


def sweep_layouts(now: datetime, *, dry_run: bool) -> int:
    """Delete the unconfirmed layouts that no workbook has had for long. Returns how many. dry_run: only count them."""
    old = Layout.objects.filter(Q(confirmed_at=None), last_seen_at__lt=now - KEPT_UNCONFIRMED)
    return old.count() if dry_run else old.delete()[1].get("shipments.Layout", 0)
