"""The document is sound, complete, and made of what the code says of itself."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from drf_spectacular.drainage import GENERATOR_STATS
from openapi_spec_validator import OpenAPIV31SpecValidator

from base.http.json_types import KNOWN_WORDS
from companies.countries import SERVED
from companies.errors import ForbiddenCountry, InvalidCredentials, InvalidToken, MissingToken
from prealerts.answers import ANSWERS
from prealerts.reference.about import API_VERSION
from prealerts.reference.document import document as build
from prealerts.reference.operators import operators_document
from prealerts.reference.request_body import JsonGuide, JsonManifest, JsonProduct
from shipments.errors import (
    AmbiguousGuide,
    AmbiguousMawb,
    BatchNotOpen,
    CountryMismatch,
    EventFileUnreadable,
    GuideAlreadyTerminal,
    GuideNotUnderRetention,
    InvalidTransition,
    LayoutAnswered,
    MoveRefused,
    Superseded,
    UpstreamUnavailable,
)
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.house.house_layouts import LAYOUTS
from shipments.manifests.payload.body import MANIFEST_FIELDS
from shipments.manifests.payload.products import PRODUCT_FIELDS
from tests.prealerts.reference import schema

OF_CANCELLING = {GuideAlreadyTerminal, InvalidTransition}
"""What a move is refused with that a client can ask for."""
UNDOCUMENTED = (
    "admin", "i18n/", "static", "media", "docs/openapi.json", "docs", "internal/", "api/operators/", "api/carriers/",
    "health/ready",
)  # fmt: skip


def routes(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    """Every route of the resolver, as a pattern of the document's spelling."""
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(entry.pattern).removeprefix("^").removesuffix("$").removesuffix("/?")
        if isinstance(entry, URLResolver):
            yield from routes(entry.url_patterns, route)
        elif isinstance(entry, URLPattern):
            yield "/" + re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", route)


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


def arrays(node: Any) -> Iterator[Any]:
    """Every schema that an array may meet."""
    if isinstance(node, dict):
        kind = node.get("type")
        if kind == "array" or (isinstance(kind, list) and "array" in kind):
            yield node
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from arrays(value)


