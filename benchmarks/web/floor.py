"""The floor of reads: the same database, statements and JSON, with nothing around the view.

A Django project of its own: no middleware, no access line, gunicorn without our configuration.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.web.processor import Service, serving
from tests.live.server import prepared


@contextmanager
def floor(directory: Path, database_url: str) -> Iterator[Service]:
    """Serve `benchmarks.web.bare` from a database that has its tables already."""
    place = directory / "floor"
    place.mkdir()
    server = prepared(place, database_url, is_migrated=True, DJANGO_SETTINGS_MODULE="benchmarks.web.bare_settings")
    with serving(server, configuration="benchmarks/web/bare_gunicorn.py") as service:
        yield service
