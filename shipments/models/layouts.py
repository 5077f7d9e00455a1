"""Layouts of companies' workbooks, and what people have said of them; and those of brokers' files, which go out."""

from __future__ import annotations

from typing import ClassVar, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from companies.models import Company
from shipments.models.manifests import Manifest, OfCountryQuerySet
from shipments.models.uploads import ManifestDraft


class LayoutQuerySet(OfCountryQuerySet["Layout"]):
    def of(self, company: Company) -> Self:
        return self.filter(company=company)

    def waiting(self) -> Self:
        """Return those that an operator should look at: with questions, with workbooks that wait, or changed."""
        drafts = ManifestDraft.objects.waiting().filter(layout=OuterRef("pk"))
        is_open = Q(confirmed_at=None) & (~Q(questions=[]) | Exists(drafts))
        return self.filter(is_open | ~Q(changed_columns=[]))


class Layout(models.Model):
    """The columns of a company's workbooks for one country. No value of a client's row is kept here.

    fingerprint: SHA-256 of the set of its headings, each as `answer_key` gives it. columns: in the sheet's order, how
    each was read last, as `SeenColumn`. questions: those of the last workbook, with shapes for samples. figures: what
    the values of its last workbooks were like, as `Figures` under `workbooks`. changed_columns: as `columns`, of the
    last workbook that was refused because it contradicted the answers; empty once one is read.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="layouts", db_index=False, verbose_name=_("company")
    )
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    fingerprint = models.CharField(max_length=64, editable=False)
    columns = models.JSONField(_("columns"), default=list)
    questions = models.JSONField(_("questions"), default=list)
    figures = models.JSONField(default=dict)
    changed_columns = models.JSONField(default=list)
    first_seen_at = models.DateTimeField(_("first seen"), auto_now_add=True)
    last_seen_at = models.DateTimeField(_("last seen"))
    confirmed_at = models.DateTimeField(_("confirmed at"), null=True)
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("confirmed by")
    )

    objects: ClassVar[LayoutQuerySet] = LayoutQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("layout")
        verbose_name_plural = _("layouts")
        ordering = ["-last_seen_at"]
        default_permissions = ("view", "change")
        constraints = [
            models.UniqueConstraint(fields=["company", "country", "fingerprint"], name="layout_once_per_company"),
        ]

    def __str__(self) -> str:
        return f"{self.company} · {self.country} · {len(self.columns)}"


class AnswerKind(models.TextChoices):
    """What an answer is about."""

    COLUMN = "column", _("column")
    LABEL = "label", _("label")
    CONSTANT = "constant", _("constant")
    RULE = "rule", _("rule")


class LayoutAnswer(models.Model):
    """What a person has said of one column, label, constant or rule of a layout.

    name: the key of the heading as `answer_keys` gives it, of the label; the field of a constant; the name of a rule.
    heading, group: as written. field: empty for a column that is only kept. key: of extra data. unit, currency,
    decimals, values, month_first, zone: as in `Answer`. value: of a constant or a rule.
    answered_by: the operator; null for the client itself.
    """

    layout = models.ForeignKey(Layout, on_delete=models.CASCADE, related_name="answers", db_index=False)
    kind = models.CharField(max_length=8, choices=AnswerKind, default=AnswerKind.COLUMN)
    name = models.CharField(max_length=512)
    heading = models.CharField(_("heading"), max_length=256, blank=True)
    group = models.CharField(_("group"), max_length=256, blank=True)
    field = models.CharField(_("field"), max_length=32, blank=True)
    key = models.CharField(_("key"), max_length=64, blank=True)
    unit = models.CharField(_("unit"), max_length=8, blank=True)
    currency = models.CharField(_("currency"), max_length=3, blank=True)
    decimals = models.CharField(_("decimals"), max_length=8, blank=True)
    values = models.JSONField(_("values"), default=dict)
    month_first = models.BooleanField(_("month first"), default=False)
    zone = models.CharField(_("time zone"), max_length=64, blank=True)
    value = models.CharField(_("value"), max_length=128, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("answered by")
    )
    answered_at = models.DateTimeField(_("answered at"), auto_now=True)

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["layout", "kind", "name"], name="layout_answer_once"),
        ]

    def __str__(self) -> str:
        return f"{self.heading or self.name}: {self.field or self.value or '–'}"


class OutgoingLayoutQuerySet(OfCountryQuerySet["OutgoingLayout"]):
    def for_manifest(self, manifest: Manifest) -> Self:
        """Return those that a person has checked, of the manifest's country: its company's first, then everybody's."""
        of_company = Q(company=manifest.company_id) | Q(company=None)
        return self.filter(of_company, country=manifest.country, is_checked=True).order_by(
            F("company").asc(nulls_last=True), "name"
        )


class OutgoingLayout(models.Model):
    """A broker's or customs' own spreadsheet, for the manifests of a country, or of one company in it.

    sheet: its name. columns: in order; of each its heading, its field as `shipments.outgoing` lists them (`+` and a key
    of extra data, `constant`, or empty), the value of a constant, and the form of a value: decimals, decimal_mark (of a
    CSV), date_form, unit; all are texts. is_checked: whether a person has looked at what was proposed.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    name = models.CharField(_("name"), max_length=100, help_text=_("Such as the broker's."))
    country = models.CharField(_("country"), max_length=2, choices=country_choices)
    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("company"),
        help_text=_("Empty: for every company's manifests of the country."),
    )  # fmt: skip
    sheet = models.CharField(max_length=31, editable=False)
    columns = models.JSONField(_("columns"), default=list, editable=False)
    is_checked = models.BooleanField(_("checked"), default=False, editable=False)

    objects: ClassVar[OutgoingLayoutQuerySet] = OutgoingLayoutQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("outgoing layout")
        verbose_name_plural = _("outgoing layouts")
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
