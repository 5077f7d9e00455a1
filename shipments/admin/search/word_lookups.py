"""The condition that a guide's consignee has all of some words, as each database answers it from its own indexes."""

from collections.abc import Sequence
from typing import Any

from django.db.models import BooleanField, F, Func

from shipments.manifests.consignee_words import SearchedWord
from shipments.manifests.guide_fields import WORDS_COLUMN


class HasWords(Func):
    """Whether `consignee_words` contains every one of the words.

    PostgreSQL uses the index `guide_by_consignee_words`, which needs no extension. Other databases compare text.
    """

    output_field = BooleanField()

    def __init__(self, words: Sequence[SearchedWord], **extra: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(F(WORDS_COLUMN), **extra)
        self.words = tuple(words)

    def as_sql(self, compiler: Any, connection: Any, **_more: Any) -> tuple[str, list[str]]:  # type: ignore[override]  # noqa: ANN401, ARG002  # as above
        column, parameters = compiler.compile(self.source_expressions[0])
        condition = f"' ' || {column} || ' ' LIKE %s ESCAPE '\\'"
        wanted = [f"% {_escaped(word)}{' %' if is_whole else '%'}" for word, is_whole in self.words]
        given = [value for each in wanted for value in (*parameters, each)]
        return f"({' AND '.join([condition] * len(wanted))})", given

    def as_postgresql(self, compiler: Any, connection: Any, **_more: Any) -> tuple[str, list[str]]:  # noqa: ANN401, ARG002  # as above
        column, parameters = compiler.compile(self.source_expressions[0])
        query = " & ".join(f"{_quoted(word)}{'' if is_whole else ':*'}" for word, is_whole in self.words)
        return f"array_to_tsvector(string_to_array({column}, ' ')) @@ %s::tsquery", [*parameters, query]


def _escaped(word: str) -> str:
    for sign in "\\%_":
        word = word.replace(sign, f"\\{sign}")
    return word


def _quoted(word: str) -> str:
    """Return the word as a quoted lexeme of a tsquery."""
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
