"""Note for `response.context` what a page was rendered with, and not each of the hundreds of templates it includes.

Django's test client copies the context of every template that is rendered; on a page of the admin that takes as long as
the page itself.
"""

from django.template import Context, Template
from django.test import signals, utils as test_utils
from django.utils.safestring import SafeString


def _noting_pages(template: Template, context: Context) -> SafeString:
    """Render the template, and send the signal if it is not part of another one."""
    if context.template is template:
        signals.template_rendered.send(sender=template, template=template, context=context)
    return template.nodelist.render(context)


def note_only_pages() -> None:
    """Let every test do so. Called before Django sets up its test environment."""
    test_utils.instrumented_test_render = _noting_pages  # type: ignore[attr-defined]  # not in the type hints
