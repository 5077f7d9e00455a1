"""What a sheet's XML says besides its values: number formats, hidden rows, formulas that were never calculated.

The child process imports this. To parse every element of a sheet takes longer than all that calamine does: a sheet as
Excel and its like write it is first searched for what would need that.
"""

from shipments.manifests.xlsx.number_formats import names_things, words_in
from shipments.manifests.xlsx.parts import TROUBLES, EnoughError, Package, feed, new_parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pyexpat import XMLParserType

    from shipments.manifests.xlsx.parts import Attributes

    Find = Callable[[bytes], list[tuple[bytes, bytes, bytes]]]

MOST_BYTES = 64 * 1024**2
"""Unpacked of the styles and of each sheet. A sheet of 60,000 guides with 20 columns has about as many."""
MOST_MARKS = 20_000
"""Rows and cells named of a workbook. They are held in memory, and reach the reading process as one line."""
MAX_COLUMNS = 256  # as in the module `cells`

_LONGEST_REST = 4 * 1024**2
_FEWEST_SHARE = 20
"""A format that fewer than one in so many numbers of a column have is a slip."""
_NUMBERS = {"", "n"}
_UNCALCULATED = (b"</f></c>", b"</f><v></v>", b"</f><v/>", b"</f><v />", b"/></c>")


class Marks:
    """What one sheet shows. Columns are from 0, rows as the spreadsheet numbers them.

    words: column -> the words that the formats of its numbers show. runs: column -> from which row on its whole numbers
    are shown by which format, empty for plain. hidden: rows. uncalculated: (row, column). is_whole: whether the sheet
    and its formats were seen to their end.
    """

    def __init__(self, *, is_whole: bool = True) -> None:
        self.words: dict[int, str] = {}
        self.runs: dict[int, list[tuple[int, str]]] = {}
        self.hidden: list[int] = []
        self.uncalculated: list[tuple[int, int]] = []
        self.is_whole = is_whole


class Scanner:
    """Reads the marks of a workbook's sheets. package: opened."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._parts = {name: part for name, _, _, part in package.sheets}
        self._left = MOST_MARKS
        self._formats: dict[str, str] = {}
        self._are_formats_whole = True
        try:
            self._formats = _formats(package)
        except TROUBLES:
            self._are_formats_whole = False
        self._words = {style: words_in(code) for style, code in self._formats.items()}

    def marks(self, sheet: str) -> Marks:
        """The marks of a visible sheet."""
        found, used = Marks(is_whole=self._are_formats_whole), dict[int, dict[str, int]]()
        try:
            part = self._parts[sheet]
            if not self._is_plain(part, found, used):
                used.clear()
                found.hidden.clear()
                self._parse(part, found, used)
        except (*TROUBLES, EnoughError):
            found.is_whole = False
        for column, counts in used.items():
            total = sum(counts.values())
            common = [self._words.get(style, "") for style, count in counts.items() if count * _FEWEST_SHARE >= total]
            plain = sum(count for style, count in counts.items() if not self._words.get(style))
            if plain * 2 < total and (words := " ".join(dict.fromkeys(filter(None, common)))):
                found.words[column] = words
            codes = {self._formats.get(style, "") for style in counts}
            if len(codes) == 1 and names_things(code := codes.pop()):
                found.runs.setdefault(column, [(1, code)])
        return found

    def _is_plain(self, part: str, found: Marks, used: dict[int, dict[str, int]]) -> bool:
        """Whether a sheet as Excel writes it needs no parser; `used` then has the styles of its numbers."""
        find: Find | None = None
        if self._formats:
            if any("@" in code for code in self._formats.values()):
                return False
            import re  # noqa: PLC0415 - takes longer than all else

            find = re.compile(
                rb'<c r="([A-Z]{1,3})[0-9]+"(?: s="([0-9]+)")?(?: t="([a-zA-Z]+)")?>'
                rb"(?:<f[^<>]*>[^<]*</f>|<f[^<>]*/>)?<v>"
            ).findall

        def is_plain(block: bytes) -> bool:
            hidden = _find_hidden(block)
            if hidden is None or not _needs_no_parser(block) or not _count_styles(find, block, used):
                return False
            found.hidden += hidden
            return True

        rest, is_inside, unpacked = b"", False, 0
        for piece in self._package.pieces(part):
            unpacked += len(piece)
            if unpacked > MOST_BYTES:
                raise EnoughError
            block = rest + piece
            start = 0 if is_inside else block.find(b"<sheetData")
            is_inside = start >= 0
            end = max(block.rfind(b"<row"), start) if is_inside else 0
            rest = block[end:]
            if len(rest) > _LONGEST_REST or (is_inside and not is_plain(block[start:end])):
                return False
        if not (is_inside and is_plain(rest) and self._agree(used)):
            return False
        self._left -= len(found.hidden)
        if self._left < 0:
            raise EnoughError
        return True

    def _agree(self, used: dict[int, dict[str, int]]) -> bool:
        """Whether the numbers of each column are all shown as identifiers in one way, or none of them."""
        for counts in used.values():
            codes = {self._formats.get(style, "") for style in counts}
            if len(codes) > 1 and any(map(names_things, codes)):
                return False
        return True

    def _parse(self, part: str, found: Marks, used: dict[int, dict[str, int]]) -> None:
        handlers = _Handlers(self._formats, found, used, self._left)
        handlers.parser = new_parser(handlers.start, handlers.end)
        try:
            feed(handlers.parser, self._package.pieces(part), MOST_BYTES)
        finally:
            self._left = handlers.left


class _Handlers:
    """Takes the elements of one sheet. formats: of styles. used, left: as in `Scanner`."""

    def __init__(self, formats: dict[str, str], found: Marks, used: dict[int, dict[str, int]], left: int) -> None:
        self.parser: XMLParserType | None = None
        self.left = left
        self._formats = formats
        self._identifiers = {code for code in formats.values() if names_things(code)}
        self._found = found
        self._used = used
        self._row = self._column = 0
        self._style = self._kind = ""
        self._is_formula = self._has_value = False

    def start(self, name: str, attributes: "Attributes") -> None:
        if name == "c":
            place = attributes.get("r", "")
            self._column = column_of(place) if place else self._column + 1
            self._style, self._kind = attributes.get("s", "0"), attributes.get("t", "")
            self._is_formula = self._has_value = False
        elif name == "v":
            if 0 <= self._column < MAX_COLUMNS:
                self._count()
            if self._is_formula and self.parser:
                self.parser.CharacterDataHandler = self._see_value
        elif name == "row":
            number = attributes.get("r", "")
            self._row = int(number) if number.isdecimal() else self._row + 1
            self._column = -1
            if attributes.get("hidden") in {"1", "true"}:
                self._spend()
                self._found.hidden.append(self._row)
        elif name == "f":
            self._is_formula = True

    def end(self, name: str) -> None:
        if name == "v" and self._is_formula:
            self._is_formula = not self._has_value and self._kind != "str"  # an empty text is a value
        elif name == "c" and self._is_formula and 0 <= self._column < MAX_COLUMNS:
            self._spend()
            self._found.uncalculated.append((self._row, self._column))

    def _see_value(self, _: str) -> None:
        self._has_value = True
        if self.parser:
            self.parser.CharacterDataHandler = None

    def _count(self) -> None:
        """Count the style of a value, and note from which row on whole numbers are shown otherwise than before."""
        code = self._formats.get(self._style, "")
        if self._kind not in _NUMBERS and "@" not in code:
            return
        counts = self._used.setdefault(self._column, {})
        counts[self._style] = counts.get(self._style, 0) + 1
        code = code if code in self._identifiers else ""
        if self._kind in _NUMBERS and (code or self._column in self._found.runs):
            runs = self._found.runs.setdefault(self._column, [(1, "")])
            if runs[-1][1] != code:
                self._spend()
                runs.append((self._row, code))

    def _spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise EnoughError


def _needs_no_parser(block: bytes) -> bool:
    """Whether a piece of a sheet's rows is written in the usual way, without uncalculated formulas."""
    if b"<!" in block or b":c>" in block or b":row" in block:
        return False
    return b"<f" not in block or not any(each in block for each in _UNCALCULATED)


