"""Both documents are sound and complete, and say what those who make clients of them rely on."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from openapi_spec_validator import OpenAPIV31SpecValidator

from base.http.json_types import KNOWN_WORDS
from companies.countries import SERVED
from shipments.errors import EventFileUnreadable, GuideNotUnderRetention, LayoutAnswered, MoveRefused, Superseded
from shipments.manifests.house.house_layouts import LAYOUTS
from tests.companies.admin_pages import operator
from tests.companies.operators.tokens.speaking import program
from tests.prealerts.reference import schema
from tools.catalogue import answered_errors

UNDOCUMENTED = (
    "/admin", "/i18n/", "/static", "/media", "/docs/openapi.json", "/docs", "/internal/", "/api/carriers/",
    "/health/ready",
)  # fmt: skip
DOCUMENTS = pytest.mark.parametrize("of_operators", [False, True], ids=["clients", "operators"])


def whole(*, of_operators: bool) -> Any:
    return schema.operators_document() if of_operators else schema.document()


def routes(patterns: Any = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every route of the resolver, in the documents' spelling, and its view."""
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(entry.pattern).removeprefix("^").removesuffix("$").removesuffix("/?")
        if isinstance(entry, URLResolver):
            yield from routes(entry.url_patterns, route)
        elif isinstance(entry, URLPattern):
            yield "/" + re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", route), entry.callback


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def examples(media: Any) -> Iterator[tuple[str, Any]]:
    for name, example in media.get("examples", {}).items():
        yield name, example["value"]


