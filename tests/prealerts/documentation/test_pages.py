"""The guides and sample files below `/docs/`."""

import csv
import hashlib
import html
import io
import json
import re
import zipfile
from base64 import urlsafe_b64encode
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.test import Client
from django.utils.translation import gettext, override

from base.errors import DomainError
from prealerts.documentation.pages import PAGES, ROOT, SAMPLES, Page, archives
from prealerts.documentation.rendering import render_page
from tools.catalogue import answered_errors

ENGLISH = [f"/docs/{slug}/" for slug in PAGES] + ["/docs/examples/"]
BOTH = [page for page in PAGES.values() if "es" in page.languages]
ADDRESSES = [*ENGLISH, *(f"/docs/es/{page.slug}/" for page in BOTH)]
DOWNLOADS = [f"/docs/examples/{name}" for name in SAMPLES]


def shown(address: str, **extra: Any) -> str:
    answer = Client(**extra).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


@cache
def plain(address: str) -> str:
    """What nothing about the request changes, rendered once; empty for a file."""
    answer = Client().get(address)
    assert answer.status_code == 200, address
    return answer.content.decode() if answer["Content-Type"].startswith("text/html") else ""


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def ids(page: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', page)


def links(page: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r' href="([^"]+)"', page)]


class TestEachPage:
    @pytest.mark.parametrize("address", ADDRESSES)
    def test_is_served_in_both_spellings_without_a_password(self, address: str) -> None:
        assert plain(address) == shown(address.rstrip("/"))

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_takes_everything_from_our_own_origin_and_nothing_inline(self, address: str) -> None:
        page = plain(address)
        assert re.findall(r' src="(?!/static/)[^"]*"|<link rel="(?!alternate)[^>]*href="(?!/static/)[^"]*"', page) == []
        assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", page) == []

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_has_no_anchor_twice_and_no_link_that_leads_nowhere(self, address: str) -> None:
        page = plain(address)
        assert len(set(ids(page))) == len(ids(page))
        for link in links(page):
            there = urlsplit(link)
            if there.scheme or there.path.startswith("/static/"):
                assert there.scheme in {"", "https"}, link
                continue
            led = plain(there.path or address)
            assert not there.fragment or unquote(there.fragment) in ids(led), link

    def test_is_closed_with_the_reference(self, settings: Any) -> None:
        settings.API_DOCS = False
        assert {Client().get(address).status_code for address in (*ADDRESSES, *DOWNLOADS)} == {404}

    def test_takes_no_other_method(self) -> None:
        browser = Client(enforce_csrf_checks=True)
        assert {browser.post(address).status_code for address in (*ADDRESSES, *DOWNLOADS)} == {405}

    def test_is_linked_from_the_reference(self) -> None:
        assert {*ENGLISH} - {*links(shown("/docs/"))} == set()

    def test_has_the_services_own_address_in_its_examples(self, settings: Any) -> None:
        settings.ALLOWED_HOSTS = ["alerts.example.org"]
        page = text_of(shown("/docs/quickstart/", headers={"host": "alerts.example.org"}))
        assert "PREALERTS_ADDRESS=http://alerts.example.org" in page
        assert "127.0.0.1:8000" not in page
        assert "prealerts.example.com" not in page

    @pytest.mark.parametrize("slug", PAGES)
    def test_has_the_whole_text_of_its_file_and_none_of_its_marks(self, slug: str) -> None:
        page = text_of(plain(f"/docs/{slug}/"))
        assert "<!--" not in page
        for line in re.findall(r"^#+ (.+)$", PAGES[slug].text("en"), re.MULTILINE):
            assert line.replace("`", "") in page

    def test_lists_its_headings_with_their_anchors(self) -> None:
        page = shown("/docs/workbooks/")
        assert '<a href="#warnings-and-notices">Warnings and notices</a>' in page
        assert '<h2 id="warnings-and-notices">' in page

    @pytest.mark.parametrize("language", ["en", "es"])
    @pytest.mark.parametrize(
        ("slug", "code"),
        [
            ("reference", "mawb_already_exists"),
            ("workbooks", "rut_invalid_format"),
            ("workbooks", "field_truncated"),
            ("workbooks", "hawb_elsewhere"),
            ("json", "duplicate_hawb"),
        ],
    )
    def test_has_an_anchor_for_each_code(self, language: str, slug: str, code: str) -> None:
        assert ids(plain(f"/docs/{language}/{slug}/")).count(code) == 1

    def test_shows_a_sample_in_several_languages_behind_tabs(self) -> None:
        page = shown("/docs/quickstart/")
        (tabs,) = (part for part in re.findall(r'<div class="tabs".*?</div>', page, re.DOTALL) if "/upload" in part)
        assert re.findall(r"<label [^>]*>(\w+)</label>", tabs) == ["curl", "Python", "TypeScript"]
        assert re.findall(r'<input [^>]*value="(\w+)"( checked)?>', tabs) == [
            ("sh", " checked"), ("python", ""), ("typescript", "")
        ]  # fmt: skip
        assert re.findall(r'class="language-(\w+)"', tabs) == ["sh", "python", "typescript"]


