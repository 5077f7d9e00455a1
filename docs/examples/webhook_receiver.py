"""Receive webhooks: compare the secret, store the event, and only then say yes. Needs nothing but Python.

WEBHOOK_SECRET=... python webhook_receiver.py CERTIFICATE_AND_KEY.pem PORT EVENTS.sqlite3
"""

import hmac
import json
import os
import sqlite3
import ssl
import sys
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CERTIFICATE, PORT, EVENTS = sys.argv[1:]
EXPECTED = f"Bearer {os.environ['WEBHOOK_SECRET']}".encode()
SCHEMA = "CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, occurred_at TEXT, body BLOB)"
STORE = "INSERT INTO events VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING"  # an id that is there already: done before


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept and used again
    timeout = 10  # seconds that a silent peer may hold a thread

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isdecimal() and len(length) < 6):  # an event has a few hundred bytes
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), EXPECTED):  # in constant time
            return self.answer(401)
        try:
            event = json.loads(body)
            with closing(sqlite3.connect(EVENTS)) as database, database:
                database.execute(STORE, (event["id"], event["occurred_at"], body))
        except (ValueError, TypeError, KeyError, RecursionError):
            return self.answer(400)
        except sqlite3.Error:
            return self.answer(503)
        return self.answer(200)  # committed, and so on disk; the work itself is done elsewhere, from the table

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
