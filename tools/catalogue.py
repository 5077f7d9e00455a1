"""The Spanish catalogue: which messages it has to hold, and how it is brought up to date.

python -m tools.catalogue

adds what is new, takes out what nobody says any more, compiles, and names what is still to be translated. Babel finds
the messages and polib writes the files, so nobody needs the gettext programs. The catalogue is sorted and has neither
dates nor line numbers: where nothing is new, nothing changes.
"""

import io
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import polib
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_python
from django.test import override_settings
from django.utils.translation.template import templatize
from django.utils.translation.trans_real import DjangoTranslation

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "locale" / "es" / "LC_MESSAGES" / "django.po"
COMPILED = SOURCE.with_suffix(".mo")

ROOMS = ("companies", "prealerts", "shipments", "webhooks")
UNFOLD = "unfold"
"""The admin's look. It ships no translation, so what it says and Django does not is in our catalogue, marked so."""

DJANGO = "django"
REWORDED = (
    "The {name} “{obj}” was added successfully.",
    "The {name} “{obj}” was added successfully. You may add another {name} below.",
    "The {name} “{obj}” was changed successfully.",
    "The {name} “{obj}” was changed successfully. You may add another {name} below.",
    "The {name} “{obj}” was changed successfully. You may edit it again below.",
    "The %(name)s “%(obj)s” was deleted successfully.",
)
"""What Django says of any model, and in Spanish as if all were masculine: our catalogue says it without gender."""

_UNFOLD_PARTS = ("unfold", "unfold.contrib.filters")
_NOT_OF_A_PART = {"contrib", "unfold_crispy"}
_KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}


class Message(NamedTuple):
    """What the source says; `plural` and `context` are empty where there is none."""

    singular: str
    plural: str
    context: str


def message_of(entry: polib.POEntry) -> Message:
    """The message that an entry translates."""
    return Message(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


@cache
def messages() -> dict[Message, str]:
    """Every message the catalogue has to hold, with the library it comes from; empty for our own."""
    django = without_us()
    library = {message for part in _UNFOLD_PARTS for message in _said_in(_directory(part))}
    return {
        **{message: UNFOLD for message in library if said_by(django, message) is None},
        **{Message(text, "", ""): DJANGO for text in REWORDED},
        **{message: "" for room in ROOMS for message in _said_in(ROOT / room)},
    }


def said_by(translation: DjangoTranslation, message: Message) -> str | None:
    """What `translation` says for `message` (its singular), or None."""
    key = f"{message.context}\x04{message.singular}" if message.context else message.singular
    catalog: Any = translation._catalog  # type: ignore[attr-defined]  # where gettext keeps it, and the only way to ask
    found = catalog.get((key, translation.plural(1)) if message.plural else key)
    return None if found is None else str(found)


def without_us() -> DjangoTranslation:
    """What Django and the installed libraries say in Spanish by themselves."""
    with override_settings(LOCALE_PATHS=[]):
        return DjangoTranslation("es")


def update(catalogue: polib.POFile) -> None:
    """Make the entries those of the sources, in the order of the alphabet; translations that are there stay."""
    there = {message_of(entry): entry for entry in catalogue if not entry.obsolete}
    wanted = messages()
    catalogue[:] = [there.get(message) or _untranslated(message) for message in sorted(wanted)]
    for entry in catalogue:
        entry.comment = wanted[message_of(entry)]


def _untranslated(message: Message) -> polib.POEntry:
    entry = polib.POEntry(msgid=message.singular, msgctxt=message.context or None)
    if message.plural:
        entry.msgid_plural, entry.msgstr_plural = message.plural, {0: "", 1: ""}
    if "%" in message.singular + message.plural:
        entry.flags.append("python-format")
    return entry


def _directory(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _said_in(directory: Path) -> Iterator[Message]:
    methods: Any = [("**.py", "python"), ("**.html", _extract_template)]  # Babel takes functions; its hints forgot
    for _file, _line, found, _comments, context in extract_from_dir(
        directory,
        method_map=methods,
        keywords=_KEYWORDS,
        directory_filter=lambda path: Path(path).name not in _NOT_OF_A_PART,
    ):
        singular, plural = found if isinstance(found, tuple) else (found, "")
        yield Message(singular, plural, context or "")


def _extract_template(fileobj: Any, keywords: Any, comment_tags: Any, options: Any) -> Iterator[Any]:
    """A Django template's messages: Django turns it into something that reads like Python, Babel reads that."""
    source = templatize(fileobj.read().decode())
    # The indentation of HTML is none that Python's tokenizer would take.
    flat = "\n".join(line.strip() for line in source.splitlines())
    return extract_python(io.BytesIO(flat.encode()), keywords, comment_tags, options)


def main() -> None:
    """Bring both files up to date and say what is left to do."""
    catalogue = polib.pofile(str(SOURCE))
    update(catalogue)
    catalogue.save(newline="\n")
    catalogue.save_as_mofile(str(COMPILED))
    left = catalogue.untranslated_entries() + catalogue.fuzzy_entries()
    sys.stdout.write(f"{len(catalogue)} messages, {len(left)} to be translated in {SOURCE.relative_to(ROOT)}\n")
    sys.stdout.writelines(f"  {entry.msgid}\n" for entry in left)


if __name__ == "__main__":
    import django

    import tests.environment  # noqa: F401  # invented secrets, before Django reads its settings

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()
    main()
