"""Both OpenAPI documents."""

import json
from pathlib import Path

from django.contrib.auth.models import User
from django.test import Client


def record(directory: Path) -> None:
    operator = Client()
    operator.force_login(User.objects.create_superuser("reader"))
    for name in ("openapi", "operators"):
        text = json.dumps(json.loads(operator.get(f"/docs/{name}.json").content), ensure_ascii=False, indent=1)
        (directory / f"{name}.json").write_text(text + "\n", encoding="utf-8")
