"""Which addresses a delivery may reach: the public internet, what is opened, and nothing that hides inside another."""

from ipaddress import ip_address

import pytest

from webhooks.addresses import find_refusal, parse_host, parse_networks

PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
    "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.3.1", "192.167.255.255", "192.169.0.1", "198.17.255.255",
    "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
    "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450:4001::1", "2800:3f0:4001::200e", "::ffff:8.8.8.8",
]  # fmt: skip

REFUSED = [
    # IPv4, by registry entry; both ends of the large ones
    "0.0.0.1", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
    "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    # IPv6
    "::", "::1", "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "3fff::1", "5f00::1",
    "fc00::1", "fd12:3456:789a::1", "fe80::1", "fec0::1", "ff02::1", "4000::1", "e000::1",
    # IPv6 that carries a private IPv4: mapped, compatible, NAT64, local NAT64, 6to4, Teredo
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::a9fe:a9fe", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:c0a8:101::1", "2001:0:7f00:1::",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    # and that carry a public one: a relay would send the packet on, to where we cannot see
    "64:ff9b::808:808", "2002:808:808::1", "::8.8.8.8",
]  # fmt: skip


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_may_be_reached(text: str) -> None:
    assert find_refusal(ip_address(text)) is None


@pytest.mark.parametrize("text", REFUSED)
def test_every_other_address_is_refused_by_name(text: str) -> None:
    address = ip_address(text)
    reason = find_refusal(address)
    assert reason
    assert str(getattr(address, "ipv4_mapped", None) or address) in reason


@pytest.mark.parametrize(
    ("text", "allowed", "is_open"),
    [
        ("10.1.2.3", ["10.1.0.0/16"], True),
        ("10.2.2.3", ["10.1.0.0/16"], False),
        ("::ffff:10.1.2.3", ["10.1.0.0/16"], True),
        ("fd00::5", ["fd00::/8"], True),
        ("127.0.0.1", ["127.0.0.0/8"], True),
        ("::1", ["127.0.0.0/8"], True),  # the same machine, and localhost has both
        ("::1", ["10.0.0.0/8"], False),
        ("127.0.0.1", ["::1/128"], False),
        ("64:ff9b::808:808", ["64:ff9b::/96"], True),  # an IPv6-only network reaches IPv4 through its NAT64
        ("64:ff9b::7f00:1", ["64:ff9b::/96"], False),  # but not this machine
        ("2002:7f00:1::", ["::/0"], False),
        ("2002:7f00:1::", ["::/0", "127.0.0.0/8"], True),
    ],
)
def test_an_opened_network_opens_exactly_itself(text: str, allowed: list[str], is_open: bool) -> None:  # noqa: FBT001  # a table's column
    assert (find_refusal(ip_address(text), parse_networks(allowed)) is None) is is_open


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1"),
        ("hooks.example.com", None),
        ("127.0.0.1.example.com", None),
        ("0x7f.example", None),
        ("1e100.net", None),
    ],
)
def test_a_literal_is_distinguished_from_a_name(host: str, address: str | None) -> None:
    assert parse_host(host) == (address and ip_address(address))


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.1", "0", "127.0.0.1.", "1.2.3.4.5",
     "256.1.1.1", "foo.0x7f", "::g"],
)  # fmt: skip
def test_a_host_that_ends_in_a_number_and_is_not_a_plain_address_is_ambiguous(host: str) -> None:
    with pytest.raises(ValueError, match="address"):
        parse_host(host)