class TestItIsSound:
    @DOCUMENTS
    def test_it_is_openapi_3_1(self, of_operators: bool) -> None:  # noqa: FBT001  # a case's own
        document = whole(of_operators=of_operators)
        assert document["openapi"] == "3.1.0"
        assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []

    def test_a_list_of_countries_may_grow(self) -> None:
        country = schema.document()["components"]["schemas"]["JsonResult"]["properties"]["country"]
        assert country[KNOWN_WORDS] == [*SERVED]
        assert "enum" not in country

    def test_it_says_who_to_ask_and_where_it_is_served(self, settings: Any) -> None:
        settings.ALLOWED_HOSTS = ["prealerts.example.com"]
        answer = Client().get("/docs/openapi.json", headers={"Host": "prealerts.example.com"}, secure=True)
        assert answer.json()["servers"] == [{"url": "https://prealerts.example.com"}]
        assert answer.json()["info"]["version"] == settings.API_VERSION
        assert answer.json()["info"]["contact"]["name"]

    def test_it_is_kept_by_caches_and_read_by_scripts_of_other_origins(self) -> None:
        answer = Client().get("/docs/openapi.json", headers={"Accept-Encoding": "gzip"})
        assert answer.headers["Cache-Control"] == "public, max-age=300"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Content-Encoding"] == "gzip"
        known = Client().get("/docs/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})
        assert (known.status_code, known.content) == (304, b"")

    def test_it_is_also_there_without_webhooks_and_what_only_they_have(self) -> None:
        without = Client().get("/docs/openapi.json?webhooks=off").json()
        assert without["paths"] == schema.document()["paths"]
        assert "webhooks" not in without
        assert list(without["components"]["securitySchemes"]) == ["ApiPassword"]
        assert {each.rpartition("/")[2] for each in references(without)} == {
            name for part in ("schemas", "headers") for name in without["components"][part]
        }

    @pytest.mark.django_db
    def test_only_operators_and_their_programs_are_given_theirs(self, settings: Any) -> None:
        settings.ADMIN_SECOND_FACTOR = False
        page = "/docs/operators.json"
        assert Client().get(page).status_code == 404
        assert operator().get(page).json() == {**schema.operators_document(), "servers": [{"url": "http://testserver"}]}
        token = {"Authorization": f"Bearer {program().token}"}
        assert Client().get(page, headers=token).status_code == 200
        assert Client().get(page, headers={"Authorization": "Bearer invented"}).status_code == 404
        settings.API_DOCS = False
        assert operator(username="rita").get(page).status_code == 404


class TestEveryRoute:
    def test_of_clients_is_documented_and_no_other(self) -> None:
        served = {route for route, _view in routes() if not route.startswith((*UNDOCUMENTED, schema.OPERATORS))}
        # below /docs, where the reference itself is
        templates = {f"/docs/templates/manifest-{country}.xlsx" for country in LAYOUTS}
        in_middleware = "/health"
        assert (served - {"/"}) | {*templates, in_middleware} == set(schema.document()["paths"])
        assert templates <= {route for route, _view in routes()}

    def test_of_operators_is_documented_with_its_methods_and_no_other(self) -> None:
        served = {
            (path, method)
            for path, view in routes()
            for method in ("get", "post", "patch", "delete", "put")
            if path.startswith(schema.OPERATORS) and hasattr(view.view_class, method)
        }
        assert served == {
            (path, method) for path, item in schema.operators_document()["paths"].items() for method in item
        }

    @pytest.mark.django_db
    def test_takes_the_methods_that_are_documented(self, acme: Any) -> None:
        for path, item in schema.document()["paths"].items():
            url = re.sub(r"\{\w+\}", "x", path)
            answer = acme.client.generic("DELETE" if "put" in item else "PUT", url, headers=acme.headers)
            allowed = {method.strip().lower() for method in answer.headers["Allow"].split(",")}
            assert (answer.status_code, allowed - {"head", "options"}) == (405, set(item)), path
            for method in item if path.startswith("/api/") else ():
                schema.assert_documented(answer, method.upper())


def every_schema(node: Any, place: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every mapping of a document with a `type`, with its place."""
    if isinstance(node, Mapping):
        if "type" in node and not isinstance(node["type"], Mapping):
            yield place, node
        for name, each in node.items():
            yield from () if name in {"examples", "example", "value"} else every_schema(each, f"{place}/{name}")
    elif isinstance(node, list):
        for number, each in enumerate(node):
            yield from every_schema(each, f"{place}/{number}")


class TestWhatGeneratorsRead:
    def test_a_manifest_is_one_plain_object(self) -> None:
        schemas = schema.document()["components"]["schemas"]
        assert schemas["JsonGuide"]["required"] == ["hawb", "consignee_name", "consignee_document"]
        assert schemas["JsonManifest"]["required"] == ["mawb", "transport_mode", "guides"]
        for name in ("JsonManifest", "JsonGuide", "JsonProduct"):
            assert all("type" in described for described in schemas[name]["properties"].values())
            assert not {"anyOf", "oneOf", "allOf", "if"} & schemas[name].keys()

    @DOCUMENTS
    def test_no_schema_makes_a_client_that_fails(self, of_operators: bool) -> None:  # noqa: FBT001  # as above
        """openapi-generator refuses a boolean with `const`, makes float32 of a number, and orval checks twice."""
        document = whole(of_operators=of_operators)
        for place, found in every_schema(document):
            kinds = [found.get("type")] if isinstance(found.get("type"), str) else found.get("type", [])
            assert not ("boolean" in kinds and "const" in found), place
            assert "number" not in kinds or found.get("format") == "double", place
            assert not {"enum", "minLength"} <= found.keys(), place
        for item in document["paths"].values():
            assert item.get("patch", {"requestBody": {"required": True}})["requestBody"]["required"]

    def test_the_upload_has_every_field_of_the_contract(self) -> None:
        form = schema.document()["components"]["schemas"]["UploadForm"]
        assert form["required"] == ["manifest_file"]
        assert set(form["properties"]) == {
            "manifest_file", "invoice_file", "flight_number", "origin_airport", "destination_airport",
            "origin_country", "scheduled_departure", "scheduled_arrival",
        }  # fmt: skip


class TestTheErrors:
    def test_every_code_is_documented_with_its_status(self) -> None:
        shown = {
            (int(status), name)
            for document in (schema.document(), schema.operators_document())
            for item in document["paths"].values()
            for operation in item.values()
            for status, response in operation["responses"].items()
            for media in response.get("content", {}).values()
            for name, value in examples(media)
            if value.get("success") is False
        }
        of_pages = {EventFileUnreadable, GuideNotUnderRetention, LayoutAnswered}
        elsewhere = of_pages | {Superseded, *MoveRefused.__subclasses__()}  # in the 200 of a job, or of many moves
        spoken = {(kind.status, kind.code) for kind in answered_errors() if kind not in elsewhere}
        assert spoken <= shown


class TestTheExamples:
    @DOCUMENTS
    def test_are_valid_by_their_own_schemas(self, of_operators: bool) -> None:  # noqa: FBT001  # as above
        document, seen = whole(of_operators=of_operators), 0
        for item in [*document["paths"].values(), *document.get("webhooks", {}).values()]:
            for operation in item.values():
                bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
                holders = [media for body in bodies for media in body.get("content", {}).values()]
                for holder in [*holders, *operation.get("parameters", [])]:
                    for name, value in examples(holder):
                        seen += 1
                        assert schema.problems(value, holder["schema"], of_operators=of_operators) == [], name
        assert seen > 100

    def test_of_fields_are_valid(self) -> None:
        for place, described in every_schema(schema.document()["components"]["schemas"]):
            for example in described.get("examples", ()):
                assert schema.problems(example, described) == [], place


class TestThePage:
    def test_takes_everything_from_our_own_origin_and_nothing_inline(self) -> None:
        html = Client().get("/docs/").content.decode()
        assert Client().get("/docs").content.decode() == html
        assert re.findall(r'(?:src|href|data-document)="(?!/static/|/docs/|/admin/login/|#)[^"]*"', html) == []
        assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", html) == []

    @pytest.mark.parametrize("path", ["/docs/", "/docs", "/docs/openapi.json"])
    def test_can_be_switched_off(self, settings: Any, path: str) -> None:
        settings.API_DOCS = False
        assert Client().get(path).status_code == 404

    def test_leaves_the_workbook_template_when_it_is_off(self, settings: Any) -> None:
        settings.API_DOCS = False
        assert Client().get("/docs/templates/manifest-CL.xlsx").status_code == 200
