"""The words by which consignees are found: folded names, whole e-mails and phones."""

import pytest

from shipments.manifests.consignee_words import WORDS_LENGTH, consignee_words, extract_search_words, is_whole


def line(name: str = "", email: str | None = "", phone: str | None = "") -> str:
    return consignee_words({"consignee_name": name, "consignee_email": email, "consignee_phone": phone})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("María José Ibáñez", "maria jose ibanez"),
        ("  MUÑOZ,  Íñigo ", "munoz inigo"),
        ("Jean-Luc O’Higgins d'Arc", "jean luc ohiggins darc o higgins d arc"),
        ("Ana Ana", "ana"),
        ("Groß ﬁn", "gross fin"),
        ("陈 伟", "陈 伟"),
        ("", ""),
        ("---", ""),
    ],
)
def test_a_name_is_its_words_without_accents_and_case(name: str, words: str) -> None:
    assert line(name) == words


def test_an_email_and_a_phone_are_one_word_each() -> None:
    assert line("Ana", "Ana.Soto@Example.com ", "+56 (9) 5550-0101") == "ana +56955500101 @ana.soto@example.com"
    assert line("Ana", None, None) == line("Ana", "", "0000") == "ana"


def test_a_name_that_grows_when_it_is_folded_loses_whole_words() -> None:
    words = line("\ufdfa " * 255)  # 18 letters each
    assert len(words) <= WORDS_LENGTH
    long = line(" ".join(f"\ufdfa{number}" for number in range(80)))
    assert len(long) <= WORDS_LENGTH
    assert not long.endswith(" ")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ibáñez  María", [("ibanez", False), ("maria", False)]),
        ("Ana.Soto@example.com", [("@ana.soto@example.com", True)]),
        ("+56 9 5550 0101", [("+56955500101", True)]),
        ("12345", [("12345", False)]),
        ("%%", []),
    ],
)
def test_what_a_search_looks_for(text: str, found: list[tuple[str, bool]]) -> None:
    assert [(word, is_whole(word)) for word in extract_search_words(text)] == found
