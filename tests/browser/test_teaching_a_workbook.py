"""An operator teaches the service a workbook that nobody has seen, and its next upload is read."""

import time
from typing import Any

import requests
from playwright.sync_api import Page, expect

from tests.browser.test_everyday_work import button, fresh_code
from tests.live.server import Server
from tests.shipments.formats.layouts_of_clients import DNI, book

HEADINGS = ("Código envío", "Quién", "Papel", "Cosas", "Bruto", "Plata", "Nota")
FIELDS = ("hawb", "consignee_name", "consignee_document", "description_original", "weight_kg", "fob_usd", "")


def sample() -> bytes:
    rows = [(f"H{number:04d}", "Ana Rojas", DNI, "Ropa", "1,5", 20.25, "frágil") for number in range(1, 13)]
    return book(*rows, headings=HEADINGS, above=[["Vuelo", "LA2511"]])


def test_a_never_seen_peruvian_workbook_is_taught_and_its_upload_is_read(
    admin_page: Page, admin_service: Server
) -> None:
    began = time.monotonic()
    code = fresh_code()
    client = admin_service.company(code, countries="PE")
    book_file: Any = {"name": "sample.xlsx", "mimeType": "application/octet-stream", "buffer": sample()}
    admin_page.goto(f"/admin/shipments/workbookformat/?company={code}")
    admin_page.get_by_role("link", name="New format").click()
    admin_page.set_input_files("[name=file]", book_file)
    button(admin_page, "Next").click()
    expect(admin_page.locator(".pa-header-row")).to_contain_text("Código envío")
    expect(admin_page.locator("[name=destination-where]")).to_have_value("always")
    expect(admin_page.locator("[name=destination-airport]")).to_have_value("LIM")
    button(admin_page, "Next: columns").click()
    needed = admin_page.locator("#needs")
    expect(needed).to_contain_text("missing")
    for place, name in enumerate(FIELDS):
        with admin_page.expect_response(lambda answer: answer.request.method == "POST"):
            admin_page.select_option(f"[name=c{place}-field]", name)
    expect(needed).to_contain_text("Complete")
    expect(admin_page.locator("[name=c0-unit]")).to_be_hidden()
    admin_page.select_option("[name=c4-unit]", "kg")
    button(admin_page, "Next: check and save").click()
    for text in ("12 shipments", "total weight 18.000 kg", "FOB total US$ 243.00"):
        admin_page.get_by_label(text).check()
    admin_page.fill("[name=name]", "Odd")
    button(admin_page, "Save").click()
    expect(admin_page.get_by_text("is saved and in use")).to_be_visible()
    answer = requests.post(f"{admin_service.api}/upload", files={"manifest_file": sample()}, headers=client, timeout=60)
    assert (answer.status_code, answer.json()["format"]) == (201, {"name": "Odd", "version": 1})
    print(f"\nfrom the sample to the first upload: {time.monotonic() - began:.1f} s")  # noqa: T201  # a stopwatch
