"""System checks for the settings of this app that contradict each other, each with a hint on how to fix it."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004  # Django's own name

_THIS_MACHINE = {"127.0.0.1", "localhost", "::1"}


@register(Tags.files)
def bucket_is_wholly_named(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Reject incomplete settings of the bucket, so that files are never stored elsewhere by mistake."""
    orphaned = [name for name in ("S3_ENDPOINT_URL", "S3_REGION", "S3_PREFIX") if getattr(settings, name)]
    if orphaned and not settings.S3_BUCKET:
        are = "is" if len(orphaned) == 1 else "are"
        text = f"{' and '.join(orphaned)} {are} set without S3_BUCKET: received files go to MEDIA_ROOT."
        hint = "Set S3_BUCKET to the bucket's name, or remove all of them."
        yield Error(text, hint=hint, id="shipments.E001")
    if settings.S3_BUCKET and bool(settings.AWS_ACCESS_KEY_ID) != bool(settings.AWS_SECRET_ACCESS_KEY):
        text = "Only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set."
        hint = "Set both, or neither if the machine's role has access to the bucket."
        yield Error(text, hint=hint, id="shipments.E002")
    if settings.S3_PREFIX.startswith("/") or ".." in settings.S3_PREFIX.split("/"):
        text = "S3_PREFIX begins with a slash or has parts such as `..`."
        yield Error(text, hint="Set it to a folder of the bucket, such as prealerts/files.", id="shipments.E003")


@register(Tags.files)
def bucket_is_reached_safely(**_kwargs: Any) -> Iterator[CheckMessage]:  # noqa: ANN401  # Django's signature
    """Require a valid address for the object store, and an encrypted connection to it."""
    endpoint = urlsplit(settings.S3_ENDPOINT_URL)
    if settings.S3_ENDPOINT_URL and (endpoint.scheme not in {"http", "https"} or not endpoint.hostname):
        text = "S3_ENDPOINT_URL is not the URL of an object store."
        hint = "Include the scheme: https://s3.example.com. Remove it to use Amazon's."
        yield Error(text, hint=hint, id="shipments.E004")
    elif endpoint.scheme == "http" and endpoint.hostname not in _THIS_MACHINE and not settings.DEBUG:
        text = "S3_ENDPOINT_URL is plain http: manifests and invoices cross the network unencrypted."
        yield Warning(text, hint="Install a certificate on the object store and use https.", id="shipments.W001")
