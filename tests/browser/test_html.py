"""html-validate finds nothing wrong with the HTML of the admin's pages as the service sends it."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OpenPage
from tests.javascript.packages import PACKAGES, require_node, require_package
from tests.live.server import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

RULES = '{"root": true, "extends": ["html-validate:standard"], "elements": ["html5"]}'


def test_each_page_of_the_admin_is_valid(
    open_page: OpenPage, admin_service: Server, logged_in: list[Any], busy: list[str], tmp_path: Path
) -> None:
    node, _folder = require_node(), require_package("html-validate")
    (tmp_path / ".htmlvalidate.json").write_text(RULES)
    tab = open_page(admin_service, logged_in)
    for number, address in enumerate([*busy, "/docs/", "/docs/quickstart/"]):
        page = tab.context.request.get(address).text()
        (tmp_path / f"{number}.html").write_text(f"{page}\n<!-- {address} -->\n")
    assert len(busy) > 110
    command: list[str | Path] = [node, PACKAGES / "html-validate" / "bin" / "html-validate.mjs", "--formatter", "text"]
    found = subprocess.run(
        [*command, *tmp_path.glob("*.html")], capture_output=True, text=True, check=False, timeout=300
    )
    assert found.returncode == 0, found.stdout + found.stderr