class TestItIsSound:
    def test_it_is_openapi_3_1(self) -> None:
        document = schema.document()
        assert document["openapi"] == "3.1.0"
        assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []

    def test_the_generator_had_nothing_to_warn_of(self) -> None:
        build.cache_clear()
        build()
        assert not GENERATOR_STATS

    def test_every_reference_leads_somewhere(self) -> None:
        document = schema.document()
        for reference in set(references(document)):
            node = document
            for step in reference.removeprefix("#/").split("/"):
                node = node[step]

    def test_every_array_says_what_it_holds(self) -> None:
        found = list(arrays(schema.document()))
        assert len(found) > 20
        assert [each for each in found if "items" not in each] == []

    def test_a_list_of_countries_may_grow(self) -> None:
        country = schema.document()["components"]["schemas"]["JsonResult"]["properties"]["country"]
        assert country[KNOWN_WORDS] == [*SERVED]
        assert "enum" not in country

    def test_it_names_its_licence(self) -> None:
        assert schema.document()["info"]["license"] == {"name": "MIT", "identifier": "MIT"}

    def test_it_says_who_to_ask_and_where_it_is_served(self, settings: Any) -> None:
        settings.ALLOWED_HOSTS = ["prealerts.example.com"]
        answer = Client().get("/docs/openapi.json", headers={"Host": "prealerts.example.com"}, secure=True)
        assert answer.json()["servers"] == [{"url": "https://prealerts.example.com"}]
        assert answer.json()["info"]["version"] == API_VERSION
        assert answer.json()["info"]["contact"]["name"]

    def test_every_operation_has_a_name_a_tag_and_words(self) -> None:
        operations = schema.operations().values()
        names = [operation["operationId"] for operation in operations]
        assert len(set(names)) == len(names)
        for operation in operations:
            assert operation["summary"]
            assert operation["description"]
            assert {tag["name"] for tag in schema.document()["tags"]} >= set(operation["tags"])

    def test_nothing_internal_is_in_it(self) -> None:
        assert "x-spec-enum-id" not in json.dumps(schema.document())

    def test_it_is_kept_by_caches_and_read_by_scripts_of_other_origins(self) -> None:
        answer = Client().get("/docs/openapi.json", headers={"Accept-Encoding": "gzip"})
        assert answer.headers["Cache-Control"] == "public, max-age=300"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Content-Encoding"] == "gzip"
        known = Client().get("/docs/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})
        assert (known.status_code, known.content) == (304, b"")

    def test_it_is_also_there_without_webhooks_and_what_only_they_have(self) -> None:
        without = Client().get("/docs/openapi.json?webhooks=off").json()
        whole = schema.document()
        assert without["paths"] == whole["paths"]
        assert "webhooks" not in without
        assert list(without["components"]["securitySchemes"]) == ["ApiPassword"]
        gone = whole["components"]["schemas"].keys() - without["components"]["schemas"].keys()
        assert {"GuideDeliveredEvent", "GuideMovedData"} <= gone
        assert {each.rpartition("/")[2] for each in references(without)} <= {
            name for part in without["components"].values() for name in part
        }

    def test_it_is_built_once(self) -> None:
        assert build() is build()


class TestEveryRoute:
    def test_is_documented_and_no_other(self) -> None:
        served = {route for route in routes() if not route.lstrip("/").startswith(UNDOCUMENTED) and route != "/"}
        # below /docs, where the reference itself is
        templates = {f"/docs/templates/manifest-{country}.xlsx" for country in LAYOUTS}
        in_middleware = "/health"
        assert served | {*templates, in_middleware} == set(schema.document()["paths"])
        assert templates <= set(routes())

    def test_of_the_api_is_described_on_the_view_that_answers_it(self) -> None:
        for method, path in schema.operations():
            if path.startswith("/api/"):
                view: Any = resolve(re.sub(r"\{\w+\}", "x", path)).func
                assert "schema" in getattr(view.cls, method.lower()).kwargs, path

    @pytest.mark.django_db
    def test_takes_the_methods_that_are_documented(self) -> None:
        for path, item in schema.document()["paths"].items():
            answer = Client(enforce_csrf_checks=True).delete(re.sub(r"\{\w+\}", "x", path))
            if path.startswith("/api/"):
                assert answer.status_code in {401, 405}
                continue
            allowed = {method.strip().lower() for method in answer.headers["Allow"].split(",")}
            assert (answer.status_code, allowed - {"head"}) == (405, set(item)), path

    @pytest.mark.django_db
    def test_of_the_api_takes_the_methods_that_are_documented(self, acme: Any) -> None:
        for path, item in schema.document()["paths"].items():
            if path.startswith("/api/"):
                url = re.sub(r"\{\w+\}", "x", path)
                answer = acme.client.generic("DELETE" if "put" in item else "PUT", url, headers=acme.headers)
                allowed = {method.strip().lower() for method in answer.headers["Allow"].split(",")}
                assert (answer.status_code, allowed - {"head", "options"}) == (405, set(item)), path
                for method in item:
                    schema.assert_documented(answer, method.upper())

    def test_needs_the_password_unless_it_is_public(self) -> None:
        for (_method, path), operation in schema.operations().items():
            assert operation.get("security") == ([{"ApiPassword": []}] if path.startswith("/api/") else [{}]), path


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


class TestTheRequestBodies:
    @pytest.mark.parametrize(
        ("name", "fields"),
        [
            (JsonManifest.__name__, MANIFEST_FIELDS),
            (JsonGuide.__name__, GUIDE_FIELDS),
            (JsonProduct.__name__, PRODUCT_FIELDS),
        ],
    )
    def test_have_every_field_of_the_readers_tables_with_words_and_an_example(self, name: str, fields: Any) -> None:
        shown = schema.document()["components"]["schemas"][name]["properties"]
        assert shown.keys() == {field.name for field in fields}
        assert {field for field, described in shown.items() if "description" not in described} == set()
        for field, described in shown.items():
            for example in described["examples"] if field != "guides" and "examples" in described else []:
                assert schema.problems(example, described) == [], field

    def test_say_what_generators_read(self) -> None:
        schemas = schema.document()["components"]["schemas"]
        assert schemas["JsonGuide"]["required"] == ["hawb", "consignee_name", "consignee_document"]
        assert schemas["JsonManifest"]["required"] == ["mawb", "transport_mode", "guides"]
        for name in ("JsonManifest", "JsonGuide", "JsonProduct"):
            assert all("type" in described for described in schemas[name]["properties"].values())
            assert not {"anyOf", "oneOf", "allOf", "if"} & schemas[name].keys()

    def test_have_no_schema_of_which_a_generator_makes_a_client_that_fails(self) -> None:
        """openapi-generator refuses a boolean with `const`, makes float32 of a number, and orval checks twice."""
        for document in (schema.document(), operators_document()):
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
    def test_every_code_that_a_client_can_get_is_documented_with_its_status(self) -> None:
        shown = {
            (int(status), name)
            for operation in schema.operations().values()
            for status, response in operation["responses"].items()
            for media in response.get("content", {}).values()
            for name, value in examples(media)
            if value.get("success") is False
        }
        operators = {
            EventFileUnreadable, GuideNotUnderRetention, LayoutAnswered, MissingToken, InvalidToken, InvalidCredentials,
            ForbiddenCountry, CountryMismatch, AmbiguousGuide, AmbiguousMawb, BatchNotOpen, UpstreamUnavailable,
        }  # fmt: skip
        of_a_job = {Superseded}  # in its 200
        spoken = {
            answer
            for kind, answer in ANSWERS.items()
            if kind in OF_CANCELLING or (kind not in operators | of_a_job and not issubclass(kind, MoveRefused))
        }
        assert shown == spoken | {(405, "method_not_allowed"), (500, "internal_server_error"), (400, "invalid_host")}


class TestTheExamples:
    def test_are_valid_by_their_own_schemas(self) -> None:
        seen = 0
        for operation in [*schema.operations().values(), *(e["post"] for e in schema.document()["webhooks"].values())]:
            for holder in [operation.get("requestBody", {}), *operation["responses"].values()]:
                for media in holder.get("content", {}).values():
                    for name, value in examples(media):
                        seen += 1
                        assert schema.problems(value, media["schema"]) == [], name
        assert seen > 50

    def test_of_paths_are_valid(self) -> None:
        for operation in schema.operations().values():
            for parameter in operation.get("parameters", []):
                for _name, value in examples(parameter):
                    assert schema.problems(value, parameter["schema"]) == []


class TestThePage:
    def test_takes_everything_from_our_own_origin_and_nothing_inline(self) -> None:
        html = Client().get("/docs/").content.decode()
        assert Client().get("/docs").content.decode() == html
        assert re.findall(r'(?:src|href|data-document)="(?!/static/|/docs/|#)[^"]*"', html) == []
        assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", html) == []

    @pytest.mark.parametrize("path", ["/docs/", "/docs", "/docs/openapi.json"])
    def test_can_be_switched_off(self, settings: Any, path: str) -> None:
        settings.API_DOCS = False
        assert Client().get(path).status_code == 404

    def test_leaves_the_workbook_template_when_it_is_off(self, settings: Any) -> None:
        settings.API_DOCS = False
        assert Client().get("/docs/templates/manifest-CL.xlsx").status_code == 200
