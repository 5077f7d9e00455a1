"""The Content-Security-Policy of all HTML pages, each exception with its reason.

No page contains inline scripts, neither from our templates nor from unfold's. The exceptions are what unfold's own
libraries need, and no more.
"""

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE

CONTENT_SECURITY_POLICY = {
    # Responses to programs: they contain no page, and every header adds bytes to each of them.
    "EXCLUDE_URL_PREFIXES": ["/api/", "/health"],
    "DIRECTIVES": {
        "default-src": [NONE],
        # unsafe-eval: Alpine, which runs unfold's menus, tabs and dialogs, compiles attributes to functions. It only
        # runs what the page already contains; to inject something an attacker would have to bypass template escaping.
        "script-src": [SELF, UNSAFE_EVAL],
        # unsafe-inline: unfold writes its colours into a style element and widths into attributes; so do our charts.
        "style-src": [SELF, UNSAFE_INLINE],
        # data: the ticks and arrows that unfold's style sheet draws in form fields.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        # htmx and the autocomplete fields send requests only to the admin itself.
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}
