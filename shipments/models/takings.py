"""Who is looking at which guide."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from shipments.models.guides import Guide


class GuideTaking(models.Model):
    """An operator has taken a guide to look at, so that nobody else does. Clients do not see it.

    A table of its own: taking a guide changes nothing that a GET shows, and no row that tracking locks.
    """

    guide = models.OneToOneField(
        Guide, on_delete=models.CASCADE, primary_key=True, related_name="taking", verbose_name=_("guide")
    )
    operator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("operator")
    )
    taken_at = models.DateTimeField(_("taken at"), auto_now_add=True)

    objects: ClassVar[models.Manager["GuideTaking"]] = models.Manager()

    class Meta:
        verbose_name = _("guide that was taken")
        verbose_name_plural = _("guides that were taken")

    def __str__(self) -> str:
        return f"{self.guide_id}: {self.operator_id}"
