"""Contradictory settings of the file storage are reported with a stable id and a hint."""

from typing import Any

import pytest
from django.core.checks import run_checks

BUCKET = {"S3_BUCKET": "received", "S3_ENDPOINT_URL": "https://s3.example.com"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        (BUCKET, set()),
        (BUCKET | {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "S3_PREFIX": "a/b"}, set()),
        ({"S3_ENDPOINT_URL": "https://s3.example.com", "S3_REGION": "sa-east-1"}, {"shipments.E001"}),
        ({"S3_PREFIX": "files"}, {"shipments.E001"}),
        ({"AWS_ACCESS_KEY_ID": "a"}, set()),  # no bucket: they serve something else on this machine
        (BUCKET | {"AWS_ACCESS_KEY_ID": "a"}, {"shipments.E002"}),
        (BUCKET | {"AWS_SECRET_ACCESS_KEY": "b"}, {"shipments.E002"}),
        (BUCKET | {"S3_PREFIX": "/files"}, {"shipments.E003"}),
        (BUCKET | {"S3_PREFIX": "a/../../b"}, {"shipments.E003"}),
        (BUCKET | {"S3_ENDPOINT_URL": "s3.example.com"}, {"shipments.E004"}),
        (BUCKET | {"S3_ENDPOINT_URL": "http://s3.example.com"}, {"shipments.W001"}),
        (BUCKET | {"S3_ENDPOINT_URL": "http://127.0.0.1:9000"}, set()),
    ],
)
def test_each_contradiction_has_its_id(settings: Any, changes: dict[str, Any], expected: set[str]) -> None:
    nothing = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"))
    for name, value in (nothing | changes).items():
        setattr(settings, name, value)
    found = [message for message in run_checks() if message.id and message.id.startswith("shipments.")]
    assert {message.id for message in found} == expected
    assert all(message.hint for message in found)
