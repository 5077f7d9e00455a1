"""Receiving a canonical JSON manifest: the checks in their specified order, then the rows. All or nothing."""

from collections.abc import Mapping

from companies.countries import SERVED
from companies.errors import ClientCodeNotAllowed, CompanyIsCourier
from companies.models import Company
from shipments.errors import InvalidBody, MarketplaceFieldsMissing, MarketplaceFieldsNotAllowed
from shipments.intake.ingest import Ingested, ingest
from shipments.manifests import payload
from shipments.models import Channel


def receive(poster: Company, body: object) -> Ingested:
    """Check `body` (decoded JSON) and ingest it for its owner: `poster` itself, or the client a courier names.

    Raises, in this order: `InvalidBody`; `ClientCodeNotAllowed`, `CompanyIsCourier`, `ClientNotResolved`;
    `UnsupportedCountry`; `UnsupportedTransportMode`; `DestinationUnresolved`; `CountryNotAllowed`;
    `ValidationFailed`; `ManifestValidationFailed`; `MarketplaceFieldsMissing` or `MarketplaceFieldsNotAllowed`;
    `TrackingPrefixMissing`; `MawbAlreadyExists`.
    """
    if not isinstance(body, Mapping):
        raise InvalidBody
    owner = _owner(poster, body)
    owner.require_any_country(SERVED)
    transport_mode, country = payload.destination(body)
    owner.require_country(country)
    parsed = payload.read_manifest(body, transport_mode, country)
    problems, total = payload.marketplace_problems(parsed, is_marketplace=owner.is_marketplace)
    if problems:
        refusal = MarketplaceFieldsMissing if owner.is_marketplace else MarketplaceFieldsNotAllowed
        raise refusal(invalid_rows=problems, invalid_rows_total=total)
    return ingest(parsed, owner=owner, posted_by=poster, channel=Channel.JSON)


def _owner(poster: Company, body: Mapping[str, object]) -> Company:
    """Return the owner of the manifest, whose rights, tracking prefix and marketplace rule apply."""
    if not poster.is_courier:
        code = body.get("client_code")
        if code is not None and not (isinstance(code, str) and not code.strip()):
            raise ClientCodeNotAllowed
        return poster
    client_code = payload.client_code(body)
    if not client_code:
        raise CompanyIsCourier("A courier names the client it posts for: send client_code.")
    return Company.objects.for_courier(poster, client_code)
