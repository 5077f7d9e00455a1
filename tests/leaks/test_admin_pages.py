"""Personal data and secrets while operators use the admin: pages, actions, imported events, wrong passwords."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from base.admin.confirmed_action import RUN, STEP
from shipments.models import Guide
from tests.conftest import Caller
from tests.leaks.marked import NAME, NOTE, OPERATOR_PASSWORD, PERSON, RUT, one_guide
from tests.prealerts.watch.listening import Listener
from tests.shipments.admin.pages import GUIDES, MANIFESTS, moved, of_guide, of_manifest, ticked, told

pytestmark = pytest.mark.django_db(transaction=True)


class TestAdminPages:
    @pytest.fixture
    def browser(self) -> Client:
        User.objects.create_superuser("olga", "olga@example.com", OPERATOR_PASSWORD)
        browser = Client(raise_request_exception=False)
        page = reverse("admin:login")
        assert browser.post(page, {"username": "olga", "password": OPERATOR_PASSWORD}).status_code == 302
        return browser

    def test_every_page_that_needs_no_object(self, ears: Listener, acme: Caller, browser: Client) -> None:  # noqa: ARG002  # listens
        one_guide(acme)
        names = [name for name in _admin_pages() if name not in {"logout", "jsi18n", "autocomplete", "app_list"}]
        assert len(names) > 15
        for name in names:
            path = reverse(f"admin:{name}")
            for query in ("", f"?q={NAME}", f"?consignee_name__startswith={NAME}&{NAME}={RUT}"):
                with closing(browser.get(path + query)) as response:
                    assert response.status_code < 500, path

    def test_guides_and_manifests(self, ears: Listener, acme: Caller, browser: Client) -> None:  # noqa: ARG002  # listens
        guide = one_guide(acme)
        Guide.objects.update(needs_review=True, retention_required=True)
        for name in ("change", "history", "correct_consignee", "advance", "lift_retention", "mark_reviewed"):
            assert browser.get(of_guide(guide, name)).status_code < 400, name
        browser.post(of_guide(guide, "correct_consignee"), {**PERSON, "consignee_document": "1", STEP: RUN})
        browser.post(of_guide(guide, "correct_consignee"), {**PERSON, "consignee_name": f"{NAME} II", STEP: RUN})
        browser.post(of_guide(guide, "lift_retention"), {"reason": NOTE, STEP: RUN})
        moved(browser, of_guide(guide, "advance"), told("in_transit", internal_note=NOTE, client_note=NOTE))
        browser.post(of_guide(guide, "advance"), told(NAME, internal_note=NOTE * 90, **{STEP: RUN}))
        assert guide.events.filter(internal_note=NOTE, client_note=NOTE).exists()
        lists = (f"{GUIDES}?q={NAME}", f"{GUIDES}export.csv?q={NAME}", f"{GUIDES}export.xlsx?q={RUT}")
        for path in (*lists, of_manifest(guide.manifest), f"{MANIFESTS}?q={NAME}"):
            response: Any = browser.get(path)
            assert response.status_code == 200
            if response.streaming:
                b"".join(response.streaming_content)
            response.close()
        browser.post(GUIDES, ticked("export_ticked_as_csv", guide))
        browser.post(of_manifest(guide.manifest, "void"), {"reason": NOTE, STEP: RUN})

    def test_files_of_events(self, ears: Listener, acme: Caller, browser: Client) -> None:  # noqa: ARG002  # listens
        guide = one_guide(acme)
        page = reverse("import-events")
        for content in (
            f"tracking_code,status,reason\n{guide.tracking_code},in_transit,{NOTE}\n{NAME},{RUT},{NOTE}\n",
            f"{NAME},{RUT}\n{NOTE}",
            f"PK\x03\x04{NAME}",
        ):
            file = SimpleUploadedFile(f"{NAME}.csv", content.encode())
            answered: Any = browser.post(page, {"file": file, "source": "carrier", "zone": "America/Santiago"})
            assert answered.status_code < 500
            if answered.status_code == 302:
                browser.get(answered.url)
                browser.post(answered.url, {STEP: RUN})

    def test_passwords_that_are_wrong(self, ears: Listener, acme: Caller) -> None:
        one_guide(acme)
        page = reverse("admin:login")
        for name in ("olga", NAME, f"{NAME}\0"):
            wrong = acme.client.post(f"{page}?next=/{NAME}", {"username": name, "password": OPERATOR_PASSWORD})
            assert wrong.status_code < 500
        ears.keep(acme.client.post(page, {"username": "olga"}, headers={"Referer": f"https://{NAME}/"}))


def _admin_pages() -> Iterator[str]:
    """Names of the admin's routes that take no argument."""
    (root,) = (one for one in get_resolver().url_patterns if isinstance(one, URLResolver) and one.namespace == "admin")
    waiting: list[tuple[URLPattern | URLResolver, str]] = [(one, "") for one in root.url_patterns]
    while waiting:
        one, above = waiting.pop()
        path = above + str(one.pattern)
        if "<" in path or "(?P" in path:
            continue
        if isinstance(one, URLResolver):
            waiting += [(below, path) for below in one.url_patterns]
        elif one.name:
            yield one.name
