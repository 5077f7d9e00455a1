"""What a page of the admin becomes under the hand: opened, refused, previewed, done. For the data of `make demo`.

Each takes a page to one state, in whatever language; none needs another one before it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from playwright.sync_api import Page, expect

from tests.books import guide_row, workbook_bytes

FILE = "codigo_de_seguimiento;estado\n{};En tránsito\nNADIE;Entregada\n"
UNKNOWN = "Seguimiento;Situación;Fecha entrega;Hora\n{};Entregada;27/11/2026;14:30\n"


def first_row(page: Page, address: str) -> str:
    """Return the folder of the pages of the first row of a list."""
    page.goto(address)
    link = page.locator("#result_list tbody a").first
    return str(link.evaluate("link => new URL(link.href).pathname")).removesuffix("change/")


def preview(page: Page, status: str) -> None:
    page.goto(first_row(page, "/admin/shipments/manifest/?arrival=today") + "advance/")
    page.select_option("[name=status]", status)
    page.locator("#content button[type=submit]").first.click()
    expect(page.locator(".pa-table")).to_be_visible()


def upload(page: Page, address: str, field: str, name: str, content: bytes) -> None:
    page.goto(address)
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.set_input_files(f"[name={field}]", file)


def import_events(page: Page, text: str) -> None:
    page.goto("/admin/shipments/guide/?status__exact=registered")
    code = page.locator("#result_list tbody a").first.inner_text()
    upload(page, "/admin/events/import/", "file", "courier.csv", text.format(code).encode())
    page.locator("#content button[type=submit]").last.click()
    page.wait_for_load_state()


def enter(page: Page, content: bytes) -> None:
    upload(page, "/admin/manifests/enter/", "manifest_file", "manifest.xlsx", content)
    page.locator("#content .select2-selection").first.click()
    page.locator(".select2-results__option", has_text="ANDINA").first.click()
    page.locator("#content button[type=submit]").last.click()
    page.wait_for_load_state()


def add(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#submit-row button").first.click()
    expect(page.locator("[aria-invalid=true], .errornote").first).to_be_visible()


def act(page: Page, list_of: str, action: str) -> None:
    page.goto(first_row(page, list_of) + action)


def refuse(page: Page, list_of: str, action: str) -> None:
    act(page, list_of, action)
    page.evaluate("document.querySelectorAll('form').forEach(form => { form.noValidate = true })")
    for field in page.locator("#content input[type=text]:visible").all():
        field.fill("")
    page.locator("#content button[type=submit]:not([name])").last.click()
    expect(page.locator("[aria-invalid=true], .errornote").first).to_be_visible()


def open_drawer(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".pa-open-filters").click()
    expect(page.locator("#changelist-filter")).to_be_visible()


def search(page: Page, text: str) -> None:
    page.goto("/admin/")
    page.keyboard.press("Control+k")
    page.locator("#search-input-command").press_sequentially(text)
    expect(page.locator("#command-results :is(a, p)").first).to_be_visible()


def find_person(page: Page, document: str) -> None:
    page.goto("/admin/privacy/")
    page.fill("[name=documents]", document)
    page.fill("[name=reference]", "PRIV-2026-014")
    page.locator("#content [type=submit]").first.click()
    page.wait_for_load_state()


def find_first_person(page: Page) -> None:
    page.goto(first_row(page, "/admin/shipments/guide/?work=review") + "correct/")
    find_person(page, page.locator("[name=consignee_document]").input_value() or "20733355")


def meaning(page: Page) -> None:
    page.goto(first_row(page, "/admin/shipments/carriercode/"))  # one without a meaning asks for it
    page.locator("#content select[name=meaning]").evaluate("select => { select.selectedIndex = 2 }")
    page.locator("#content button[type=submit]").first.click()
    page.wait_for_load_state()


def collide(page: Page) -> None:
    """Save a form after another tab has saved it."""
    address = first_row(page, "/admin/companies/company/") + "change/"
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(address)
    number = f"+56 2 {page.evaluate('Date.now() % 10000000')}"
    for tab in (other, page):
        tab.fill("[name=contact_phone]", number if tab is other else "+56 9")
        tab.locator("#submit-row [name=_continue], #submit-row button").last.click()
        tab.wait_for_load_state()
    other.close()


def select_rows(page: Page) -> None:
    page.goto("/admin/shipments/guide/")
    page.locator("#action-toggle").check()


def open_account(page: Page) -> None:
    page.goto("/admin/")
    page.locator("#nav-sidebar-inner [x-on\\:click*=openUserLinks], #nav-sidebar-inner [aria-haspopup]").last.click()


def open_folds(page: Page) -> None:
    page.goto(first_row(page, "/admin/shipments/manifest/") + "change/")
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")


def receive(page: Page) -> None:
    page.goto("/admin/receive/")
    page.goto(str(page.locator("a[href*='/admin/receive/ib_']").first.get_attribute("href")))


GUIDES, MANIFESTS = "/admin/shipments/guide/", "/admin/shipments/manifest/"
STATES: Mapping[str, Callable[[Page], object]] = {
    "the search with results": lambda page: search(page, "quispe"),
    "the search without results": lambda page: search(page, "zzzz qqqq"),
    "the filters of guides": lambda page: open_drawer(page, GUIDES),
    "the filters of manifests": lambda page: open_drawer(page, MANIFESTS),
    "the filters of deliveries": lambda page: open_drawer(page, "/admin/webhooks/delivery/"),
    "the account's menu": open_account,
    "rows that are selected": select_rows,
    "a list that finds nothing": lambda page: page.goto(f"{GUIDES}?q=nothing"),
    "the preview of a move": lambda page: preview(page, "in_transit"),
    "the preview of a final move": lambda page: preview(page, "delivered"),
    "a manifest with its folds open": open_folds,
    "the question before a void": lambda page: act(page, MANIFESTS, "void/"),
    "a void that is refused": lambda page: refuse(page, MANIFESTS, "void/"),
    "a correction that is refused": lambda page: refuse(page, f"{GUIDES}?work=review", "correct/"),
    "the question before a retention is lifted": lambda page: act(page, f"{GUIDES}?work=retention", "lift-retention/"),
    "a company that is refused": lambda page: add(page, "/admin/companies/company/add/"),
    "a subscription that is refused": lambda page: add(page, "/admin/webhooks/subscription/add/"),
    "a carrier that is refused": lambda page: add(page, "/admin/shipments/carrier/add/"),
    "a form that another tab has saved": collide,
    "the preview of a file of events": lambda page: import_events(page, FILE),
    "the question about a file's headings": lambda page: import_events(page, UNKNOWN),
    "the preview of a manifest": lambda page: enter(page, workbook_bytes([guide_row(1), guide_row(2, RUT="1-9")])),
    "a manifest that cannot be read": lambda page: enter(page, b"no workbook"),
    "a batch that is received": receive,
    "a batch's page": lambda page: act(page, "/admin/shipments/inboundbatch/", "change/"),
    "the question before a batch is closed": lambda page: act(page, "/admin/shipments/inboundbatch/", "close/"),
    "the preview of a code's meaning": meaning,
    "a person who was found": find_first_person,
    "a person who was not found": lambda page: find_person(page, "1-9"),
    "a password before it is renewed": lambda page: act(page, "/admin/companies/company/", "rotate-api-password/"),
}
