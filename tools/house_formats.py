"""Write the kept tests of the house's formats: each template as it is, and how its format reads it.

`python -m tools.house_formats` after a change of `house_layouts.py`; a test compares.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from shipments.manifests.mapped import house
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.house.manifest_template import template
from shipments.manifests.mapped.kept_grid import outcome
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.sample_grid import grid_of
from shipments.manifests.mapped.spec import FormatInUse, dump, load
from shipments.manifests.xlsx import opening

HOUSE = Path(house.__file__).parent


def with_tests(country: str) -> bytes:
    """The file of a country's house format, with its template as kept test. Its examples are nobody's data."""
    spec, _ = load((HOUSE / f"{country}.json").read_bytes())
    with TemporaryDirectory() as folder:
        path = Path(folder, "template.xlsx")
        path.write_bytes(template(country))
        with opening.reading(path) as book:
            grid = grid_of(recognise(book, [FormatInUse(0, spec.name, 0, spec)]).full[0][0], book)
    return dump(spec, [{"name": "template", "grid": grid, "expected": outcome(spec, grid)}])


def main() -> None:
    """Write the files."""
    for country in LAYOUTS:
        (HOUSE / f"{country}.json").write_bytes(with_tests(country))


if __name__ == "__main__":
    main()
