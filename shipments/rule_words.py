"""What the readers of manifests and the countries' rules say, in the language of whoever reads it at the desk.

They speak English: their sentences are the API's, are kept with the manifest, and must not change with the language of
the moment. Here each stands once more for the catalogue. A sentence that is not listed is shown as it was said.
"""

import re
from collections.abc import Iterator
from functools import cache

from django.utils.translation import gettext, gettext_noop

_SENTENCES = (
    # Documents.
    gettext_noop("The consignee's document is missing."),
    gettext_noop("This is no type of document here; send one of: %(names)s."),
    gettext_noop("The type cannot be told from the document; send one of: %(names)s."),
    gettext_noop("The RUT is missing."),
    gettext_noop("The RUT has characters other than digits and a check digit of 0 to 9 or K."),
    gettext_noop("The RUT has the wrong length: write 7 or 8 digits and the check digit."),
    gettext_noop("The check digit of the %(name)s does not match its number."),
    gettext_noop("A %(name)s has 11 digits and begins with %(numbers)s or %(last)s."),
    gettext_noop("A %(name)s has %(least)s to %(most)s letters or digits."),
    gettext_noop("A %(name)s has %(least)s to %(most)s digits."),
    gettext_noop("A %(name)s has %(length)s digits."),
    # What became of the guide.
    gettext_noop("The guide was created and is marked for review."),
    gettext_noop("The guide was created without it."),
    # Amounts.
    gettext_noop("The weight is no number that can be read, or is negative or too large."),
    gettext_noop("The value is no amount that can be read, or is negative or too large."),
    gettext_noop("The value is not in US dollars."),
    gettext_noop("The value's one separator stands before three digits; it was read as thousands."),
    gettext_noop("The product value is no amount that can be read."),
    gettext_noop("The product value is not in US dollars."),
    gettext_noop("The product value's one separator stands before three digits; it was read as thousands."),
    gettext_noop("Type it as a number, or with two decimals."),
    gettext_noop("The number of packages is no whole number from 1 to 1,000,000; 1 was taken."),
    gettext_noop("The number of packages has a separator before three digits; check what was read."),
    gettext_noop("The rows of this guide add up to more than can be; it was left out."),
    # Texts.
    gettext_noop("An HS code has 6 to 12 digits; this one was kept as sent."),
    gettext_noop("The text is longer than %(longest)s characters; the rest was cut off."),
    gettext_noop("The products' texts exceed %(longest)s characters together; the guide shows the first of them."),
    # Rows.
    gettext_noop("The row has no HAWB, so no guide was created for it."),
    gettext_noop("The row is marked as an example and was not read."),
    gettext_noop("Row %(row)s has the same HAWB for another consignee; that guide stays and this row was left out."),
    gettext_noop("Give each consignee a HAWB of their own."),
    gettext_noop("Rows %(rows)s have the same HAWB and consignee; they became one guide with %(count)s products."),
    gettext_noop("%(count)s HAWBs are numbers of more than %(digits)s digits; spreadsheets round those."),
    gettext_noop("Check them, and format the column as text before typing them."),
    # The workbook and its flight.
    gettext_noop(
        "The last digit of %(mawb)s is not the check digit of its serial number; if it was typed wrong, the flight "
        "will not be found under it."
    ),
    gettext_noop("The sheet %(sheet)s has guides too; they were not read."),
    gettext_noop(
        "Guides come from the first visible sheet that has any, %(sheet)s: send the others as a manifest of their own."
    ),
    gettext_noop("The workbook names more than one; %(taken)s was taken."),
    gettext_noop("The workbook's arrival does not go with the departure; it was left out."),
    gettext_noop("The workbook's departure does not go with the arrival; it was left out."),
    # Countries.
    gettext_noop("FOB above US$ 2,000: customs retains the shipment until its import declaration is cleared."),
    gettext_noop("FOB above US$ 3,000: the shipment is outside the simplified courier regime."),
    gettext_noop("More than 50 kg per package: the shipment is outside the simplified courier regime."),
    gettext_noop("Released by customs."),
)
_NAME = re.compile(r"%\\\((\w+)\\\)s")  # as re.escape leaves it


def in_words(text: str) -> str:
    """`text` in the active language: sentence by sentence where all of them are known, else as it is."""
    said: list[str] = []
    while text:
        found = next(_beginnings(text), None)
        if found is None:
            return " ".join([*said, text])
        translated, text = found
        said.append(translated)
    return " ".join(said)


def _beginnings(text: str) -> Iterator[tuple[str, str]]:
    """The known sentences that `text` begins with, each translated and with the rest after it."""
    for sentence, pattern in _patterns():
        if match := pattern.match(text):
            values = match.groupdict()
            translated = gettext(sentence)
            yield (translated % values if values else translated), text[match.end() :]


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((sentence, re.compile(_pattern(sentence) + r"(?: |$)")) for sentence in _SENTENCES)


def _pattern(sentence: str) -> str:
    """The sentence as a regular expression, with a named group for each `%(name)s` in it."""
    return _NAME.sub(lambda name: f"(?P<{name[1]}>.+?)", re.escape(sentence))
