"""The person at a company whom operators ask."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

_LONGEST_PHONE = 64

ON_ONE_LINE = RegexValidator(
    # Control characters break tables and e-mails; PostgreSQL rejects NUL, and encoders reject lone surrogates.
    r"[\x00-\x1f\x7f\ud800-\udfff]",
    _("Write it on one line, without control characters."),
    inverse_match=True,
)


class WithContact(models.Model):
    """Name, e-mail and phone of a contact. Personal data: for operators, not in the API."""

    contact_name = models.CharField(
        _("contact"),
        max_length=200,
        blank=True,
        default="",
        db_default="",
        validators=[ON_ONE_LINE],
        help_text=_(
            "Whom operators ask about shipments and webhooks. This is personal data: enter what the work needs, and "
            "clear it when the person leaves. Changes are audited; the API does not show it."
        ),
    )
    contact_email = models.EmailField(_("contact's e-mail"), blank=True, default="", db_default="")
    contact_phone = models.CharField(
        _("contact's phone"),
        max_length=_LONGEST_PHONE,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(r"^\+?[0-9 ()./x-]+\Z", _("Digits, spaces and + ( ) . / - x for an extension."))],
    )

    class Meta:
        abstract = True


def contact_of(company: WithContact) -> SafeString:
    """Return the contact as one line with links; empty if there is none."""
    name, email, phone = company.contact_name, company.contact_email, company.contact_phone
    digits = "".join(each for each in phone if each in "+0123456789")
    parts = [
        name,
        email and format_html('<a class="underline" href="mailto:{0}">{0}</a>', email),
        phone and format_html('<a class="underline" href="tel:{}">{}</a>', digits, phone),
    ]
    return format_html_join(mark_safe(" · "), "{}", ((part,) for part in parts if part))
