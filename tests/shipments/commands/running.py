"""Running a command: what it says, how it ends, what it leaves."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from shipments.models import Guide, GuideEvent, Manifest


def codes(manifest: Manifest) -> list[str]:
    return list(manifest.guides.order_by("id").values_list("tracking_code", flat=True))


def run(*arguments: str, **options: Any) -> str:
    """What a command says on standard output; runs of blanks as one."""
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return re.sub(r" +", " ", output.getvalue())


def refused(*arguments: str, **options: Any) -> tuple[str, str]:
    """What a command that ends with exit code 1 says, and how it ends."""
    output = StringIO()
    with pytest.raises(CommandError) as ended:
        call_command(*arguments, stdout=output, **options)
    assert ended.value.returncode == 1
    return re.sub(r" +", " ", output.getvalue()), str(ended.value)


def everything() -> Any:
    """All that a dry run must leave as it is."""
    return (
        list(Manifest.objects.order_by("pk").values()),
        list(Guide.objects.order_by("pk").values()),
        list(GuideEvent.objects.order_by("pk").values()),
    )
