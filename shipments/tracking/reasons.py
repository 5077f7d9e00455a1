"""Validation of reasons and notes, which are free text: short enough for the column and valid in every database."""

from django.utils.translation import gettext

from shipments.errors import ValidationFailed

REASON_LENGTH = 255


def text_problem(text: str) -> str:
    """Return what is wrong with a reason or a note; empty if it is valid."""
    if len(text) > REASON_LENGTH:
        return gettext("Enter at most %d characters.") % REASON_LENGTH
    if "\0" in text:
        return gettext("The text contains a NUL character.")
    return ""


def required_reason(text: str) -> str:
    """Return the reason, trimmed. Raises `ValidationFailed` if it is empty or invalid."""
    text = text.strip()
    if problem := text_problem(text) or ("" if text else gettext("Say why.")):
        raise ValidationFailed(problem, details={"reason": [problem]})
    return text
