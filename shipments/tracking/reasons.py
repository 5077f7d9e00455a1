"""The free text with which people say why: short enough for its column, and something every database takes."""

from django.utils.translation import gettext

from shipments.errors import ValidationFailed

REASON_LENGTH = 255


def reason_problem(text: str) -> str:
    """What is wrong with a reason; empty when it can be kept."""
    if len(text) > REASON_LENGTH:
        return gettext("The reason must have at most %d characters.") % REASON_LENGTH
    if "\0" in text:
        return gettext("The reason holds a NUL character.")
    return ""


def required_reason(text: str) -> str:
    """The reason, trimmed. Raises `ValidationFailed` when there is none, or when it cannot be kept."""
    text = text.strip()
    if problem := reason_problem(text) or ("" if text else gettext("Say why.")):
        raise ValidationFailed(problem, details={"reason": [problem]})
    return text
