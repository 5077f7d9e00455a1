"""The addresses that deliveries may reach. Pure: takes an address, returns the reason to refuse it.

`ipaddress.is_global` alone is not enough: on Python 3.11 it accepts multicast, NAT64 and 6to4 forms of 127.0.0.1,
`::127.0.0.1`, `fec0::1` and 192.88.99.1. So we deny by default, check lists, and check addresses that are embedded in
others. Sources: the IANA special-purpose registries (RFC 6890 and its successors), RFC 6052 (NAT64), RFC 4380 (Teredo).
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_BLOCKED_V4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "the internal network of a carrier",
    "127.0.0.0/8": "this machine",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved for protocols",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "a sink for reverse DNS",
    "192.52.193.0/24": "reserved for protocols",
    "192.88.99.0/24": "a 6to4 relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "a sink for reverse DNS",
    "198.18.0.0/15": "reserved for benchmarks",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
_BLOCKED_V6 = {
    "2001::/23": "reserved for protocols",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "a sink for reverse DNS",
    "3fff::/20": "documentation",
    "::1/128": "this machine",
    "64:ff9b::/96": "NAT64",
    "64:ff9b:1::/48": "local NAT64",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_BLOCKED: Sequence[tuple[Network, str]] = [
    (ip_network(network), kind) for network, kind in (_BLOCKED_V4 | _BLOCKED_V6).items()
]
_GLOBAL_UNICAST = IPv6Network("2000::/3")

_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_V4_COMPATIBLE = IPv6Network("::/96")
_LOOPBACK_V6 = IPv6Address("::1")
_LOOPBACK_V4 = IPv4Address("127.0.0.1")


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Parse CIDRs into networks. Raises `ValueError` with the text that is invalid."""
    return tuple(ip_network(text.strip(), strict=False) for text in texts)


def find_refusal(address: Address, allowed: Sequence[Network] = ()) -> str | None:
    """Return why deliveries may not reach `address`, or None if they may.

    allowed: networks that this installation permits in addition to the public internet. An IPv4-mapped address is
    checked as IPv4. For any other form with embedded IPv4 addresses, each of them and the address itself must pass.
    """
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return find_refusal(address.ipv4_mapped, allowed)
        if address == _LOOPBACK_V6 and is_allowed(address, allowed):
            return None
        for inner in _find_embedded_ipv4(address):
            if why := find_refusal(inner, allowed):
                return f"{address} contains {why}"
    if is_allowed(address, allowed):
        return None
    kind = next((kind for network, kind in _BLOCKED if address in network), None)
    if kind is None and isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        kind = "outside of the public IPv6 range"
    if kind is None and not address.is_global:
        kind = "not public"
    return kind and f"{address} ({kind})"


def is_allowed(address: Address, allowed: Sequence[Network]) -> bool:
    if address == _LOOPBACK_V6 and any(_LOOPBACK_V4 in network for network in allowed):
        return True  # `localhost` resolves to both, and whoever allows one loopback address means this machine
    return any(address in network for network in allowed)


def parse_host(host: str) -> Address | None:
    """Return the address in `host` in canonical form, or None if `host` is a name.

    Raises `ValueError` for a host that ends in a number but is not a canonical address (`2130706433`, `0x7f.1`,
    `0177.0.0.1`): programs parse such hosts differently, and some read 0177.0.0.1 as 127.0.0.1.
    """
    bare = host.removeprefix("[").removesuffix("]")
    try:
        return ip_address(bare)
    except ValueError:
        last = bare.rstrip(".").rpartition(".")[2].lower()
        if ":" in bare or last.isdigit() or (last.startswith("0x") and set(last[2:]) <= _HEX_DIGITS):
            raise
        return None


_HEX_DIGITS = set("0123456789abcdef")


def _find_embedded_ipv4(address: IPv6Address) -> list[IPv4Address]:
    """Return the embedded IPv4 addresses, to which a relay or translator would forward the packet."""
    if address.teredo is not None:
        return list(address.teredo)
    if address.sixtofour is not None:
        return [address.sixtofour]
    # RFC 6052 puts the IPv4 address last for /96 prefixes; local NAT64 prefixes are /96 in practice.
    if address in _V4_COMPATIBLE or any(address in network for network in _NAT64):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    return []