class TestTheLanguages:
    @pytest.mark.parametrize("page", BOTH, ids=lambda page: page.slug)
    def test_have_the_same_headings_samples_codes_and_tables(self, page: Page) -> None:
        english, spanish = (parts_of(page.text(language)) for language in ("en", "es"))
        assert english == spanish

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_have_the_message_of_each_error(self, language: str) -> None:
        page = PAGES["reference"].text(language).replace("\\<", "<")
        rows = {row[1]: row[2] for row in re.finditer(r"^\| `(\w+)` \| \d{3} \| (.*)$", page, re.MULTILINE)}
        errors = [*answered_errors()]
        for error in errors:
            with override(language):
                messages = {gettext(each.default_message) for each in errors if each.code == error.code}
            if error.default_message != DomainError.default_message:
                assert any(f"*{message}*" in rows[error.code] for message in messages), error.code

    def test_are_chosen_by_the_browser_or_by_the_reader_and_said(self) -> None:
        for address, asked, language in [
            ("/docs/quickstart/", "", "en"),
            ("/docs/quickstart/", "es-CL,es;q=0.9", "es"),
            ("/docs/en/quickstart/", "es", "en"),
            ("/docs/es/quickstart/", "en", "es"),
            ("/docs/es/changelog/", "es", "en"),  # there is no Spanish
        ]:
            answer = Client().get(address, headers={"Accept-Language": asked} if asked else {})
            assert answer.headers["Content-Language"] == language
            assert f'<html lang="{language}">' in answer.content.decode()

    def test_are_kept_by_the_links_of_a_page_that_was_chosen(self) -> None:
        page = shown("/docs/es/quickstart/")
        assert "/docs/es/webhooks/" in links(page)
        assert "/docs/en/quickstart/" in links(page)

    @pytest.mark.parametrize("page", BOTH, ids=lambda page: page.slug)
    def test_are_served_as_markdown_with_the_services_own_address(self, page: Page) -> None:
        for address, language in ((f"/docs/{page.slug}.md", "en"), (f"/docs/es/{page.slug}.md", "es")):
            answer = Client().get(address)
            assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
            assert answer.content.decode().splitlines()[0] == page.text(language).splitlines()[0]
            assert f"http://testserver/docs/{language}/{page.slug}.md" in shown("/docs/llms.txt")
            for target in re.findall(r"\]\(([^()\s#]+)", answer.content.decode()):
                assert target.startswith("http"), target
                path = target.removeprefix("http://testserver")
                assert path == target or Client().get(path).status_code == 200, target

    def test_the_page_on_the_sandbox_names_the_one_of_this_service(self, settings: Any) -> None:
        settings.SANDBOX_ADDRESS = "https://try.example.org"
        assert "PREALERTS_ADDRESS=https://try.example.org\n" in Client().get("/docs/sandbox.md").content.decode()


def parts_of(markdown: str) -> Any:
    """What is the same in every language: samples, levels of headings; of each section codes, and sizes of tables."""
    samples = re.findall(r"^```.*?^```$", markdown, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    sections = re.split(r"^(#+) .*$", prose, flags=re.MULTILINE)
    codes = [sorted(set(re.findall(r"`[^`]+`", " ".join(each.split())))) for each in sections[2::2]]
    rows = [[line.count("|") for line in each.splitlines() if line.startswith("|")] for each in sections[2::2]]
    return samples, sections[1::2], codes, rows


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

    def test_have_a_wheel_with_a_record_of_what_is_in_it(self) -> None:
        client = archives()["python-wheel"]
        answer = Client().get(f"/docs/examples/{client.name}")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as wheel:
            held = {name: wheel.read(name) for name in wheel.namelist()}
        folder = f"prealerts_client-{client.version}.dist-info"
        rows = list(csv.reader(held.pop(f"{folder}/RECORD").decode().splitlines()))
        assert rows.pop() == [f"{folder}/RECORD", "", ""]
        digests = {name: urlsafe_b64encode(hashlib.sha256(content).digest()) for name, content in held.items()}
        assert rows == [
            [name, f"sha256={digests[name].decode().rstrip('=')}", str(len(content))] for name, content in held.items()
        ]
        assert {"prealerts_client/py.typed", f"{folder}/METADATA", f"{folder}/WHEEL"} <= set(held)

    @pytest.mark.parametrize("key", archives())
    def test_never_change_without_a_new_version(self, key: str) -> None:
        client = archives()[key]
        released: dict[str, str] = json.loads((ROOT / "clients" / "digests.json").read_text(encoding="utf-8"))
        assert released.get(client.name) == client.sha256, (
            f"{client.name} has another content. Raise its version; the line in digests.json is {client.sha256}."
        )

    @pytest.mark.parametrize("key", archives())
    def test_have_each_client_under_its_version_and_digest(self, key: str) -> None:
        client = archives()[key]
        answer = Client().get(f"/docs/examples/{client.name}")
        digest = hashlib.sha256(answer.content).hexdigest()
        page = text_of(shown("/docs/examples/"))
        assert client.version in client.name
        assert digest in page
        assert (f"install http://testserver/docs/examples/{client.name}" in page) == (key != "python")  # the wheel
        if not client.lasting_name:
            return
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


def test_html_in_a_page_is_escaped_and_a_script_is_not_a_link() -> None:
    hostile = Page("x", "x", made=lambda: "<script>1</script>\n\n[a](javascript:alert(1)) `<b>`")
    body, _contents = render_page(hostile, "en", "http://testserver")
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
