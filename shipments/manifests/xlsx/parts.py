"""The parts of an .xlsx as XML events, unpacked piece by piece. The child process imports this: it imports little."""

import zlib
from pyexpat import ExpatError, ParserCreate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pyexpat import XMLParserType

    Attributes = dict[str, str]
    Start = Callable[[str, Attributes], None]
    Text = Callable[[str], None]

_PIECE_BYTES = 256 * 1024
_LOCAL_HEADER_BYTES = 30
_STORED, _DEFLATED = 0, 8

TROUBLES = (ExpatError, OSError, LookupError, ValueError, zlib.error)
"""What a part that is missing, damaged or no XML raises."""


class EnoughError(Exception):
    """Raised by a handler that needs no more of a part."""


class Package:
    """The parts of a workbook that `check_package` let through.

    path: beside it is the list of its parts that `workbook_package.place` writes: this process reads no zip directory.
    office: the folder of the workbook's part. sheets: name, state, kind and part, in the workbook's order;
    the part is empty if there is none.
    """

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115, PTH123 - as long as the process; pathlib is slow to import
        self._parts: dict[str, tuple[int, ...]] = {}
        with open(f"{path.rpartition('.')[0]}.parts", encoding="utf-8", newline="\n") as lines:  # noqa: PTH123
            for line in lines:
                *numbers, name = line.rstrip("\n").split(" ", 5)
                self._parts[name] = tuple(map(int, numbers))
        self.office = "xl/"
        self.is_1904 = False
        self.sheets: list[tuple[str, str, str, str]] = []
        self._related: list[Attributes] = []

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def open(self) -> None:
        """Find the workbook's part and its sheets. Raises one of `TROUBLES`."""
        for each in self._relations("_rels/.rels"):
            if each.get("Type", "").endswith("/relationships/officeDocument"):
                self.office = each.get("Target", "").lstrip("/").rpartition("/")[0].lower() + "/"
        self.office = self.office.lstrip("/")
        self._related = self._relations(f"{self.office}_rels/workbook.xml.rels")
        parts = {each.get("Id", ""): each for each in self._related}

        def start(name: str, attributes: "Attributes") -> None:
            if name == "workbookPr":
                self.is_1904 = attributes.get("date1904", "").lower() in {"1", "true", "on"}
            elif name == "sheet":
                key = next((value for key, value in attributes.items() if local(key) == "id"), "")
                related = parts.get(key, {})
                kind = related.get("Type", "").rpartition("/")[2]
                state = attributes.get("state", "").lower()
                self.sheets.append((attributes.get("name", ""), state, kind, self._target(related)))

        self.parse(f"{self.office}workbook.xml", start)

    def part_of(self, kind: str, usual: str) -> str:
        """The name of the part of a kind that the workbook has once; empty if it has none."""
        related = (self._target(each) for each in self._related if each.get("Type", "").endswith(f"/{kind}"))
        return next(filter(None, related), self.office + usual if self.office + usual in self else "")

    def parse(
        self, name: str, start: "Start", end: "Text | None" = None, most_bytes: int = 0, text: "Text | None" = None
    ) -> None:
        """Call these with the local names of a part's elements, and with their text, in order.

        most_bytes: to unpack, 0 for all; more of them are one of `TROUBLES`, which this raises.
        """
        parser = new_parser(start, end)
        parser.CharacterDataHandler = text
        feed(parser, self.pieces(name), most_bytes)

    def styles(self, most_bytes: int = 0) -> "tuple[dict[str, str], list[str]]":
        """The number formats by their ids, and of each style of cells the id. most_bytes, raises: as in `parse`."""
        formats: dict[str, str] = {}
        cells: list[str] = []
        inside = ""

        def start(name: str, attributes: "Attributes") -> None:
            nonlocal inside
            if name in {"numFmts", "cellXfs"}:
                inside = name
            elif (inside, name) == ("numFmts", "numFmt"):
                formats[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
            elif (inside, name) == ("cellXfs", "xf"):
                cells.append(attributes.get("numFmtId", ""))

        def end(name: str) -> None:
            nonlocal inside
            inside = "" if name == inside else inside

        if part := self.part_of("styles", "styles.xml"):
            self.parse(part, start, end, most_bytes)
        return formats, cells

    def pieces(self, name: str) -> "Iterator[bytes]":
        """A part, unpacked, in pieces. Raises one of `TROUBLES`, at its end if it is not what the directory says."""
        offset, method, packed, crc, size = self._parts[name]
        if offset < 0 or method not in {_STORED, _DEFLATED}:
            raise ValueError("not packed in a known way")
        self._file.seek(offset)
        header = self._file.read(_LOCAL_HEADER_BYTES)
        beside = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        position = offset + _LOCAL_HEADER_BYTES + beside
        end = position + packed
        unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        found_crc = found_size = 0
        while position < end:
            self._file.seek(position)
            read = self._file.read(min(_PIECE_BYTES // 4, end - position))
            if not read:
                break
            position += len(read)
            while read:
                piece = read if method == _STORED else unpack.decompress(read, _PIECE_BYTES)
                read = b"" if method == _STORED else unpack.unconsumed_tail
                found_crc, found_size = zlib.crc32(piece, found_crc), found_size + len(piece)
                if found_size > size:
                    break
                yield piece
        if (found_crc, found_size) != (crc, size):
            raise ValueError("not what the directory says")

    def _relations(self, name: str) -> "list[Attributes]":
        found: list[Attributes] = []

        def start(name: str, attributes: "Attributes") -> None:
            if name == "Relationship":
                found.append(attributes)

        self.parse(name, start)
        return found

    def _target(self, related: "Attributes") -> str:
        """The part that a relation leads to; empty if it is not there."""
        target = related.get("Target", "").replace("\\", "/").lower()
        steps: list[str] = []
        for step in (target if target.startswith("/") else self.office + target).split("/"):
            if step == "..":
                del steps[-1:]
            elif step not in {"", "."}:
                steps.append(step)
        name = "/".join(steps)
        return name if target and name in self else ""


def local(name: str) -> str:
    """The name of an element or attribute without its prefix."""
    return name.rpartition(":")[2]


def new_parser(start: "Start", end: "Text | None" = None) -> "XMLParserType":
    """A parser that refuses a DOCTYPE, so that there are no entities to expand."""
    parser = ParserCreate()

    def refuse(*_: object) -> None:
        raise ValueError("a DOCTYPE")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: start(name.rpartition(":")[2], attributes)
    if end is not None:
        parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    return parser


def feed(parser: "XMLParserType", pieces: "Iterable[bytes]", most_bytes: int = 0) -> None:
    """Parse a part. Raises as `Package.parse` does."""
    fed = 0
    for piece in pieces:
        fed += len(piece)
        if most_bytes and fed > most_bytes:
            raise ValueError("too many bytes")
        parser.Parse(piece)
    parser.Parse(b"", True)  # noqa: FBT003 - the last piece
