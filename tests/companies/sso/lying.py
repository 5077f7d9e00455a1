"""A provider of OpenID Connect that does everything right, until a test has it lie."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CLIENT, SECRET = "prealerts", "a secret: with / and +"
Answer = tuple[int, bytes]


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def jwk_of(key: rsa.RSAPrivateKey, kid: str) -> dict[str, Any]:
    return {**jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig"}


OURS, THEIRS = new_key(), new_key()  # made once: a key takes a while


class LyingProvider:
    """claims: added to those of an ID token, or None to leave one out. answers: path -> what is said there instead.

    sign: makes a token of claims. asked: the paths, in order; forms: what came to the token endpoint.
    """

    def __init__(self) -> None:
        self.issuer = ""
        self.claims: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.keys = [jwk_of(OURS, "one")]
        self.sign: Callable[[dict[str, Any]], str] = signed
        self.answers: dict[str, Callable[[], Answer]] = {}
        self.asked: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.request: Mapping[str, str] = {}

    def authorize(self, address: str) -> dict[str, str]:
        """Log in somebody whose browser was sent to `address`; the parameters of the way back."""
        self.request = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        return {"code": "a-code", "state": self.request["state"]}

    def token(self, form: dict[str, str], authorization: str) -> Answer:
        self.forms.append(form)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        wanted = base64.b64encode(b"prealerts:a%20secret%3A%20with%20%2F%20and%20%2B").decode()
        assert challenge.decode() == self.request["code_challenge"]
        assert authorization == f"Basic {wanted}"
        return as_json({"access_token": "opaque", "token_type": "Bearer", "id_token": self.sign(self.id_token())})

    def id_token(self) -> dict[str, Any]:
        now = int(time.time())
        proper = {"iss": self.issuer, "aud": CLIENT, "sub": "u-1", "iat": now, "exp": now + 300}
        claims = {**proper, "nonce": self.request.get("nonce"), "groups": ["ops", "cl"], **self.claims}
        return {name: value for name, value in claims.items() if value is not None}

    def answer(self, path: str, form: dict[str, str], authorization: str) -> Answer:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]()
        if path == "/token":
            return self.token(form, authorization)
        if path == "/keys":
            return as_json({"keys": self.keys})
        if path == "/userinfo":
            return as_json({"sub": "u-1", **self.userinfo})
        endpoints = {
            "authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys",
            "userinfo_endpoint": "userinfo", "end_session_endpoint": "end",
        }  # fmt: skip
        about = {name: f"{self.issuer}/{place}" for name, place in endpoints.items()}
        return as_json({"issuer": self.issuer, **about, **self.metadata})


def signed(claims: dict[str, Any]) -> str:
    """Sign whatever is given: `jwt.encode` would refuse some of it."""
    return jwt.PyJWS().encode(json.dumps(claims).encode(), OURS, algorithm="RS256", headers={"kid": "one"})


def forged_with_the_public_key(claims: dict[str, Any]) -> str:
    """Sign with HMAC, by the provider's public key: what a verifier believes that takes the header's word for it."""
    public = OURS.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "typ": "JWT", "kid": "one"}
    signing = b".".join(_part(json.dumps(each).encode()) for each in (header, claims))
    return b".".join((signing, _part(hmac.digest(public, signing, "sha256")))).decode()


def _part(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def as_json(value: object, status: int = 200) -> Answer:
    return status, json.dumps(value).encode()


@contextmanager
def lying_provider() -> Iterator[LyingProvider]:
    provider = LyingProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name is the library's
            length = int(self.headers.get("Content-Length", 0))
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
            status, body = provider.answer(self.path, form, self.headers.get("Authorization", ""))
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", body.decode())
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  # as above

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the signature is the library's
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
