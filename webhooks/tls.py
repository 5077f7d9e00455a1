"""Whom deliveries trust."""

import ssl


def tls_context(ca_bundle: str = "") -> ssl.SSLContext:
    """A verifying context: the system's authorities, and those in the file `ca_bundle`.

    Raises `OSError` (of which `ssl.SSLError` is one) when the file cannot be read or holds no certificate.
    """
    context = ssl.create_default_context()
    if ca_bundle:
        context.load_verify_locations(cafile=ca_bundle)
    context.set_alpn_protocols(["http/1.1"])
    return context
