"""An operator says what the columns of a strange workbook are, in a real browser, with few clicks."""

import uuid
from typing import Any

import requests
from playwright.sync_api import Locator, expect

from tests.books import guide_row, workbook_bytes
from tests.browser.conftest import OpenPage
from tests.live.server import Server
from tests.shipments.layouts.telling import ANSWERS, HEADINGS as STRANGE, strange

MOST_CLICKS = 12
HEADINGS = {
    "Ref. interna": "HAWB", "Nombre y apellidos": "Nombre destinatario", "Nro doc": "RUT",
    "Direccion entrega": "Dirección", "Distrito": "Comuna", "Que trae": "Contenido", "Pesaje bruto": "Peso (kg)",
    "Cajas": "Bultos", "Importe declarado": "Valor FOB USD",
}  # fmt: skip


def peruvian(guides: int) -> bytes:
    rows = [
        {heading: guide_row(number, RUT=str(40_000_000 + number * 137))[name] for heading, name in HEADINGS.items()}
        for number in range(1, guides + 1)
    ]
    return workbook_bytes(rows, mawb="544-12345675", header=tuple(HEADINGS), labels={"Destino": "LIM"})


def test_a_strange_peruvian_layout_is_confirmed_with_few_clicks(
    open_page: OpenPage, admin_service: Server, logged_in: list[object]
) -> None:
    code = f"P{uuid.uuid4().hex[:10].upper()}"
    client = admin_service.company(code, "PE", "--read-by-headings", "PE")
    assert refusal(admin_service, client) == "hawb_in_doubt"
    page = open_page(admin_service, logged_in, locale="es-PE")
    page.goto("/admin/")
    clicks = 0

    def click(target: Locator) -> None:
        nonlocal clicks
        target.click()
        clicks += 1

    click(
        page.get_by_role("region", name="Por resolver")
        .locator("li", has_text=code)
        .get_by_role("link", name="columnas")
    )
    click(page.locator("tr", has_text="Ref. interna").locator(".select2-selection").first)
    page.keyboard.type("HAWB")
    click(page.locator(".select2-results__option", has_text="HAWB").first)
    expect(page.locator("#layout-totals")).to_contain_text("12 guías")
    expect(page.locator("#layout-guides")).to_contain_text("HAWB00001")
    click(page.get_by_role("button", name="Confirmar"))
    expect(page.get_by_text("El diseño está confirmado.")).to_be_visible()
    click(page.get_by_role("button", name="Crear"))
    click(page.get_by_role("button", name="Crear 12 guías"))
    expect(page.get_by_text("Se crearon 12 guías.")).to_be_visible()
    assert clicks <= MOST_CLICKS
    assert refusal(admin_service, client) == "mawb_already_exists"


def refusal(service: Server, client: dict[str, str]) -> str:
    files = {"manifest_file": peruvian(12)}
    return str(requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60).json()["error"])


def test_an_answered_layout_is_kept_up_by_its_buttons(
    open_page: OpenPage, admin_service: Server, logged_in: list[object]
) -> None:
    code = f"C{uuid.uuid4().hex[:10].upper()}"
    client = admin_service.company(code)
    layout = answered_layout(admin_service, client, strange("045-00000013", guides=12))
    page = open_page(admin_service, logged_in)

    def press(button: str, said: str) -> None:
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_text(said).first).to_be_visible()

    grams = upload(admin_service, client, strange("045-00000024", guides=12, weight=1500))
    assert "values_unlike_format" in [notice["code"] for notice in grams["notices"]]
    page.goto(layout)
    press("It is right", "From now on, these values count as usual.")
    expect(page.get_by_role("button", name="It is right")).to_have_count(0)

    renamed = strange("045-00000035", headings=["Masa nueva" if each == "Masa" else each for each in STRANGE])
    assert upload(admin_service, client, renamed)["error"] == "workbook_format_changed"
    page.reload()
    expect(page.get_by_label("Masa · weight")).to_contain_text("Masa nueva")
    press("It is the same column", "The layout now has the new headings.")
    assert upload(admin_service, client, renamed)["columns"][7]["strength"] == "told"

    other = strange("045-00000046", headings=[f"{each} total" if each == "Monto" else each for each in STRANGE])
    assert upload(admin_service, client, other)["error"] == "workbook_format_changed"
    page.reload()
    press("It is another layout", "This is now a separate layout.")
    assert page.url.split("/")[-3] not in layout

    page.goto(layout)
    page.locator("tr", has_text="Comuna").locator(".select2-selection").first.click()
    page.keyboard.type("keep")
    page.locator(".select2-results__option", has_text="Only keep it").first.click()
    press("Confirm", "The layout is confirmed.")
    page.locator("summary", has_text="Earlier answers").click()
    page.get_by_role("button", name="Restore").first.click()
    expect(page.get_by_text("The answers from before that change are back.")).to_be_visible()
    told = upload(admin_service, client, strange("045-00000050", headings=[*renamed_headings()]))
    assert [each["field"] for each in told["columns"] if each["heading"] == "Comuna"] == ["consignee_city"]


def upload(service: Server, client: dict[str, str], content: bytes) -> dict[str, Any]:
    files = {"manifest_file": content}
    return dict(requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60).json())


def answered_layout(service: Server, client: dict[str, str], content: bytes) -> str:
    """The page of the layout of a workbook that was refused, once its client has answered by program."""
    assert upload(service, client, content)["error"] == "hawb_in_doubt"
    listed = requests.get(f"{service.api}/layouts?country=CL", headers=client, timeout=60).json()
    layout = listed["layouts"][0]["id"]
    answers = [{"heading": heading, **answer} for heading, answer in ANSWERS.items()]
    answered = requests.put(
        f"{service.api}/layouts/{layout}/answers", json={"answers": answers}, headers=client, timeout=60
    )
    assert answered.status_code == 200, answered.text
    assert upload(service, client, content)["success"]
    return f"/admin/shipments/layout/{layout}/change/"


def renamed_headings() -> list[str]:
    return ["Masa nueva" if each == "Masa" else each for each in STRANGE]
