"""Marked people and marked secrets go in through every door, in good order and broken; none comes out aside.

Aside: logs as they are written, JSON and console, DEBUG lines included; answers that refuse; pages that say something
broke; metrics; what Sentry is told; webhooks' bodies.
"""

import errno
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import DataError, OperationalError, connection
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from stdnum.cl import rut

from shipments.admin.steps import RUN, STEP
from shipments.models import Guide, Manifest
from tests.books import HEADER, guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file
from tests.desk.pages import GUIDES, MANIFESTS, of_guide, of_manifest, ticked, told
from tests.manifests import payloads
from tests.shipments.shipping import tell
from tests.watch.listening import Listener, listening
from tests.webhooks.receivers import answer, raw
from tests.webhooks.running import InThread, states, wait_until
from webhooks.models import Delivery, Subscription
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db(transaction=True)

NAME, DESCRIPTION, SHIPPER, NOTE = "Zulmira Qxaverio", "Zbicycle Qred", "Zsender Qaunt", "Zleft Qneighbour"
RUT = f"23456789-{rut.calc_check_digit('23456789')}"
SPELLED = f"23.456.789-{RUT[-1]}"
HOST = "zulmira.qx.example"
EMAIL, PHONE, ADDRESS = "zulmira@qx.example", "+56977001122", "Zcalle Qlarga 77"
OPERATOR_PASSWORD, WEBHOOK_SECRET, WRONG_KEY = "Zopen-Qsesame-77", "Zwhsec-Qhook-77", "pa_live_ZwrongQkey77"
PEOPLE = (
    "Zulmira", "Qxaverio", "Zbicycle", "Zsender", "Zleft", "23456789", "23.456.789", "qx.example", "77001122", "Qlarga",
)  # fmt: skip
SECRETS = (OPERATOR_PASSWORD, WEBHOOK_SECRET, WRONG_KEY)

PERSON = {
    "consignee_name": NAME, "consignee_document": RUT, "consignee_address": ADDRESS, "consignee_city": NAME,
    "consignee_phone": PHONE, "consignee_email": EMAIL, "shipper_name": SHIPPER, "description_original": DESCRIPTION,
    "extra_data": {"note": NOTE},
}  # fmt: skip
ROW = {
    "Nombre destinatario": NAME, "RUT": SPELLED, "Dirección": ADDRESS, "Comuna": NAME, "Teléfono": PHONE,
    "Contenido": DESCRIPTION,
}  # fmt: skip


@pytest.fixture
def ears(settings: Any, acme: Caller, rival: Caller) -> Iterator[Listener]:
    """Listens to a test, and holds everything heard against the marks."""
    with listening(settings) as listener:
        yield listener
        heard = listener.heard()
    marks = (*PEOPLE, *SECRETS, acme.password, rival.password)
    leaks = [(channel, mark) for channel, text in heard.items() for mark in marks if mark.lower() in text.lower()]
    for channel, mark in leaks:
        line = next(line for line in heard[channel].splitlines() if mark.lower() in line.lower())
        sys.stdout.write(f"{channel}: {mark}: {line[:2000]}\n")
    assert leaks == []
    assert "request" in heard["log (json)"], "nothing was heard at all"
    assert "request" in heard["log (console)"]
    assert "prealerts_http_request_duration_seconds" in heard["metrics"]


def one_guide(acme: Caller) -> Guide:
    assert acme.post_json(payloads.body(payloads.guide(**PERSON))).status_code == 201
    return Guide.objects.get()


