"""The guides and sample files below `/docs/`."""

import hashlib
import html
import io
import re
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from prealerts.documentation.pages import PAGES, ROOT, SAMPLES, Page, archives
from prealerts.documentation.rendering import rendered

ADDRESSES = [f"/docs/{slug}/" for slug in PAGES] + ["/docs/examples/"]
DOWNLOADS = [f"/docs/examples/{name}" for name in SAMPLES]


def shown(address: str, **extra: Any) -> str:
    answer = Client(**extra).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def ids(page: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', page)


def links(page: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r' href="([^"]+)"', page)]


class TestEachPage:
    @pytest.mark.parametrize("address", ADDRESSES)
    def test_is_served_in_both_spellings_without_a_password(self, address: str) -> None:
        assert shown(address) == shown(address.rstrip("/"))

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_takes_everything_from_our_own_origin_and_nothing_inline(self, address: str) -> None:
        page = shown(address)
        assert re.findall(r' src="(?!/static/)[^"]*"|<link [^>]*href="(?!/static/)[^"]*"', page) == []
        assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", page) == []

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_has_no_anchor_twice_and_no_link_that_leads_nowhere(self, address: str) -> None:
        page = shown(address)
        assert len(set(ids(page))) == len(ids(page))
        for link in links(page):
            there = urlsplit(link)
            if there.scheme or there.path.startswith("/static/"):
                assert there.scheme in {"", "https"}, link
                continue
            assert Client().get(there.path or address).status_code == 200, link
            if there.fragment:
                assert there.fragment in ids(shown(there.path or address)), link

    @pytest.mark.parametrize("address", [*ADDRESSES, *DOWNLOADS])
    def test_is_closed_with_the_reference(self, settings: Any, address: str) -> None:
        settings.API_DOCS = False
        assert Client().get(address).status_code == 404

    @pytest.mark.parametrize("address", [*ADDRESSES, *DOWNLOADS])
    def test_takes_no_other_method(self, address: str) -> None:
        assert Client(enforce_csrf_checks=True).post(address).status_code == 405

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_is_linked_from_the_reference(self, address: str) -> None:
        assert address in links(shown("/docs/"))

    def test_has_the_services_own_address_in_its_examples(self, settings: Any) -> None:
        settings.ALLOWED_HOSTS = ["alerts.example.org"]
        page = text_of(shown("/docs/quickstart/", headers={"host": "alerts.example.org"}))
        assert "PREALERTS_ADDRESS=http://alerts.example.org" in page
        assert "127.0.0.1:8000" not in page
        assert "prealerts.example.com" not in page

    @pytest.mark.parametrize("slug", PAGES)
    def test_has_the_whole_text_of_its_file_and_none_of_its_marks(self, slug: str) -> None:
        page = text_of(shown(f"/docs/{slug}/"))
        assert "<!--" not in page
        for line in re.findall(r"^#+ (.+)$", PAGES[slug].text(), re.MULTILINE):
            assert line.replace("`", "") in page

    def test_lists_its_headings_with_their_anchors(self) -> None:
        page = shown("/docs/workbooks/")
        assert '<a href="#warnings-and-notices">Warnings and notices</a>' in page
        assert '<h2 id="warnings-and-notices">' in page

    def test_shows_a_sample_in_several_languages_behind_tabs(self) -> None:
        page = shown("/docs/quickstart/")
        (tabs,) = (part for part in re.findall(r'<div class="tabs".*?</div>', page, re.DOTALL) if "/upload" in part)
        assert re.findall(r"<label [^>]*>(\w+)</label>", tabs) == ["curl", "Python", "TypeScript"]
        assert re.findall(r'<input [^>]*value="(\w+)"( checked)?>', tabs) == [
            ("sh", " checked"), ("python", ""), ("typescript", "")
        ]  # fmt: skip
        assert re.findall(r'class="language-(\w+)"', tabs) == ["sh", "python", "typescript"]


class TestTheSamples:
    def test_are_all_files_of_their_folder(self) -> None:
        assert {path.name for path in (ROOT / "docs" / "examples").iterdir() if path.is_file()} == set(SAMPLES)

    @pytest.mark.parametrize("name", SAMPLES)
    def test_are_downloads_byte_for_byte(self, name: str) -> None:
        answer = Client().get(f"/docs/examples/{name}")
        assert answer.content == SAMPLES[name].path.read_bytes()
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["Content-Type"] == SAMPLES[name].media_type
        assert answer.headers["X-Content-Type-Options"] == "nosniff"

    def test_have_the_python_client_beside_them_whole_and_without_anything_else(self) -> None:
        client = archives()["python"]
        answer = Client().get(f"/docs/examples/{client.name}")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            names = {name.removeprefix(f"prealerts_client-{client.version}/") for name in archive.namelist()}
        package = ROOT / "clients" / "python"
        sources = {
            path.relative_to(package).as_posix() for path in (package / "src").rglob("*") if path.suffix != ".pyc"
        }
        assert {"pyproject.toml", "README.md", "src/prealerts_client/py.typed"} <= names
        assert "src/prealerts_client/CHANGELOG.md" in names
        assert names - {"pyproject.toml", "README.md"} <= sources
        assert {name for name in sources if name.endswith(".py")} <= names

    @pytest.mark.parametrize("language", archives())
    def test_have_each_client_under_its_version_and_digest(self, language: str) -> None:
        client = archives()[language]
        answer = Client().get(f"/docs/examples/{client.name}")
        digest = hashlib.sha256(answer.content).hexdigest()
        page = text_of(shown("/docs/examples/"))
        assert client.version in client.name
        assert f"http://testserver/docs/examples/{client.name}" in page
        assert digest in page
        lasting = Client().get(f"/docs/examples/{client.lasting_name}")
        assert (lasting.status_code, lasting.headers["Location"]) == (302, f"/docs/examples/{client.name}")

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        "name", ["..%2fquickstart.md", "..", "../../.env", "nothing.py", "client.py%00", "/client.py"]
    )
    def test_are_the_only_files(self, name: str) -> None:
        assert Client().get(f"/docs/examples/{name}").status_code == 404

    def test_the_page_with_the_mistakes_links_its_workbook(self) -> None:
        assert "/docs/examples/manifest-CL-mistakes.xlsx" in links(shown("/docs/workbooks/"))


def test_html_in_a_page_is_escaped_and_a_script_is_not_a_link(tmp_path: Path) -> None:
    class Hostile(Page):
        @property
        def path(self) -> Path:
            return tmp_path / "page.md"

    Hostile("x", "x", "x").path.write_text("<script>1</script>\n\n[a](javascript:alert(1)) `<b>`", encoding="utf-8")
    body, _contents = rendered(Hostile("x", "x", "x"), "http://testserver")
    assert "<script" not in body
    assert "href" not in body
    assert "&lt;b&gt;" in body


def test_an_unknown_page_is_not_found() -> None:
    assert Client().get("/docs/operations/").status_code == 404


def test_the_document_leads_to_the_guides() -> None:
    document = Client().get("/docs/openapi.json").json()
    assert document["externalDocs"]["url"] == "http://testserver/docs/quickstart/"
    (webhooks,) = (tag for tag in document["tags"] if tag["name"] == "Webhooks")
    assert webhooks["externalDocs"]["url"] == "http://testserver/docs/webhooks/"
