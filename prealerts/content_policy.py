"""What a page may load and run: the Content-Security-Policy of everything that is HTML, each exception with its reason.

No script stands in a page: neither ours nor unfold's templates hold one. What remains open is what unfold's own
libraries need, and it is kept to what they need.
"""

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE

CONTENT_SECURITY_POLICY = {
    # Answers to programs: they hold no page, and every byte of a header is sent with each.
    "EXCLUDE_URL_PREFIXES": ["/api/", "/health"],
    "DIRECTIVES": {
        "default-src": [NONE],
        # unsafe-eval: Alpine, by which unfold's menus, tabs and dialogs work, makes functions of its attributes. It
        # runs what stands in the page already; to put something there an attacker needs what the templates escape.
        "script-src": [SELF, UNSAFE_EVAL],
        # unsafe-inline: unfold writes its colours into a style element and widths into attributes; so do our bars.
        "style-src": [SELF, UNSAFE_INLINE],
        # data: the ticks and arrows that unfold's style sheet draws into form fields.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        # htmx and the choosers ask the admin itself, nobody else.
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}
