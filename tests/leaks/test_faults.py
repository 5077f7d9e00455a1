"""Personal data and secrets while something fails below the API or the admin and quotes its input."""

import errno
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DataError, OperationalError, connection
from django.test import Client

from shipments.models import Guide, Manifest
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.leaks.marked import (
    NAME,
    PERSON,
    ROW,
    RUT,
    WRONG_KEY,
    one_guide,
)
from tests.prealerts.watch.listening import Listener, listening
from tests.shipments.admin.pages import GUIDES, of_guide, of_manifest
from tests.shipments.manifests import payloads

pytestmark = pytest.mark.django_db(transaction=True)


def _data_error(*_arguments: object, **_options: object) -> None:
    """The database refuses a row and, on PostgreSQL, quotes it."""
    row: dict[str, Any] = {"manifest_id": None, "consignee_name": NAME, "consignee_document": RUT}
    Guide.objects.create(**row)


def _too_long(*_arguments: object, **_options: object) -> None:
    raise DataError(f"value too long\nDETAIL:  Failing row contains (1, {NAME}, {RUT}).")


def _away(*_arguments: object, **_options: object) -> None:
    raise OperationalError(f"connection lost while asking for {NAME}")


def _full(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.ENOSPC, "No space left", f"/media/{NAME}.pdf")


def _wrong(*_arguments: object, **_options: object) -> None:
    name, document = NAME, RUT
    raise ValueError(f"{name} {WRONG_KEY}") from KeyError(f"{name} {document}")


BROKEN = [_data_error, _too_long, _away, _full, _wrong]


@pytest.mark.parametrize("fault", BROKEN, ids=lambda fault: fault.__name__)
class TestFaults:
    def test_of_the_api(
        self, ears: Listener, acme: Caller, monkeypatch: pytest.MonkeyPatch, fault: Callable[..., None]
    ) -> None:
        guide = one_guide(acme)
        places: list[tuple[str, Callable[[], Any]]] = [
            ("shipments.v1.reading.timeline", lambda: acme.get(f"/guides/{guide.tracking_code}?q={NAME}")),
            ("shipments.v1.views.mawb_list", lambda: acme.get("/mawbs")),
            ("shipments.intake.ingest.write_guides", lambda: acme.upload(workbook_bytes([guide_row(1, **ROW)]))),
            ("shipments.files.stored_files.store", lambda: acme.upload(workbook_bytes([guide_row(1, **ROW)]))),
            (
                "shipments.intake.ingest.write_guides",
                lambda: acme.post_json(payloads.body(payloads.guide(**PERSON), mawb="123-00000000")),
            ),
            ("rest_framework.renderers.JSONRenderer.render", lambda: acme.get("/mawbs")),
            ("prealerts.middleware.ProbesMiddleware.__call__", lambda: acme.get(f"/guides/{NAME}")),
        ]
        for place, call in places:
            with monkeypatch.context() as broken:
                broken.setattr(place, fault)
                assert ears.keep(call()).status_code in {500, 503}, place
        assert Manifest.objects.count() == 1

    def test_in_the_admin(
        self,
        ears: Listener,
        acme: Caller,
        admin_user: Any,
        monkeypatch: pytest.MonkeyPatch,
        fault: Callable[..., None],
    ) -> None:
        guide = one_guide(acme)
        browser = Client(raise_request_exception=False)
        browser.force_login(admin_user)
        for place, path in (
            ("shipments.admin.guides.search_guides", f"{GUIDES}?q={NAME}"),
            ("shipments.admin.guides.timeline_of", of_guide(guide)),
            ("shipments.admin.manifests.parts", of_manifest(guide.manifest)),
        ):
            with monkeypatch.context() as broken:
                broken.setattr(place, fault)
                assert ears.keep(browser.get(path)).status_code in {400, 500}, place  # 400: a rejected value


def test_the_listening_itself_hears_what_it_should(settings: Any, acme: Caller) -> None:
    """Were a name logged, it would be found; on PostgreSQL the database does quote rows."""
    with listening(settings) as listener:
        import structlog  # noqa: PLC0415  # only this test writes a line of its own

        structlog.get_logger("anywhere").info("said", who=NAME)
        with pytest.raises(Exception) as refused:  # noqa: PT011  # each database has its own
            _data_error()
        acme.get("/mawbs")
        heard = listener.heard()
    assert NAME in heard["log (json)"]
    assert NAME in heard["log (console)"]
    assert (NAME in str(refused.value)) == (connection.vendor == "postgresql")
