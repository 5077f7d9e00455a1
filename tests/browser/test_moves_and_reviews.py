"""By mouse: a move that is undone, a courier's file whose columns are asked for, and reviews one after another."""

import re
import uuid
from typing import Any

import requests
from playwright.sync_api import Page, expect

from tests.books import guide_row, workbook_bytes
from tests.live.server import Server


def uploaded(service: Server, guides: int, **values: Any) -> Any:
    client = service.company(f"M{uuid.uuid4().hex[:10].upper()}")
    book = workbook_bytes([guide_row(number, **values) for number in range(1, guides + 1)])
    answer = requests.post(f"{service.api}/upload", headers=client, files={"manifest_file": book}, timeout=60)
    assert answer.status_code == 201, answer.text
    return answer.json()


def press(page: Page, name: str) -> None:
    page.locator("#content").get_by_role("button", name=name, exact=True).click()


def test_a_move_is_warned_of_undone_and_its_guides_are_opened(admin_page: Page, admin_service: Server) -> None:
    sent = uploaded(admin_service, 3)
    admin_page.goto(f"/admin/shipments/manifest/{sent['manifest_id']}/change/")
    admin_page.select_option("[name=status]", "out_for_delivery")
    press(admin_page, "Preview")
    expect(admin_page.get_by_text("3 guides: from Registered to Out for delivery without customs.")).to_be_visible()
    press(admin_page, "Confirm")
    admin_page.get_by_role("link", name="Open these guides").click()
    expect(admin_page.locator("#result_list .data-row")).to_have_count(3)
    expect(admin_page.locator("#result_list td.field-shown_status").first).to_contain_text("Out for delivery")
    admin_page.go_back()
    press(admin_page, "Undo this move")
    expect(admin_page.get_by_text("Nothing has been changed yet.")).to_be_visible()
    press(admin_page, "Undo")
    expect(admin_page.get_by_text("The status of 3 guides is taken back.")).to_be_visible()
    admin_page.goto(f"/admin/shipments/manifest/{sent['manifest_id']}/change/")
    expect(admin_page.locator(".pa-legend").first).to_contain_text("Registered")
    expect(admin_page.locator(".pa-legend").first).not_to_contain_text("Out for delivery")


def test_a_couriers_file_is_asked_about_once(admin_page: Page, admin_service: Server) -> None:
    sent = uploaded(admin_service, 2)
    letters = re.sub("[0-9]", "x", uuid.uuid4().hex)  # a heading of five digits would be a value
    receiver = f"Receptor {letters}"
    rows = [f"{each['tracking_code']};Entregada;27/11/2026;14:30;Ana" for each in sent["guides"]]
    content = "\n".join([f"Código;Situación;Fecha entrega;Hora;{receiver}", *rows]).encode()
    file: Any = {"name": "courier.csv", "mimeType": "text/csv", "buffer": content}
    for is_known in (False, True):
        admin_page.goto("/admin/events/import/")
        admin_page.set_input_files("[name=file]", file)
        press(admin_page, "Preview")
        if not is_known:
            for label, heading in (("Code", "Código"), ("Status", "Situación"), ("Date", "Fecha entrega")):
                chosen = admin_page.get_by_label(label, exact=False).first.locator("option:checked")
                expect(chosen).to_have_text(heading)
            expect(admin_page.locator("[name=remember]")).to_be_checked()
            press(admin_page, "Preview")
        expect(admin_page.get_by_text(f"Columns that were not read: {receiver}.")).to_be_visible()
        expect(admin_page.get_by_text("Nothing has been changed yet.")).to_be_visible()


def test_reviews_lead_from_form_to_form(admin_page: Page, admin_service: Server) -> None:
    uploaded(admin_service, 3, RUT="1-9")
    admin_page.goto("/admin/shipments/guide/?work=review")
    waiting = admin_page.locator("#result_list .data-row").count()
    admin_page.get_by_role("link", name="Review one after another").click()
    loads = 0
    for nth in range(1, waiting + 1):
        expect(admin_page.get_by_role("heading", name=f"{nth} of {waiting}").first).to_be_visible()
        if nth % 2 and admin_page.input_value("[name=consignee_document]") == "1-9":  # none of another test's
            admin_page.fill("[name=consignee_document]", "12345678-5")
            press(admin_page, "Save and next")
        else:
            press(admin_page, "Fine as it is, next")
        admin_page.wait_for_url(re.compile(rf"nth={nth + 1}&|work=review"))
        loads += 1
    expect(admin_page.get_by_text("No other guide needs review.")).to_be_visible()
    assert loads == waiting


def test_errors_are_summed_up_at_the_top_and_lead_to_their_fields(admin_page: Page) -> None:
    for address, button, field in (
        ("/admin/companies/company/add/", "Save", "client_code"),
        ("/admin/events/import/", "Preview", "file"),
    ):
        admin_page.goto(address)
        admin_page.get_by_role("button", name=button, exact=True).first.click()
        summary = admin_page.locator(".pa-errors")
        expect(summary).to_be_focused()
        summary.locator(f'a[href="#id_{field}"]').click()
        assert admin_page.evaluate("location.hash") == f"#id_{field}"