class TestApi:
    def test_uploads_that_are_taken(self, ears: Listener, acme: Caller) -> None:
        rows = [
            guide_row(1, **ROW),
            guide_row(2, **{**ROW, "RUT": NAME}),
            guide_row(3, **{**ROW, "Peso (kg)": NAME, "Valor FOB USD": SPELLED, "Bultos": DESCRIPTION}),
            guide_row(1, **{**ROW, "Nombre destinatario": f"{NAME} the other"}),
            guide_row(5, **{**ROW, "HAWB": None}),
            guide_row(6, **{**ROW, "Dirección": ADDRESS * 60}),
        ]
        invoice = as_file(b"%PDF-1.4 " + NAME.encode(), f"{NAME}.pdf")
        answered = ears.keep(acme.upload(workbook_bytes(rows, labels={"Cliente": NAME}), invoice_file=invoice))
        assert answered.status_code == 201
        assert len(answered.json()["warnings"]) > 4

    def test_uploads_that_are_refused(self, ears: Listener, acme: Caller, company_maker: Callable[..., Caller]) -> None:
        marked = f"{NAME} {SPELLED}".encode()
        good = workbook_bytes([guide_row(1, **ROW)])
        for content in (
            b"",
            marked,
            good[:-200] + marked,
            b"PK\x03\x04" + marked,
            workbook_bytes([], labels={NAME: RUT}),
        ):
            assert ears.keep(acme.upload(content)).status_code == 400
        for rows in ([], [dict.fromkeys(HEADER, NAME)]):
            ears.keep(acme.upload(workbook_bytes(rows, mawb=None, labels={"Consignatario": NAME})))
        for form in (
            {"invoice_file": as_file(marked, f"{NAME}.pdf")},
            {"flight_number": NAME, "origin_airport": RUT, "origin_country": NAME, "scheduled_arrival": NAME},
            {"destination_airport": "EZE", NAME: RUT},
        ):
            assert ears.keep(acme.upload(good, **form)).status_code in {400, 403}
        no_prefix = company_maker("PLAIN", tracking_prefix="")
        assert ears.keep(no_prefix.upload(good)).status_code == 400
        assert acme.upload(good).status_code == 201
        assert ears.keep(acme.upload(good)).status_code == 409
        broken = f'--x\r\nContent-Disposition: form-data; name="manifest_file"; filename="{NAME}"\r\n\r\n{NAME}'
        path, kind = f"{BASE}/upload", "multipart/form-data; boundary=x"
        assert ears.keep(acme.client.generic("POST", path, broken, kind, headers=acme.headers)).status_code == 400

    @pytest.mark.parametrize("country", ["CL", "PE", "AR"])
    def test_json_that_is_refused(self, ears: Listener, acme: Caller, country: str) -> None:
        wrong: list[Any] = [NAME, SPELLED, [NAME], {NAME: RUT}, f"{NAME}\0", -1, None, f"{NAME}" * 500]
        more = ("hs_code", "category", "products", "extra_data", "packages_count", "consignee_document_type")
        fields = (*payloads.guide(country), *more)
        rows = [
            payloads.guide(country, **{**PERSON, "hawb": f"H{number}-{place}", field: value})
            for number, field in enumerate(name for name in fields if name != "hawb")
            for place, value in enumerate(wrong)
        ]
        refused = ears.keep(acme.post_json(payloads.body(*rows, to=country)))
        assert refused.json()["error"] in {"manifest_validation_failed", "validation_failed", "invalid_body"}
        for row in rows:
            ears.keep(acme.post_json(payloads.body({**row, "hawb": "SAME"}, {**row, "hawb": "SAME"}, to=country)))

    def test_json_that_cannot_be_read(self, ears: Listener, acme: Caller) -> None:
        for body in (
            NAME,
            f'{{"mawb": "{NAME}',
            f'{{"{NAME}": 1, "{NAME}": 2}}',
            f'["{NAME}"]',
            f'{{"x": "{NAME}", "y": NaN}}',
            f'"{NAME}'.encode() + b"\xff",
            "[" * 3000 + f'"{NAME}"',
        ):
            assert ears.keep(acme.post_json(body)).status_code == 400
        for changes in (
            {"mawb": NAME},
            {"transport_mode": NAME},
            {"destination_airport": NAME},
            {"flight_number": NAME, "origin_country": NAME, "scheduled_arrival": RUT},
            {"guides": NAME},
        ):
            assert ears.keep(acme.post_json(payloads.body(payloads.guide(**PERSON), **changes))).status_code == 400

    def test_reads_in_other_peoples_words(self, ears: Listener, acme: Caller) -> None:
        one_guide(acme)
        for path in (
            f"/guides/{RUT}?name={NAME}", f"/guides/{NAME}", f"/mawbs/{SPELLED}", f"/mawbs?q={NAME}", f"/{NAME}/{RUT}",
        ):  # fmt: skip
            ears.keep(acme.get(path, HTTP_X_REQUEST_ID=f"{NAME} {RUT}", HTTP_REFERER=f"https://x/?{NAME}"))
        for header in (f"Bearer {WRONG_KEY}", f"Basic {WRONG_KEY}", f"Bearer {acme.password}x", f"Bearer {NAME} {RUT}"):
            refused = acme.client.get(f"{BASE}/mawbs", headers={"Authorization": header})
            assert ears.keep(refused).status_code == 401
        for method in ("put", "delete", "patch", "options"):
            ears.keep(getattr(acme.client, method)(f"{BASE}/guides/{NAME}", NAME, headers=acme.headers))
        ears.keep(acme.client.get(f"/{NAME}", headers={"Host": HOST}))


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
            ("shipments.reading.timeline", lambda: acme.get(f"/guides/{guide.tracking_code}?q={NAME}")),
            ("shipments.views.mawb_list_item", lambda: acme.get("/mawbs")),
            ("shipments.ingest.write_guides", lambda: acme.upload(workbook_bytes([guide_row(1, **ROW)]))),
            ("shipments.upload.store", lambda: acme.upload(workbook_bytes([guide_row(1, **ROW)]))),
            (
                "shipments.ingest.write_guides",
                lambda: acme.post_json(payloads.body(payloads.guide(**PERSON), mawb="123-00000000")),
            ),
            ("rest_framework.renderers.JSONRenderer.render", lambda: acme.get("/mawbs")),
            ("prealerts.middleware.LivenessMiddleware.__call__", lambda: acme.get(f"/guides/{NAME}")),
        ]
        for place, call in places:
            with monkeypatch.context() as broken:
                broken.setattr(place, fault)
                assert ears.keep(call()).status_code in {500, 503}, place
        assert Manifest.objects.count() == 1

    def test_of_the_desk(
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
            ("shipments.admin.guides.moments", of_guide(guide)),
            ("shipments.admin.manifests.parts", of_manifest(guide.manifest)),
        ):
            with monkeypatch.context() as broken:
                broken.setattr(place, fault)
                assert ears.keep(browser.get(path)).status_code == 500, place


