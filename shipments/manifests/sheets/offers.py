"""What the words of a heading and the remembered fit of its values offer, to find out what an upgrade would change."""

from collections.abc import Mapping
from typing import Any

from shipments.manifests.sheets.evidence import ASSIGNED, CORE, TABLE, Fit
from shipments.manifests.words.headings import read_grouped_heading
from shipments.manifests.words.levels import level_of


def offers_of(column: Mapping[str, Any]) -> dict[str, str]:
    """Field -> strength, as a word, that this version's words and table of evidence give a column of a layout.

    column: a `SeenColumn` as a mapping. Also `unit` and `currency`, where the heading names them. Equal offers are read
    alike; the matching with other columns is not part of it.
    """
    heading = read_grouped_heading(column["group"], column["heading"])
    offers = {}
    for meaning in heading.meanings:
        name = meaning.field
        if name in ASSIGNED:
            level = level_of(heading, meaning, column["heading"]).level
            strength = TABLE[level][name not in CORE][_fit(column, name)]
            offers[name] = strength.name.lower()
    named = {"unit": heading.unit, "currency": heading.currency}
    return offers | {name: value for name, value in named.items() if value}


def _fit(column: Mapping[str, Any], name: str) -> Fit:
    if not column["shape"]:
        return Fit.EMPTY
    share = column["fits"].get(name, 1)
    return Fit.FIT if share >= 0.8 else Fit.PART if share >= 0.3 else Fit.UNFIT
