"""Hosts that webhooks may have, as they are looked up when a URL is saved; and URLs as lists show them."""

from typing import Any

import pytest
from django.test import Client

from tests.webhooks.conftest import subscribe
from webhooks import destinations, outbox
from webhooks.errors import DestinationRefused
from webhooks.models import Delivery

URL = "https://8.8.8.8/hooks"


@pytest.mark.parametrize("addresses", [[], ["10.1.2.3"], ["8.8.8.8", "10.1.2.3"], ["::ffff:169.254.169.254"]])
def test_a_name_of_the_inside_and_one_that_does_not_exist_get_the_same_warning(
    addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_to(addresses, monkeypatch)
    warning = destinations.inspect_name("https://hooks.acme.cl/")
    assert warning == str(destinations.UNRESOLVED)
    assert "acme" not in warning


@pytest.mark.parametrize(
    ("networks", "addresses", "is_refused"),
    [
        ([], ["8.8.8.8"], True),
        ([], ["10.1.2.3"], True),
        ([], [], True),
        (["10.1.0.0/16"], ["10.1.2.3"], False),
        (["10.1.0.0/16"], ["10.2.2.3"], True),
        (["10.1.0.0/16"], ["10.1.2.3", "8.8.8.8"], True),
        (["10.1.0.0/16"], [], True),
        (["127.0.0.0/8"], ["127.0.0.1", "::1"], False),
    ],
)
@pytest.mark.parametrize("host", ["erp", "erp.", "ERP"])
def test_a_name_without_a_dot_is_refused_unless_its_network_is_allowed(
    host: str,
    networks: list[str],
    addresses: list[str],
    is_refused: bool,  # noqa: FBT001  # a parameter
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = networks
    resolve_to(addresses, monkeypatch)
    if not is_refused:
        assert destinations.inspect_name(f"https://{host}/") is None
        return
    with pytest.raises(DestinationRefused, match="whole name"):
        destinations.inspect_name(f"https://{host}/")


def resolve_to(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def resolved(*_args: object, **_options: object) -> Any:
        if not addresses:
            raise OSError
        return [(2, 1, 6, "", (address, 443)) for address in addresses]

    monkeypatch.setattr("webhooks.destinations.socket.getaddrinfo", resolved)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hooks.acme.cl/pa?token=s3cret", "https://hooks.acme.cl/pa?…"),
        ("https://hooks.acme.cl?s3cret", "https://hooks.acme.cl?…"),
        ("https://me:s3cret@hooks.acme.cl:8443/pa", "https://hooks.acme.cl:8443/pa"),
        ("https://[2001:4860::1]/a@b", "https://[2001:4860::1]/a@b"),
    ],
)
def test_a_url_is_shown_without_what_may_be_a_token(url: str, shown: str) -> None:
    assert destinations.without_tokens(url) == shown


@pytest.mark.django_db
def test_lists_and_exports_show_no_token_of_a_url(admin_client: Client) -> None:
    subscription = subscribe(f"{URL}?token=s3cret")
    outbox.send_test(subscription, "A test")
    for address in (
        "/admin/webhooks/subscription/",
        "/admin/webhooks/delivery/",
        "/admin/webhooks/delivery/export.csv",
        f"/admin/webhooks/delivery/{Delivery.objects.get().pk}/change/",
        "/admin/auditlog/logentry/",
    ):
        shown = b"".join(admin_client.get(address)).decode()
        assert "s3cret" not in shown, address
        assert URL.removeprefix("https://") in shown or "auditlog" in address, address
    assert (
        "token=s3cret" in admin_client.get(f"/admin/webhooks/subscription/{subscription.pk}/change/").content.decode()
    )
