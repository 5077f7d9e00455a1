"""Companies, what the service stores about operators, and the models of parts that have folders of their own."""

from companies.models.company import Company, CompanyQuerySet, EndingPassword, ExtraSelect, Kind
from companies.models.mails import Mail, MailKind, MailState
from companies.models.operators import (
    Authenticator,
    OperatorAccess,
    OperatorProfile,
    OperatorSession,
    OperatorSessionQuerySet,
)

__all__ = [
    "Authenticator", "Company", "CompanyQuerySet", "EndingPassword", "ExtraSelect", "Kind", "Mail", "MailKind",
    "MailState", "OperatorAccess", "OperatorProfile", "OperatorSession", "OperatorSessionQuerySet",
]  # fmt: skip
