"""Markdown into HTML: anchors, a table of contents, links between the pages, the service's own address."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from prealerts.documentation.pages import CHAPTERS, PAGES, SAMPLES, Page

_COMMENT_LINES = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_ADDRESSES_OF_EXAMPLES = re.compile(r"http://127\.0\.0\.1:8000\b|https://prealerts\.example\.com\b")
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_DEEPEST_IN_CONTENTS = 3
_LANGUAGES = {"sh": "curl", "python": "Python", "typescript": "TypeScript"}
"""Of samples that stand below each other in Markdown, and behind tabs on a page."""


Contents = Sequence[tuple[int, str, str]]
"""Of a table of contents: the level, 2 or 3, the anchor and the text of each heading."""


class _Renderer(RendererHTML):
    """Wide tables and long lines of code scroll by themselves, by keyboard too; the page does not."""

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="wide" tabindex="0">' + self.renderToken(tokens, idx, options, env)

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.renderToken(tokens, idx, options, env) + "</div>"

    def tabs(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """One sample in several languages: radio buttons, of which style sheets show the one that is checked."""
        samples: Sequence[Token] = tokens[idx].meta["samples"]
        buttons = []
        for number, sample in enumerate(samples):
            identifier = f"sample-{idx}-{sample.info}"
            checked = "" if number else " checked"
            button = f'<input type="radio" name="sample-{idx}" id="{identifier}" value="{sample.info}"{checked}>'
            buttons.append(f'{button}<label for="{identifier}">{_LANGUAGES[sample.info]}</label>')
        shown = [self.fence(samples, number, options, env) for number in range(len(samples))]
        return f'<div class="tabs" role="group" aria-label="Sample">{"".join(buttons + shown)}</div>\n'

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A long code may break after an underscore: in a narrow column, or on a phone."""
        opening, bracket, content = super().code_inline(tokens, idx, options, env).partition(">")
        return opening + bracket + content.replace("_", "_<wbr>")

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return super().fence(tokens, idx, options, env).replace("<pre>", '<pre tabindex="0">', 1)


# Raw HTML in a page is escaped; addresses with another scheme than http, https and mailto are not links.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")


def markdown(page: Page, language: str, root: str) -> str:
    """The page as Markdown. root: the service's own address as the client wrote it, such as
    `https://prealerts.example.com`; it replaces the address in the examples."""
    source = _COMMENT_LINES.sub("", page.text(language))
    if sandbox := root if settings.SANDBOX else settings.SANDBOX_ADDRESS:
        source = source.replace("https://sandbox.example.com", sandbox)
    return _ADDRESSES_OF_EXAMPLES.sub(lambda _match: root, source)


def render_for_download(page: Page, language: str, root: str) -> str:
    """The page as Markdown that leads on from anywhere: to the Markdown of other pages, by whole addresses."""

    def whole(link: re.Match[str]) -> str:
        address = _address(link[2], f"/docs/{language}/")
        if address is None:
            return link[1]
        if not address.startswith("/docs/"):
            return link[0]
        path, hash_sign, anchor = address.partition("#")
        if path.endswith("/"):
            path = f"{path[:-1]}.md"
        return f"[{link[1]}]({root}{path}{hash_sign}{anchor})"

    return _LINK.sub(whole, markdown(page, language, root))


@lru_cache(maxsize=64)
def render_page(page: Page, language: str, root: str, prefix: str = "/docs/") -> tuple[SafeString, Contents]:
    """The page as it is shown, and its table of contents. prefix: of the addresses of other pages."""
    source = markdown(page, language, root)
    tokens = _in_tabs(_MARKDOWN.parse(source))
    contents = _anchor_headings(tokens)
    _anchor_codes(tokens)
    for token in tokens:
        token.children = _with_links(token.children, language, prefix) if token.children else token.children
    body = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return mark_safe(body), contents  # noqa: S308  # made by the renderer, which escapes


def anchor_of(text: str) -> str:
    """The anchor of a heading, made as GitHub makes it: links in the Markdown files work in both places."""
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")


def _in_tabs(tokens: list[Token]) -> list[Token]:
    """The same, with neighbouring samples in several languages as one token."""
    grouped: list[Token] = []
    for token in tokens:
        if token.type != "fence" or token.info not in _LANGUAGES:
            grouped.append(token)
        elif grouped and grouped[-1].type == "tabs":
            grouped[-1].meta["samples"].append(token)
        else:
            grouped.append(Token("tabs", "", 0, meta={"samples": [token]}))
    return [token.meta["samples"][0] if len(token.meta.get("samples", [])) == 1 else token for token in grouped]


def _anchor_headings(tokens: list[Token]) -> Contents:
    """Give each heading its anchor; return those of the table of contents."""
    seen: Counter[str] = Counter()
    headings = []
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or [])
        anchor = anchor_of(text)
        seen[anchor] += 1
        if seen[anchor] > 1:
            anchor = f"{anchor}-{seen[anchor] - 1}"
        token.attrSet("id", anchor)
        level = int(token.tag[1:])
        if 1 < level <= _DEEPEST_IN_CONTENTS:
            headings.append((level, anchor, text))
    return headings


def _anchor_codes(tokens: list[Token]) -> None:
    """Give each code in the first column of a table of codes an anchor: `#mawb_already_exists`."""
    seen: set[str] = set()
    heading = ""
    for before, opening, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.type != "tr_open":
            continue
        codes = [child for child in inline.children or [] if child.type == "code_inline"]
        if opening.type == "th_open":
            heading = codes[0].content if codes else ""
        elif heading in _CODES:
            for code in codes:
                anchor = re.sub(r"\W", "", code.content)
                if anchor not in seen:
                    code.attrSet("id", anchor)
                seen.add(anchor)


_CODES = {"error", "error_code", "code"}
"""What tables of codes have in the heading of their first column."""


def _with_links(children: list[Token], language: str, prefix: str) -> list[Token]:
    """The tokens of a paragraph, each link leading to an address of the service; what leads nowhere there is text."""
    kept, is_open = [], True
    for token in children:
        if token.type == "link_open":
            address = _address(str(token.attrs["href"]), prefix)
            is_open = address is not None
            token.attrSet("href", address or "")
        elif token.type == "text" and (page := _BY_FILE.get(token.content)):  # there are no files here
            token.content = page.title_in(language)
        if is_open or token.type not in {"link_open", "link_close"}:
            kept.append(token)
    return kept


_BY_FILE: dict[str, Page] = {f"{slug}.md": page for slug, page in (*PAGES.items(), *CHAPTERS.items())}
_BY_FILE["shipments/manifests/words/words.toml"] = PAGES["header-words"]


def _address(target: str, prefix: str) -> str | None:
    """Where a link of a Markdown file leads on the service; None for a file that is not served."""
    if re.match(r"[a-z]+:|#", target):
        return target
    name, hash_sign, anchor = target.partition("#")
    name = re.sub(r"^(\.\./)*(docs/)?", "", name)
    if page := _BY_FILE.get(name):
        prefix = "/admin/help/" if page.slug in CHAPTERS else prefix
        return f"{prefix}{page.slug}/{hash_sign}{anchor}"
    sample = name.removeprefix("examples/")
    return f"/docs/examples/{sample}" if sample in SAMPLES else None
