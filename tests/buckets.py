"""A bucket on this machine: moto's server, standing in for an object store."""

import logging
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import boto3
import botocore.session
from botocore.config import Config
from botocore.loaders import create_loader
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

KEYS = {"AWS_ACCESS_KEY_ID": "invented", "AWS_SECRET_ACCESS_KEY": "invented"}
REGION = "us-east-1"


def read_service_models_once() -> None:
    """Let all sessions share what botocore reads of S3: megabytes of JSON that each would read anew."""
    botocore.session.create_loader = cache(create_loader)  # where its sessions look it up


@dataclass(frozen=True)
class ObjectStore:
    """A server that speaks S3, at `endpoint`."""

    endpoint: str

    @property
    def client(self) -> "S3Client":
        """A client of our own, beside the application's."""
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            config=Config(retries={"max_attempts": 1}),
        )

    def new_bucket(self) -> "Bucket":
        """An empty bucket that no other test knows."""
        name = f"received-{uuid.uuid4().hex}"
        self.client.create_bucket(Bucket=name)
        return Bucket(self, name)


@dataclass(frozen=True)
class Bucket:
    """One bucket of the store."""

    store: ObjectStore
    name: str

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to keep its files here."""
        return {"S3_BUCKET": self.name, "S3_ENDPOINT_URL": self.store.endpoint, "S3_REGION": REGION, **KEYS}

    def names(self) -> list[str]:
        """Every object in it."""
        return sorted(found["Key"] for found in self.store.client.list_objects_v2(Bucket=self.name).get("Contents", []))

    def content(self, name: str | None) -> bytes:
        """What an object holds."""
        return self.store.client.get_object(Bucket=self.name, Key=str(name))["Body"].read()

    def put_many(self, names: Iterable[str]) -> None:
        """The same for many, past the wire."""
        model = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
        for name in names:
            model.put_object(self.name, name, b"x")

    def put(self, name: str, content: bytes = b"x") -> str:
        """An object that nobody's row speaks of."""
        self.store.client.put_object(Bucket=self.name, Key=name, Body=content)
        return name


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Serve an object store while the `with` lasts."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    read_service_models_once()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        yield ObjectStore("http://{}:{}".format(*server.get_host_and_port()))
    finally:
        server.stop()
