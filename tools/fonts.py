"""Write the admin's fonts without what it does not use: `python -m tools.fonts`, after a new icon or a new unfold.

unfold's have 450 KB of letters of every script and 290 KB of four thousand icons. Those that are written below
`prealerts/static/unfold` take their place, because Django finds the files of `prealerts` first. Needs
`pip install fonttools brotli`, which nothing else does.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import unfold

PROJECT = Path(__file__).resolve().parent.parent
UNFOLD = Path(unfold.__file__).parent
THEIRS = UNFOLD / "static" / "unfold" / "fonts"
OURS = PROJECT / "prealerts" / "static" / "unfold" / "fonts"
SYMBOLS = "material-symbols/Material-Symbols-Outlined.woff2"
ICONS = OURS / "material-symbols" / "icons.txt"
"""The names of the icons in the font, one a line."""

LETTERS = [
    *range(0x20, 0x7F), *range(0xA0, 0x100), 0x152, 0x153, 0x160, 0x161, 0x17D, 0x17E, *range(0x2010, 0x2027), 0x202F,
    0x2039, 0x203A, 0x20AC, *range(0x2190, 0x2194), 0x2212, 0x2260, 0x2264, 0x2265, 0x2318,
]  # fmt: skip
"""Those of Spanish, English and their neighbours. A browser takes others from its own fonts."""

_NAMED = re.compile(
    r"""material-symbols-outlined[^>]*>\s*([a-z_0-9]+)\s*<|\bicon="([a-z_0-9]+)"|Entry\(\s*"([a-z_0-9]+)"
    |_(?:list|link)\(.*?\),\s"([a-z_0-9]+)"|content-\['([a-z_0-9]+)'\]""",
    re.VERBOSE,
)
_COMPUTED = {
    "arrow_downward", "arrow_upward", "check_circle", "check_small", "close_small", "dark_mode", "desktop_windows",
    "error", "flight_land", "info", "light_mode", "unfold_more", "warning", "web_asset",
}  # fmt: skip
"""Icons whose names are in no such place."""


def icons_in_use() -> set[str]:
    """Return the names of the icons in our pages and in unfold's."""
    texts = (file.read_text(encoding="utf-8") for file in _sources())
    return _COMPUTED | {name for text in texts for names in _NAMED.findall(text) for name in names if name}


def _sources() -> Iterator[Path]:
    for folder in (UNFOLD, *(PROJECT / app for app in ("base", "companies", "prealerts", "shipments", "webhooks"))):
        for file in folder.rglob("*"):
            if file.suffix in {".css", ".html", ".js", ".py"}:
                yield file


def _write(name: str, features: list[str], unicodes: list[int], glyphs: list[str]) -> None:
    from fontTools import subset  # type: ignore[import-not-found]  # noqa: PLC0415  # only this tool needs it

    options = subset.Options(flavor="woff2", layout_features=features, layout_closure=False)
    font = subset.load_font(str(THEIRS / name), options)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=unicodes, glyphs=glyphs)
    cut.subset(font)
    (OURS / name).parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(OURS / name), options)


def _ligatures() -> dict[str, str]:
    """Return the glyph of each icon's name in the font of icons."""
    from fontTools.ttLib import TTFont  # type: ignore[import-not-found]  # noqa: PLC0415  # as above

    font: Any = TTFont(THEIRS / SYMBOLS)
    letters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    found = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in getattr(getattr(table, "ExtSubTable", table), "ligatures", {}).items():
                for each in ligatures:
                    found["".join(letters.get(glyph, "?") for glyph in (first, *each.Component))] = each.LigGlyph
    return found


def main() -> None:
    for weight in ("Regular", "Medium", "SemiBold"):
        _write(f"inter/Inter-{weight}.woff2", ["kern", "tnum", "ccmp", "mark"], LETTERS, [])
    ligatures = _ligatures()
    names = sorted(icons_in_use() & ligatures.keys())
    letters = sorted({ord(letter) for name in names for letter in name})
    _write(SYMBOLS, ["liga", "rlig", "ccmp"], letters, [ligatures[name] for name in names])
    ICONS.write_text("\n".join(names) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
