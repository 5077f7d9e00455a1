"""The TLS configuration of deliveries."""

import ssl


def tls_context(ca_bundle: str = "") -> ssl.SSLContext:
    """Return a verifying context with the system's authorities and those in the file `ca_bundle`.

    Raises `OSError` (such as `ssl.SSLError`) if the file cannot be read or has no certificate.
    """
    context = ssl.create_default_context()
    if ca_bundle:
        context.load_verify_locations(cafile=ca_bundle)
    context.set_alpn_protocols(["http/1.1"])
    return context
