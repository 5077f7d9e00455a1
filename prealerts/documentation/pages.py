"""Which pages and sample files are served. Nothing else of the project is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from prealerts.documentation.header_words import header_words

ROOT: Path = settings.BASE_DIR


@dataclass(frozen=True, slots=True)
class Page:
    """A page below `/docs/`.

    slug: its address there. source: the Markdown file that it shows, or the file that `made` makes Markdown from.
    title: in the navigation.
    """

    slug: str
    source: str
    title: str
    made: Callable[[], str] | None = None

    @property
    def path(self) -> Path:
        return ROOT / self.source

    def text(self) -> str:
        return self.made() if self.made else self.path.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Sample:
    """A file to download. description: one sentence. media_type: as it is sent."""

    name: str
    description: str
    media_type: str

    @property
    def path(self) -> Path:
        return ROOT / "docs" / "examples" / self.name


PAGES: Mapping[str, Page] = {
    page.slug: page
    for page in (
        Page("quickstart", "docs/quickstart.md", "Quick start"),
        Page("workbooks", "docs/workbooks.md", "Workbooks"),
        Page("json", "docs/json.md", "JSON"),
        Page("guides", "docs/guides.md", "Corrections"),
        Page("webhooks", "docs/webhooks.md", "Webhooks"),
        Page("reference", "docs/reference.md", "Rules and codes"),
        Page("sandbox", "docs/sandbox.md", "Sandbox"),
        Page("operators-api", "docs/operators-api.md", "Operators' API"),
        Page("header-words", "shipments/manifests/words/words.toml", "Header words", header_words),
        Page("changelog", "docs/changelog.md", "Changelog"),
    )
}
"""By slug, in the order of the navigation."""

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_JSON = "application/json"
_PYTHON = "text/x-python; charset=utf-8"

SAMPLES: Mapping[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample("manifest-CL.xlsx", "A Chilean workbook that is accepted without a remark.", _XLSX),
        Sample("manifest-CL-mistakes.xlsx", "A workbook with most of the mistakes that manifests have.", _XLSX),
        Sample("pre-alert-CL.json", "A JSON manifest to Chile; its second guide has products.", _JSON),
        Sample("pre-alert-PE.json", "A JSON manifest to Peru, with the categories 1, 2 and 3.", _JSON),
        Sample("pre-alert-AR.json", "A JSON manifest to Argentina.", _JSON),
        Sample("client.py", "A program that sends a manifest and follows its guides, on the Python client.", _PYTHON),
        Sample("operators.py", "A token and calls of the operators' API, for the two programs below.", _PYTHON),
        Sample("scanner_day.py", "A scanner's day: a batch opened, scanned, closed; its differences.", _PYTHON),
        Sample("customs_broker.py", "A file of customs releases, tried as a whole and then reported.", _PYTHON),
        Sample("webhook_receiver.py", "A receiver of webhooks, for both versions; needs nothing but Python.", _PYTHON),
    )
}
"""By name: all files of `docs/examples`, and no others."""
