"""Update the Spanish catalogue with the messages of the source code.

python -m tools.catalogue

adds new messages, removes obsolete ones, compiles, and lists what is untranslated. Babel extracts
the messages and polib writes the files, so the gettext programs are not needed. The catalogue is sorted and has neither
dates nor line numbers: without new messages, nothing changes.
"""

import ast
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

import shipments.errors  # noqa: F401  # its kinds of `DomainError`
import webhooks.errors  # noqa: F401  # as above
from base.errors import DomainError

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "locale" / "es" / "LC_MESSAGES" / "django.po"
COMPILED = SOURCE.with_suffix(".mo")

APPS = ("base", "companies", "prealerts", "shipments", "webhooks")
UNFOLD = "unfold"
"""The admin theme. It has no translations, so its messages that Django lacks are in our catalogue, marked."""

DJANGO = "django"
REWORDED = (
    "The {name} “{obj}” was added successfully.",
    "The {name} “{obj}” was added successfully. You may add another {name} below.",
    "The {name} “{obj}” was changed successfully.",
    "The {name} “{obj}” was changed successfully. You may add another {name} below.",
    "The {name} “{obj}” was changed successfully. You may edit it again below.",
    "The %(name)s “%(obj)s” was deleted successfully.",
    "History",
    "Change history: %s",
    "staff status",
    "No password set.",
    "Invalid password format or unknown hashing algorithm.",
    "Please enter a correct %(username)s and password. Note that both fields may be case-sensitive.",
    (
        "Please enter the correct %(username)s and password for a staff account. "
        "Note that both fields may be case-sensitive."
    ),
    "Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
    "Your password can’t be a commonly used password.",
)
"""Django's messages that our catalogue words in another way: those for any model, whose Spanish is masculine and ours
without gender, and words that are not used in Latin America or are misspelled.
"""

_IN_F_STRINGS = ("Welcome",)
"""Unfold's messages within f-strings, which Babel finds on Python 3.12 and later only."""

_UNFOLD_PARTS = ("unfold", "unfold.contrib.filters")
_NOT_OF_A_PART = {"contrib", "unfold_crispy"}
_KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
    "Translatable": None,
}


class Message(NamedTuple):
    """A message in the source; `plural` and `context` may be empty."""

    singular: str
    plural: str
    context: str


def message_of(entry: polib.POEntry) -> Message:
    """The message of a catalogue entry."""
    return Message(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


@cache
def messages() -> dict[Message, str]:
    """All messages the catalogue must contain, with the library they come from; empty for our own."""
    errors = set(answered_errors())
    django = without_us()
    library = {message for part in _UNFOLD_PARTS for message in _said_in(_directory(part))}
    library |= {Message(text, "", "") for text in _IN_F_STRINGS}
    return {
        **{message: UNFOLD for message in library if said_by(django, message) is None},
        **{Message(text, "", ""): DJANGO for text in REWORDED},
        **{message: "" for app in APPS for message in _said_in(ROOT / app)},
        **{Message(kind.default_message, "", ""): "" for kind in errors},
        **{message: "" for app in APPS for message in _refusals_in(ROOT / app, {kind.__name__ for kind in errors})},
    }


def answered_errors(kind: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    """Return the errors that have a code of the API."""
    for derived in kind.__subclasses__():
        if hasattr(derived, "code"):
            yield derived
        yield from answered_errors(derived)


def said_by(translation: DjangoTranslation, message: Message) -> str | None:
    """The translation of `message` (its singular), or None."""
    key = f"{message.context}\x04{message.singular}" if message.context else message.singular
    catalog: Any = translation._catalog  # type: ignore[attr-defined]  # where gettext keeps it, and the only way to ask
    found = catalog.get((key, translation.plural(1)) if message.plural else key)
    return None if found is None else str(found)


def without_us() -> DjangoTranslation:
    """The Spanish catalogues of Django and the installed libraries."""
    with override_settings(LOCALE_PATHS=[]):
        return DjangoTranslation("es")


def update(catalogue: polib.POFile) -> None:
    """Make the entries match the sources, sorted; existing translations are kept."""
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


def _refusals_in(directory: Path, errors: set[str]) -> Iterator[Message]:
    """The messages that are written out where one of `errors` is raised; its answer translates them."""
    for path in directory.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(text)), *_]) if name in errors:
                    yield Message(text, "", "")


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
    """A Django template's messages: Django turns it into Python-like code, which Babel reads."""
    source = templatize(fileobj.read().decode())
    # Python's tokenizer rejects the indentation of HTML.
    flat = "\n".join(line.strip() for line in source.splitlines())
    return extract_python(io.BytesIO(flat.encode()), keywords, comment_tags, options)


def main() -> None:
    """Update both files and list what is untranslated."""
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
