"""Connections to vetted addresses only, over verified TLS.

Names are resolved by c-ares: the system's resolver blocks a thread for each lookup, so a few stalled names would
delay all others. A name is refused if any of its addresses may not be reached. The connection goes to the addresses
that were checked, so a DNS response that changes afterwards has no effect.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from ipaddress import ip_address
from typing import Any

import aiodns
from aiohttp import TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client import ClientTimeout
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import AddrInfoType, Connection
from aiohttp.tracing import Trace

from webhooks.addresses import Network, find_refusal
from webhooks.errors import AddressRefused
from webhooks.verdicts import Phase

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Takes a host name, returns all its addresses. Raises `OSError` if it does not resolve."""

IDLE_SECONDS = 1
"""Seconds that an idle connection is kept. With a single attempt, an endpoint that closes it first would cost an event,
so this is well below the 2 s of gunicorn, which has the shortest timeout of the common servers."""

_DNS_TIMEOUT_SECONDS, _DNS_TRIES = 2.0, 3
_CLOSE_SECONDS = 1.0


class Attempt:
    """What is recorded about one POST: how far it got, and the response, as far as it was read."""

    __slots__ = ("body", "phase", "remote_address", "retry_after", "status", "transport")

    def __init__(self) -> None:
        self.phase = Phase.RESOLVE
        self.remote_address = ""
        self.transport: asyncio.Transport | None = None
        self.status: int | None = None
        self.retry_after: int | None = None
        self.body = bytearray()

    def abort(self) -> None:
        """Abort the connection. A regular close would wait for an endpoint that never stops sending, or sends
        nothing."""
        if self.transport is not None:
            self.transport.abort()


current_attempt: ContextVar[Attempt] = ContextVar("attempt")
"""The attempt of the running task; aiohttp has no way to pass it down."""


class VettedConnector(TCPConnector):
    """aiohttp's connector, restricted by our address policy."""

    def __init__(self, context: ssl.SSLContext, allowed: Sequence[Network], lookup: Lookup) -> None:
        """context: verifies certificates. allowed: networks permitted in addition to the public internet."""
        self._allowed = allowed
        self._open: dict[asyncio.Future[None], asyncio.Transport] = {}
        super().__init__(
            ssl=context,
            resolver=_VettedResolver(allowed, lookup),
            use_dns_cache=False,
            keepalive_timeout=IDLE_SECONDS,
            limit=0,  # the dispatcher limits concurrency itself
            socket_factory=self._create_vetted_socket,
        )

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout) -> Connection:  # noqa: ASYNC109  # aiohttp's signature
        """Connect as aiohttp does, and record the connection and its peer on the attempt."""
        attempt = current_attempt.get()
        connection = await super().connect(req, traces, timeout)
        while attempt.phase is Phase.RESOLVE and connection.protocol is not None and connection.protocol.should_close:
            # The peer of this idle connection has sent something, which would be read as the response to this POST.
            connection.close()
            connection = await super().connect(req, traces, timeout)
        attempt.phase = Phase.ANSWER
        attempt.transport = connection.transport
        if attempt.transport is not None and (peer := attempt.transport.get_extra_info("peername")):
            attempt.remote_address = peer[0].partition("%")[0]
        if connection.protocol is not None and connection.transport is not None:
            gone = connection.protocol.closed
            if gone is not None and gone not in self._open:
                self._open[gone] = connection.transport
                gone.add_done_callback(self._forget)
        return connection

    async def close(self, *, abort_ssl: bool = False) -> None:
        """Close all connections, including those that are still shutting down TLS."""
        await super().close(abort_ssl=abort_ssl)
        for transport in self._open.values():
            transport.abort()
        if self._open:
            await asyncio.wait(list(self._open), timeout=_CLOSE_SECONDS)
        await asyncio.sleep(0)  # sockets are closed one iteration of the loop after their protocols

    def _forget(self, gone: asyncio.Future[None]) -> None:
        del self._open[gone]
        gone.exception()  # the verdict reports how it ended

    def _create_vetted_socket(self, info: AddrInfoType) -> socket.socket:
        """Check the address before connecting; also covers addresses in the URL, which are never resolved."""
        family, kind, protocol, _name, address = info
        _require_reachable(str(address[0]), self._allowed)
        attempt = current_attempt.get()
        attempt.phase = Phase.CONNECT
        attempt.remote_address = str(address[0]).partition("%")[0]
        return socket.socket(family, kind, protocol)


class _VettedResolver(AbstractResolver):
    def __init__(self, allowed: Sequence[Network], lookup: Lookup) -> None:
        self._allowed = allowed
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC  # noqa: ARG002  # aiohttp's signature; both families are wanted
    ) -> list[ResolveResult]:  # fmt: skip
        addresses = await self._lookup(host)
        for address in addresses:
            _require_reachable(address, self._allowed, host)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """The lookup belongs to the caller."""


def _require_reachable(text: str, allowed: Sequence[Network], host: str = "") -> None:
    if why := find_refusal(ip_address(text.partition("%")[0]), allowed):
        # Not an OSError: aiohttp would treat it as a failed lookup or try the next address.
        raise AddressRefused(f"{host} resolves to {why}" if host else f"{why} may not be reached")


class CAres:
    """The lookup used by deliveries; `await close()` when done. Create it inside a running loop."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # aiodns' own options, passed on
        self._resolver = aiodns.DNSResolver(**{"timeout": _DNS_TIMEOUT_SECONDS, "tries": _DNS_TRIES} | options)

    async def __call__(self, host: str) -> Sequence[str]:
        """Return all addresses of `host`. Raises `OSError` with the message of c-ares."""
        try:
            found = await self._resolver.getaddrinfo(host, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as error:
            raise OSError(None, str(error.args[-1])) from error
        return [node.addr[0].decode("ascii") for node in found.nodes]

    async def close(self) -> None:
        await self._resolver.close()
