"""Receive webhooks: verify each one, store the event, and only then say yes. Needs nothing but Python.

WEBHOOK_SECRET=... python webhook_receiver.py CERTIFICATE_AND_KEY.pem PORT EVENTS.sqlite3
"""

import hmac
import json
import os
import sqlite3
import ssl
import sys
import time
from base64 import b64decode, b64encode
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

if len(sys.argv) != 4:
    sys.exit(__doc__)
CERTIFICATE, PORT, EVENTS = sys.argv[1:]
SECRET = os.environ["WEBHOOK_SECRET"]
if not SECRET.strip():  # anybody can sign with an empty one
    sys.exit("WEBHOOK_SECRET is empty.")
# Of a guide's events, the one with the highest sequence has its present status, in whatever order they arrive.
SCHEMA = "CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, guide TEXT, sequence INTEGER, body BLOB)"
STORE = "INSERT INTO events VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"  # an id that is there already: done before


def signing_key() -> bytes:
    """Return the key of a secret of version 2, 24 to 64 bytes; empty if it is one of version 1."""
    try:
        key = b64decode(SECRET.removeprefix("whsec_"), validate=True)
    except ValueError:
        return b""
    return key if SECRET.startswith("whsec_") and 24 <= len(key) <= 64 else b""


KEY = signing_key()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept and used again
    timeout = 10  # seconds that a silent peer may hold a thread

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isdecimal() and len(length) < 6):  # an event has a few hundred bytes
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        try:
            if not self.is_verified(body):
                return self.answer(401)
            event = json.loads(body)
            about = event["data"].get("tracking_code"), event["data"].get("sequence")
            with closing(sqlite3.connect(EVENTS)) as database, database:
                database.execute(STORE, (event["id"], *about, body))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return self.answer(400)
        except sqlite3.Error:
            return self.answer(503)
        return self.answer(200)  # committed, and so on disk; the work itself is done elsewhere, from the table

    def is_verified(self, body: bytes) -> bool:
        signatures = self.headers.get("webhook-signature")
        if signatures is None:  # version 1 sends the secret itself
            sent = self.headers.get("Authorization", "")
            return hmac.compare_digest(sent.encode(), f"Bearer {SECRET}".encode())  # in constant time
        if not KEY:
            return False
        at = self.headers.get("webhook-timestamp", "")
        if not at.isdigit() or abs(time.time() - int(at)) > 300:  # an old request that somebody has kept
            return False
        signed = f"{self.headers['webhook-id']}.{at}.".encode() + body
        expected = b"v1," + b64encode(hmac.digest(KEY, signed, "sha256"))
        return any(hmac.compare_digest(each.encode(), expected) for each in signatures.split())

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    with closing(sqlite3.connect(EVENTS)) as database:
        database.execute(SCHEMA)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    server = ThreadingHTTPServer(("", int(PORT)), Receiver)
    # Handshakes are made in the connections' own threads: a peer that stalls in one does not stop the others.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()
