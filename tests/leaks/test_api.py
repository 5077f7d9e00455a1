"""Through the API: manifests in good order and broken, bodies that cannot be read, words in paths and headers."""

from collections.abc import Callable
from typing import Any

import pytest

from shipments.models import Guide, Manifest
from tests.books import HEADER, guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file
from tests.leaks.marked import ADDRESS, DESCRIPTION, HOST, NAME, PERSON, ROW, RUT, SPELLED, WRONG_KEY, one_guide
from tests.prealerts.watch.listening import Listener
from tests.shipments.manifests import payloads

pytestmark = pytest.mark.django_db(transaction=True)


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


@pytest.mark.parametrize("link", ["nobody", "the other client"])
def test_two_couriers_of_one_installation_learn_nothing_of_each_others_parcels(
    ears: Listener, acme: Caller, rival: Caller, company_maker: Callable[..., Caller], link: str
) -> None:
    first, second = (
        company_maker(code, kind="courier", allowed_countries=[], tracking_prefix="") for code in ("SWIFT", "RAPID")
    )
    first.company.posts_for.add(acme.company)
    if link == "the other client":
        second.company.posts_for.add(rival.company)
    sent = payloads.body(payloads.guide(**PERSON))
    assert first.post_json({**sent, "client_code": "ACME"}).status_code == 201
    assert acme.post_json({**sent, "mawb": "045-70310122"}).status_code == 201
    codes = [*Guide.objects.values_list("tracking_code", flat=True)]
    mawbs = [*Manifest.objects.values_list("mawb", flat=True)]
    paths = ["/me", "/mawbs", "/guides?updated_since=2026-01-01T00:00:00Z", *(f"/guides/{code}" for code in codes)]
    for path in (*paths, *(f"/mawbs/{mawb}{more}" for mawb in mawbs for more in ("", "/guides", "/findings"))):
        answer = ears.keep(second.get(path))
        assert not any(code in answer.content.decode() for code in ("ACME", "SWIFT", *codes) if code not in path)
    refused, unknown = (ears.keep(second.post_json(payloads.body(client_code=code))) for code in ("ACME", "NOBODY"))
    assert (refused.status_code, unknown.status_code) == (403, 403)
    assert refused.json() == {**unknown.json(), "client_code": "ACME"}
    assert Manifest.objects.count() == 2