def _find_hidden(block: bytes) -> list[int] | None:
    """The hidden rows of a piece; None if their tags are not written in the usual way."""
    if b"hidden" not in block:
        return []
    import re  # noqa: PLC0415 - as above

    hidden = []
    for attributes in re.findall(rb"<row([^<>]*)>", block):
        if b"hidden" not in attributes:
            continue
        row, value = re.search(rb' r="([0-9]+)"', attributes), re.search(rb' hidden="([a-z01]+)"', attributes)
        if not row or not value:
            return None
        if value[1] in {b"1", b"true"}:
            hidden.append(int(row[1]))
    return hidden


def _count_styles(find: "Find | None", block: bytes, used: dict[int, dict[str, int]]) -> bool:
    """Count the styles of the numbers in a piece. Returns whether every value in it was understood."""
    if find is None:
        return True
    cells = find(block)
    if len(cells) != block.count(b"<v"):
        return False
    counts: dict[tuple[bytes, bytes, bytes], int] = {}
    for each in cells:
        counts[each] = counts.get(each, 0) + 1
    for (letters, style, kind), count in counts.items():
        column = column_of(letters.decode())
        if kind.decode() in _NUMBERS and column < MAX_COLUMNS:
            of_column = used.setdefault(column, {})
            key = style.decode() or "0"
            of_column[key] = of_column.get(key, 0) + count
    return True


def column_of(place: str) -> int:
    """The column of a cell's place (`AB12`), from 0; -1 if it names none."""
    column = 0
    for letter in place:
        if not ("A" <= letter.upper() <= "Z"):
            break
        column = column * 26 + ord(letter.upper()) - 64
    return column - 1


def _formats(package: Package) -> dict[str, str]:
    """The index of a cell's style -> its format, for formats with words or for identifiers."""
    formats, cells = package.styles(MOST_BYTES)
    telling = {key: code for key, code in formats.items() if words_in(code) or names_things(code)}
    return {str(index): telling[key] for index, key in enumerate(cells) if key in telling}
