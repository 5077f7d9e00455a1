"""docs/webhooks.md: `python -m tools.webhooks_page` puts the example receiver into it again."""

from tools import integration_page

PATH = integration_page.DOCS / "webhooks.md"
RECEIVER = integration_page.EXAMPLES / "webhook_receiver.py"


def parts() -> dict[str, str]:
    """Name -> text of every marked part of the page."""
    return integration_page.parts(PATH.read_text(encoding="utf-8"))


def receiver() -> str:
    """The example receiver as the page shows it."""
    return f"```python\n{RECEIVER.read_text(encoding='utf-8')}```\n"


if __name__ == "__main__":
    page = PATH.read_text(encoding="utf-8")
    PATH.write_text(integration_page.renewed(page, {"receiver": receiver()}), encoding="utf-8")
