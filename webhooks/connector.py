"""Connections to vetted addresses only, over verified TLS.

Names are resolved by c-ares: the system's resolver blocks a thread for each look-up, and a handful of stalled names
would starve the healthy ones. A name is refused if any of its addresses may not be reached, and the connection goes
to the very addresses that were vetted, so an answer that changes between check and use changes nothing.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from enum import StrEnum
from ipaddress import ip_address
from typing import Any

import aiodns
from aiohttp import TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client import ClientTimeout
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import AddrInfoType, Connection
from aiohttp.tracing import Trace

from webhooks.addresses import Network, refusal
from webhooks.errors import AddressRefused

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""A host name in, all its addresses out; raises `OSError` when there is no answer."""

IDLE_SECONDS = 1
"""How long an idle connection is kept: with one attempt only, a receiver that closes it first must cost no event.
Well below the 2 s after which gunicorn, the quickest of the common servers, closes one."""

_DNS_TIMEOUT_SECONDS, _DNS_TRIES = 2.0, 3
_CLOSE_SECONDS = 1.0


class Phase(StrEnum):
    """How far an attempt has come; told when time is up."""

    RESOLVE = "the name was not resolved"
    CONNECT = "no connection over TLS was made"
    ANSWER = "the connection stood, and no answer came"
    BODY = "the answer did not end"


class Attempt:
    """What the layers below learn of one POST on its way."""

    __slots__ = ("phase", "remote_address", "transport")

    def __init__(self) -> None:
        self.phase = Phase.RESOLVE
        self.remote_address = ""
        self.transport: asyncio.Transport | None = None

    def abort(self) -> None:
        """Cut the connection. A polite close would wait for an endpoint that is sending without end, or not at all."""
        if self.transport is not None:
            self.transport.abort()


current: ContextVar[Attempt] = ContextVar("attempt")
"""The attempt that the running task makes; aiohttp has no way of passing it down."""


class VettedConnector(TCPConnector):
    """aiohttp's connector behind our address policy."""

    def __init__(self, context: ssl.SSLContext, allowed: Sequence[Network], lookup: Lookup) -> None:
        """`context` verifies; `allowed` are networks opened on top of the public internet."""
        self._allowed = allowed
        self._open: dict[asyncio.Future[None], asyncio.Transport] = {}
        super().__init__(
            ssl=context,
            resolver=_VettedResolver(allowed, lookup),
            use_dns_cache=False,
            keepalive_timeout=IDLE_SECONDS,
            limit=0,  # the dispatcher has its own seats
            socket_factory=self._vetted_socket,
        )

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout) -> Connection:  # noqa: ASYNC109  # aiohttp's signature
        """As aiohttp does, and note on the attempt that, and with whom, the connection stands."""
        attempt = current.get()
        connection = await super().connect(req, traces, timeout)
        while attempt.phase is Phase.RESOLVE and connection.protocol is not None and connection.protocol.should_close:
            # Kept alive, and its peer has spoken since: what it said would be read as the answer to this POST.
            connection.close()
            connection = await super().connect(req, traces, timeout)
        attempt.phase = Phase.ANSWER
        attempt.transport = connection.transport
        if attempt.transport is not None and (peer := attempt.transport.get_extra_info("peername")):
            attempt.remote_address = peer[0].partition("%")[0]
        self._remember(connection)
        return connection

    async def close(self, *, abort_ssl: bool = False) -> None:
        """Close all connections, those too that a receiver asked to close and that still say good-bye over TLS."""
        await super().close(abort_ssl=abort_ssl)
        for transport in self._open.values():
            transport.abort()
        if self._open:
            await asyncio.wait(list(self._open), timeout=_CLOSE_SECONDS)
        await asyncio.sleep(0)  # the sockets themselves go one turn of the loop after their protocols

    def _remember(self, connection: Connection) -> None:
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or transport is None:
            return
        gone = protocol.closed
        if gone is not None and gone not in self._open:
            self._open[gone] = transport
            gone.add_done_callback(self._forget)

    def _forget(self, gone: asyncio.Future[None]) -> None:
        del self._open[gone]
        gone.exception()  # how it ended is the verdict's to tell

    def _vetted_socket(self, info: AddrInfoType) -> socket.socket:
        """The last look before a packet leaves; also sees addresses that stand in the URL and were never resolved."""
        family, kind, protocol, _name, address = info
        _require_reachable(str(address[0]), self._allowed)
        attempt = current.get()
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
        """The look-up belongs to whoever passed it in."""


def _require_reachable(text: str, allowed: Sequence[Network], host: str = "") -> None:
    if why := refusal(ip_address(text.partition("%")[0]), allowed):
        # Not an OSError: aiohttp would take it for a failed look-up or try the next address.
        raise AddressRefused(f"{host} resolves to {why}" if host else f"{why} may not be reached")


class CAres:
    """The look-up that deliveries use; `await close()` when done. Made inside a running loop."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # aiodns' own options, passed on
        self._resolver = aiodns.DNSResolver(**{"timeout": _DNS_TIMEOUT_SECONDS, "tries": _DNS_TRIES} | options)

    async def __call__(self, host: str) -> Sequence[str]:
        """All addresses of `host`; raises `OSError` with c-ares' words."""
        try:
            found = await self._resolver.getaddrinfo(host, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as error:
            raise OSError(None, str(error.args[-1])) from error
        return [node.addr[0].decode("ascii") for node in found.nodes]

    async def close(self) -> None:
        await self._resolver.close()
