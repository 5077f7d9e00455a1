"""What a request sends: its body, and its `Idempotency-Key`.

A body must be bounded, complete and in UTF-8; others are refused unstored.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import QueryDict
from django.http.multipartparser import MultiPartParserError
from django.utils.http import parse_header_parameters
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from base.errors import InvalidBody, Translatable, ValidationFailed
from base.http.requests import is_admin_request
from shipments.errors import ManifestFileRequired
from shipments.intake.idempotency import SentKey
from shipments.manifests.payload import strict_json

IDEMPOTENCY_KEY = "Idempotency-Key"
LONGEST_KEY = 255
REPLAYED = "Idempotent-Replayed"
"""The response header of a repeated answer."""

_BODY_SHA256 = "prealerts.body_sha256"


class AlwaysJson(BaseContentNegotiation):
    """Always respond in JSON. Accept a body only in the media type of the view."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        sent, _parameters = parse_header_parameters(request.content_type)
        return next((parser for parser in parsers if parser.media_type == sent), None)

    def select_renderer(
        self,
        request: Request,  # noqa: ARG002  # the signature is DRF's
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,  # noqa: ARG002  # the signature is DRF's
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or "application/json"


class DroppedFile(UploadedFile):  # type: ignore[type-arg]  # generic only in the hints
    """What a page gets in place of a file that was not kept; its `UploadField` reports why.

    trouble: why it could not be stored; None if it is too large.
    """

    def __init__(self, name: str, trouble: OSError | None) -> None:
        super().__init__(BytesIO(), name, size=0)
        self.trouble = trouble
        self.is_too_large = trouble is None


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Write each file to disk as it arrives, compute its digest, and stop at the contract's limit.

    The finished file has its SHA-256 as `sha256`. The API raises `ValidationFailed` with the form field. A page of the
    admin gets a `DroppedFile`: the CSRF check reads its body before any view could report the error. Up to twice the
    limit is read for that, which is what the proxy lets through; then the request is refused.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature, passed on unchanged
        self.received = 0
        self.digest = hashlib.sha256()
        self.trouble: OSError | None = None
        self.__dict__.pop("file", None)  # the one before, which is not to be deleted
        self.is_of_a_page = self.request is not None and is_admin_request(self.request)
        try:
            Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
            super().new_file(*args, **kwargs)
        except OSError as error:
            self._drop(error)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.received > settings.MAX_FILE_BYTES:
            self._refuse()
        elif self.trouble is None:
            self.digest.update(raw_data)
            try:
                super().receive_data_chunk(raw_data, start)
            except OSError as error:
                self._drop(error)

    def _refuse(self) -> None:
        if self.is_of_a_page and self.received <= 2 * settings.MAX_FILE_BYTES:
            return
        self.upload_interrupted()
        if self.is_of_a_page:
            raise RequestDataTooBig
        limit = settings.MAX_FILE_BYTES // (1024 * 1024)
        raise ValidationFailed(
            details={str(self.field_name): [Translatable("The file is larger than %(limit)s MB.", limit=limit)]}
        )

    def _drop(self, error: OSError) -> None:
        if not self.is_of_a_page:
            raise error
        self.trouble = error

    def file_complete(self, file_size: int) -> "UploadedFile[bytes] | None":
        if self.trouble is not None or self.received > settings.MAX_FILE_BYTES:
            self.upload_interrupted()
            return DroppedFile(str(self.file_name), self.trouble)
        file = super().file_complete(file_size)
        if file is not None:
            file.sha256 = self.digest.hexdigest()  # type: ignore[attr-defined]  # read by `files.storage.store` and `with_form`
        return file


class _WatchedStream:
    """Pass reads through, recording the number of bytes and the last of them."""

    _tail_length = 1024  # enough for the closing boundary (at most 70 characters) and an epilogue

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.received = 0
        self.tail = b""

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.received += len(data)
        self.tail = (self.tail + data)[-self._tail_length :]
        return data


def _is_chunked(request: Request) -> bool:
    """Return whether the body is chunked: it has no length, and the application server ensures that it is complete."""
    return bool(request.META.get("prealerts.chunked"))


def _require_whole(body: _WatchedStream, request: Request) -> None:
    boundary = parse_header_parameters(request.content_type)[1].get("boundary", "")
    is_short = not _is_chunked(request) and body.received < int(request.META["CONTENT_LENGTH"])
    if is_short or f"--{boundary}--".encode() not in body.tail:
        raise MultiPartParserError("cut off")


class StrictMultiPartParser(MultiPartParser):
    """Multipart that must be complete: of the announced length, and closed by its boundary.

    Django silently accepts the received part of a truncated body.
    """

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> "DataAndFiles[Any, Any]":
        """Raises `MultiPartParserError`, DRF's `ParseError`, Django's `SuspiciousOperation`, `ValidationFailed`."""
        context = dict(parser_context or {}) | {"encoding": "utf-8"}
        request: Request = context["request"]
        if is_encoded(request):
            raise ValidationFailed(_ENCODED)
        if not parse_header_parameters(request.content_type)[1].get("boundary"):
            raise ValidationFailed(
                "The Content-Type of the form has no boundary: let the HTTP library write this header, and do not set "
                "it yourself."
            )
        watched = _WatchedStream(stream)
        try:
            parsed = super().parse(watched, media_type, context)  # type: ignore[arg-type]  # only read() is used
            _require_whole(watched, request)
        except BaseException:
            for handler in request.upload_handlers:
                handler.upload_interrupted()
            raise
        return parsed


class StrictJsonParser(BaseParser):
    """Unambiguous JSON: UTF-8, within the limit, complete, without duplicate keys, NaN or NUL.

    With an `Idempotency-Key`, the SHA-256 of the body's bytes, in hex, is left in `META`, for `with_json`.
    most_kilobytes: the limit, where it is lower than that of a manifest.
    """

    media_type = "application/json"
    most_kilobytes: int | None = None

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002  # the signature is DRF's
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401  # any JSON value; the payload's reader validates it
        """Return the decoded value. Raises `InvalidBody`."""
        request: Request = (parser_context or {})["request"]
        if is_encoded(request):
            raise InvalidBody(_ENCODED)
        charset = parse_header_parameters(request.content_type)[1].get("charset", "utf-8")
        if charset.lower() not in {"utf-8", "utf8"}:
            raise InvalidBody("The body must be in UTF-8.")
        announced = None if _is_chunked(request) else int(request.META["CONTENT_LENGTH"])
        limit, too_long = settings.MAX_JSON_BYTES, _TOO_LONG
        if self.most_kilobytes:
            limit = self.most_kilobytes * 1024
            too_long = Translatable("The body is larger than %(limit)s kB.", limit=self.most_kilobytes)
        if (announced or 0) > limit:
            raise InvalidBody(too_long)
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise InvalidBody(too_long)
        if announced is not None and len(body) < announced:
            raise InvalidBody("The body ended before its announced length.")
        if IDEMPOTENCY_KEY in request.headers:
            request.META[_BODY_SHA256] = hashlib.sha256(body).hexdigest()
        return strict_json.loads(body)


NOT_A_MANIFEST = Translatable("Send the manifest with Content-Type: application/json.")
_NOT_JSON = Translatable("Send JSON with Content-Type: application/json.")


def read_json_body(request: Request, text: str = _NOT_JSON) -> Any:  # noqa: ANN401  # any JSON
    """Return what was sent; None without a body. Raises `InvalidBody`, with `text` for another media type."""
    try:
        return request.data if request.stream else None
    except UnsupportedMediaType:
        raise InvalidBody(text) from None


def read_json_object(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent; empty without a body. Raises `InvalidBody`."""
    data = read_json_body(request) if request.stream else {}
    if not isinstance(data, dict):
        raise InvalidBody
    return data


def read_form_body(request: Request) -> QueryDict:
    """Return every part of the form, files included. Raises `ManifestFileRequired` for another media type."""
    try:
        return cast("QueryDict", request.data)
    except UnsupportedMediaType:
        raise ManifestFileRequired from None


def is_encoded(request: Request) -> bool:
    return request.headers.get("Content-Encoding", "").strip().lower() not in {"", "identity"}


_ENCODED: str = Translatable(
    "Compressed bodies are not read: send the body as it is, without the header Content-Encoding."
)
_TOO_LONG: str = Translatable("The body is larger than 10 MB.")


# --- Idempotency-Key -----------------------------------------------------------------------------------------------

_PRINTABLE = re.compile(rf"[ -~]{{1,{LONGEST_KEY}}}")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
"""A string of RFC 9651, 3.3.3, which the draft asks for. Stripe's clients, and most others, send none."""


def read_idempotency_key(request: Request) -> str | None:
    """Return the key of `request`, None without the header. Raises `ValidationFailed`.

    The same key with and without quotes is one key.
    """
    sent = request.headers.get(IDEMPOTENCY_KEY)
    if sent is None:
        return None
    key: str | None = sent.strip(" \t")
    if key and key.startswith('"'):
        quoted = _QUOTED.fullmatch(key)
        key = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else None
    if not key or not _PRINTABLE.fullmatch(key):
        problem = Translatable(
            "Send 1 to %(most)s printable ASCII characters, such as a UUID, with or without quotes around them.",
            most=LONGEST_KEY,
        )
        raise ValidationFailed(details={IDEMPOTENCY_KEY: [problem]})
    return key


def with_form(request: Request, key: str | None) -> SentKey | None:
    """Return the key with the fingerprint of an upload's form, which has been read.

    The body's own bytes do not serve: its boundary differs in every retry.
    """
    if key is None:
        return None
    files = [[name, file.sha256] for name, sent in request.FILES.lists() for file in sent]
    texts = [[name, *request.POST.getlist(name)] for name in request.POST]
    return SentKey(key, _fingerprint(request, [sorted(files), sorted(texts)]))


def with_json(request: Request, key: str | None) -> SentKey | None:
    """Return the key with the fingerprint of a JSON body, which has been read."""
    return SentKey(key, _fingerprint(request, request.META.get(_BODY_SHA256))) if key is not None else None


def _fingerprint(request: Request, content: object) -> str:
    route = request.resolver_match.url_name if request.resolver_match else None
    return hashlib.sha256(json.dumps([request.method, route, content]).encode()).hexdigest()
