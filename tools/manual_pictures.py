"""Write the pictures of the operators' manual and of README: `python -m tools.manual_pictures`; needs Chromium.

They are made from what `make demo` makes, on a database of their own. A chapter has its picture in both languages.
"""

import os
import shutil
import sys
import tempfile
from base64 import b64decode
from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

import tests.environment  # noqa: F401  # invented secrets, for the service
from tests.live import server

MANUAL = Path(__file__).resolve().parent.parent / "docs" / "manual"
LOCALES = {"en": "en-US", "es": "es-CL"}
SMALL, LARGE = ViewportSize(width=1100, height=700), ViewportSize(width=1400, height=900)
OPERATOR, PASSWORD = "elena", "only-for-the-pictures"
NO_STRIP = ".demo-strip { display: none !important }"


def open_palette(page: Page) -> None:
    page.goto("/admin/shipments/guide/")
    page.keyboard.press("Control+k")
    page.locator("#search-input-command").press_sequentially("quispe")
    expect(page.locator("#command-results a").first).to_be_visible()


def open_layout(page: Page) -> None:
    page.goto("/admin/shipments/layout/")
    page.locator("#result_list tr", has_text="PACIFICO").locator("a").first.click()


def open_manifest(page: Page) -> None:
    """The first one that arrives today: most of its guides are on their way."""
    page.goto("/admin/")
    page.locator(".start-page a[href*='/shipments/manifest/'][href$='/change/']").first.click()
    expect(page.locator("#main")).to_be_visible()


def open_guide(page: Page) -> None:
    open_manifest(page)
    page.locator("#main a[href*='/shipments/guide/'][href*='/change/']").first.click()


def open_broker_file(page: Page) -> None:
    page.goto("/admin/shipments/outgoinglayout/")
    page.locator("#result_list tbody a").first.click()


def open_review(page: Page) -> None:
    page.goto("/admin/shipments/guide/?work=review")
    page.locator("#result_list tr", has_text="RUT").locator("a[href*='/guide/']").first.click()
    page.locator("a[href*='/correct/']").first.click()


def preview_move(page: Page) -> None:
    open_manifest(page)
    page.goto(page.url.partition("change/")[0] + "advance/")
    page.select_option("[name=status]", "delivered")
    page.locator("#content button[type=submit]").first.click()
    expect(page.locator(".pa-table")).to_be_visible()


def scan(page: Page) -> None:
    page.goto("/admin/receive/")
    page.locator("a[href*='/admin/receive/ib_']").first.click()


def open_code(page: Page) -> None:
    page.goto("/admin/shipments/carriercode/")
    page.locator("#result_list a[href$='/meaning/']").first.click()


def open_subscription(page: Page) -> None:
    page.goto("/admin/webhooks/subscription/")
    page.locator("#result_list tr", has_text="CONDOR").locator("a").first.click()


def search_person(page: Page) -> None:
    page.goto("/admin/privacy/")
    page.fill("[name=documents]", "12.345.678-5")
    page.fill("[name=reference]", "PRIV-2026-014")
    page.locator("#content [type=submit]").first.click()
    page.wait_for_load_state()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")


def rotate_password(page: Page) -> None:
    page.goto("/admin/companies/company/")
    page.locator("#result_list tr", has_text="ANDINA").locator("a").first.click()
    page.goto(page.url.partition("change/")[0] + "rotate-api-password/")


def at(address: str) -> Callable[[Page], object]:
    return lambda page: page.goto(address)


CHAPTERS: Mapping[str, Callable[[Page], object]] = {
    "morning": at("/admin/"),
    "new-client": at("/admin/companies/company/add/"),
    "strange-workbook": open_layout,
    "find-a-parcel": open_palette,
    "customs": open_broker_file,
    "reviews": open_review,
    "moves": preview_move,
    "receiving": scan,
    "exceptions": at("/admin/shipments/guide/?work=customs"),
    "carrier-reports": open_code,
    "stopped-webhooks": open_subscription,
    "personal-data": search_person,
    "month-end": at("/admin/reports/"),
    "colleagues": at("/admin/auth/user/add/"),
    "leaked-password": rotate_password,
    "words": open_guide,
}
README = {"start-page": at("/admin/"), "manifest": open_manifest}


def photograph(page: Page, path: Path) -> None:
    page.wait_for_load_state("networkidle")
    page.add_style_tag(content=NO_STRIP)
    shot = page.context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "webp", "quality": 60})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b64decode(shot["data"]))
    sys.stdout.write(f"{path.relative_to(MANUAL)}: {path.stat().st_size / 1024:.0f} KB\n")


def main() -> None:
    only = sys.argv[1:]
    with (
        tempfile.TemporaryDirectory() as scratch,
        server.served(Path(scratch), STATIC_ROOT=server.collected_static()) as service,
        sync_playwright() as playwright,
    ):
        service.operator(OPERATOR, PASSWORD)
        service.manage("demo")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for language, locale in LOCALES.items():
            page = browser.new_page(base_url=service.address, locale=locale, viewport=SMALL, reduced_motion="reduce")
            page.goto("/admin/login/")
            page.fill("[name=username]", OPERATOR)
            page.fill("[name=password]", PASSWORD)
            page.press("[name=password]", "Enter")
            expect(page.locator("#nav-sidebar-apps")).to_be_attached()
            for chapter, reach in CHAPTERS.items():
                if not only or chapter in only:
                    reach(page)
                    photograph(page, MANUAL / language / f"{chapter}.webp")
            if language == "en":
                page.set_viewport_size(LARGE)
                for name, reach in README.items():
                    reach(page)
                    photograph(page, MANUAL / f"{name}.webp")
            page.close()
        browser.close()


if __name__ == "__main__":
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    main()