class TestDesk:
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
        browser.post(of_guide(guide, "advance"), told("in_transit", reason=NOTE, **{STEP: RUN}))
        browser.post(of_guide(guide, "advance"), told(NAME, reason=NOTE * 90, **{STEP: RUN}))
        assert guide.events.filter(reason=NOTE).exists()
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


@pytest.mark.usefixtures("shared_database")
def test_webhooks_that_fail_in_every_way(
    ears: Listener, acme: Caller, receivers: Any, authority: Any, settings: Any
) -> None:
    guide = one_guide(acme)
    marked = f"{NAME} {RUT} {WEBHOOK_SECRET}".encode()
    behaviours = [
        answer(),
        answer(status=500, body=marked),
        answer(status=302, body=marked, Location=f"https://{HOST}/{RUT}"),
        raw(b"HTTP/1.1 200 " + marked + b"\r\nContent-Length: x\r\n\r\n", then="close"),
        raw(marked, then="close"),
    ]
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    listening_to = [receivers(behave) for behave in behaviours]
    for receiver in listening_to:
        register(acme.company, receiver.url, WEBHOOK_SECRET)
    register(acme.company, "https://127.0.0.1:9/nobody-there", WEBHOOK_SECRET)
    with InThread(authority.bundle):
        tell(guide, "in_transit")
        wait_until(lambda: not {"pending", "sending"} & states().keys())
    assert states()["delivered"] >= 1
    assert states()["failed"] >= 3
    bodies = [request.body for receiver in listening_to for request in receiver.received]
    assert bodies
    ears.answers += [body.decode() for body in bodies]
    ears.answers += [bytes(delivery.body).decode() for delivery in Delivery.objects.all()]
    assert WEBHOOK_SECRET not in str(list(Subscription.objects.values()))


def test_commands(ears: Listener, acme: Caller, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = one_guide(acme)
    events = tmp_path / "events.csv"
    events.write_text(f"tracking_code,status,reason\n{guide.tracking_code},in_transit,{NOTE}\n{NAME},{RUT},x\n")

    def run(*arguments: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(SPELLED))
        output = io.StringIO()
        try:
            call_command(*arguments, stdout=output, stderr=output)
        except CommandError as refused:
            ears.answers.append(str(refused))

    run("add_webhook", "ACME", "https://127.0.0.1:9/hook", "--secret", WEBHOOK_SECRET)
    run("import_events", str(events), "--no-color")
    run("advance_status", "--to", "out_for_delivery", "--reason", NOTE, guide.tracking_code)
    run("personal_data", "--document", "-")
    run("anonymise", "--document", "-", "--dry-run")
    run("anonymise", "--document", "-")
    run("anonymise", "--document", RUT)
    assert Guide.objects.get().consignee_name == ""
    assert acme.get("/mawbs").status_code == 200


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
