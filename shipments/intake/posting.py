"""Receiving a canonical JSON manifest: the checks in their specified order, then the rows. All or nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.core.files.base import File

from base.errors import InvalidBody, Translatable
from companies.countries import SERVED
from companies.errors import ClientCodeNotAllowed, CompanyIsCourier, CountryNotAllowed
from companies.models import Company
from shipments.carriers.guides import number_keys
from shipments.errors import MarketplaceFieldsMissing, MarketplaceFieldsNotAllowed
from shipments.intake.idempotency import SentKey, once
from shipments.intake.ingest import Ingested, Posting, ingest
from shipments.manifests.findings import REFUSING, Refusing
from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.payload import strict_json
from shipments.manifests.payload.body import client_code, destination, read_manifest
from shipments.manifests.payload.guides import marketplace_problems
from shipments.models import Channel


def receive_json(poster: Company, body: object, key: SentKey | None = None) -> Ingested:
    """Check `body` (decoded JSON) and ingest it for its owner: `poster` itself, or the client a courier names.

    key: the request's `Idempotency-Key`; the result is a replay if the same request succeeded under it before.

    Raises, in this order: `InvalidBody`; `ClientCodeNotAllowed`, `CompanyIsCourier`, `ClientNotResolved`;
    `IdempotencyKeyReused`, `IdempotencyInProgress`; `UnsupportedCountry`; `UnsupportedTransportMode`;
    `DestinationUnresolved`; `CountryNotAllowed`; `ValidationFailed`; `ManifestValidationFailed`;
    `MarketplaceFieldsMissing` or `MarketplaceFieldsNotAllowed`; `TrackingPrefixMissing`; `MawbAlreadyExists`.
    """
    if not isinstance(body, Mapping):
        raise InvalidBody
    owner = owner_of(poster, body)
    posting = Posting(owner=owner, posted_by=poster, channel=Channel.JSON)
    # A key belongs to its route, so that no upload's job is found here.
    return cast("Ingested", once(poster, key, lambda finish: ingest(read_json(owner, body), posting, finish=finish)))


def read_json(owner: Company, body: Mapping[str, object], refusing: Refusing = REFUSING) -> ParsedManifest:
    """Read the manifest of `owner`. Raises `UnsupportedCountry` and what follows it, as `receive_json` says.

    refusing: a trial reads on, with the guides that are valid.
    """
    owner.require_any_country(SERVED)
    transport_mode, country = destination(body)
    try:
        owner.require_country(country)
    except CountryNotAllowed as refusal:
        refusing.refuse(refusal)
        if country not in SERVED:
            raise
    parsed = read_manifest(body, transport_mode, country, refusing, number_keys(country))
    problems, total = marketplace_problems(parsed, is_marketplace=owner.is_marketplace)
    if problems:
        refused = MarketplaceFieldsMissing if owner.is_marketplace else MarketplaceFieldsNotAllowed
        refusing.refuse(refused(invalid_rows=problems, invalid_rows_total=total))
    return parsed


def owner_of(poster: Company, body: Mapping[str, object]) -> Company:
    """Return the owner of the manifest that a body is about: the caller, or the client that a courier names.

    Its rights, tracking prefix and marketplace rule apply. Raises `ClientCodeNotAllowed`, `CompanyIsCourier`,
    `ClientNotResolved`, and `ValidationFailed` for an invalid client_code.
    """
    if not poster.is_courier:
        code = body.get("client_code")
        if code is not None and not (isinstance(code, str) and not code.strip()):
            raise ClientCodeNotAllowed
        return poster
    client = client_code(body)
    if not client:
        raise CompanyIsCourier("A courier names the client it posts for: send client_code.")
    return Company.objects.for_courier(poster, client)


def holds_json(file: "IO[bytes] | File[bytes]") -> bool:
    """Return whether a file is a JSON manifest, by its first bytes or its name."""
    beginning = file.read(512)
    file.seek(0)
    return beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) or str(file.name).lower().endswith(".json")


def body_of_file(owner: Company, path: Path) -> dict[str, Any]:
    """Return the body in a file of `owner`. Raises as `receive_json` says, and OSError if the file does not exist."""
    with path.open("rb") as file:
        content = file.read(settings.MAX_JSON_BYTES + 1)
    if len(content) > settings.MAX_JSON_BYTES:
        limit = settings.MAX_JSON_BYTES // 1024**2
        raise InvalidBody(Translatable("The file is larger than %(limit)s MB.", limit=limit))
    body = strict_json.loads(content)
    if not isinstance(body, dict):
        raise InvalidBody
    owner_of(owner, body)
    return body
