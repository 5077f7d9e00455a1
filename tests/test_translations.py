"""Operators read Spanish and English: nothing they read is missing from the Spanish catalogue, and it is in use."""

import re

import polib
import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation.trans_real import DjangoTranslation

from tests.companies.admin_pages import form, operator, text_of
from tests.conftest import Caller
from tools import catalogue as spanish

KEPT = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|</?\w[^>]*>")
"""What a translation has to keep: placeholders and markup."""


@pytest.fixture(scope="module")
def catalogue() -> polib.POFile:
    return polib.pofile(str(spanish.SOURCE))


def texts_of(entry: polib.POEntry) -> tuple[tuple[str, str], ...]:
    """Each message of an entry with its translation: one, or singular and plural."""
    if entry.msgid_plural:
        return (entry.msgid, entry.msgstr_plural.get(0, "")), (entry.msgid_plural, entry.msgstr_plural.get(1, ""))
    return ((entry.msgid, entry.msgstr),)


def test_the_catalogue_holds_every_message_and_no_other(catalogue: polib.POFile) -> None:
    held, wanted = {spanish.message_of(entry) for entry in catalogue}, spanish.messages().keys()
    assert wanted - held == set(), "run `make messages` and translate"
    assert held - wanted == set(), "run `make messages`"


def test_every_message_is_translated(catalogue: polib.POFile) -> None:
    assert [entry.msgid for entry in catalogue if not all(translated for _, translated in texts_of(entry))] == []
    assert [entry.msgid for entry in catalogue.fuzzy_entries()] == []


def test_placeholders_and_markup_survive_translation(catalogue: polib.POFile) -> None:
    lost = [
        (message, translated)
        for entry in catalogue
        for message, translated in texts_of(entry)
        if set(KEPT.findall(message)) != set(KEPT.findall(translated))
    ]
    assert lost == []


def test_what_django_says_too_is_said_in_its_words(catalogue: polib.POFile) -> None:
    """Our catalogue has precedence over Django's: one of our words would also change its pages of users and groups."""
    django = spanish.without_us()
    for entry in catalogue:
        if entry.comment != spanish.DJANGO:
            assert spanish.said_by(django, spanish.message_of(entry)) in {None, entry.msgstr}, entry.msgid


def test_what_is_reworded_is_still_said_by_django() -> None:
    django = spanish.without_us()
    unknown = [text for text in spanish.REWORDED if spanish.said_by(django, spanish.Message(text, "", "")) is None]
    assert unknown == []


def test_the_compiled_catalogue_says_what_the_source_says(catalogue: polib.POFile) -> None:
    compiled = polib.mofile(str(spanish.COMPILED))
    assert {spanish.message_of(entry): texts_of(entry) for entry in compiled} == {
        spanish.message_of(entry): texts_of(entry) for entry in catalogue
    }, "run `make messages`"


def test_django_finds_the_catalogue(catalogue: polib.POFile) -> None:
    served = DjangoTranslation("es")
    for entry in catalogue:
        assert spanish.said_by(served, spanish.message_of(entry)) == texts_of(entry)[0][1], entry.msgid


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "language"),
    [("es-CL,es;q=0.9", "es"), ("es-PE", "es"), ("en-US", "en"), ("pt-BR", "en"), ("es;q=0, pt", "en"),
     ("en; q=0.000, es; q=0.1", "es")],
)  # fmt: skip
def test_the_browsers_language_chooses(client: Client, sent: str, language: str) -> None:
    response = client.get(reverse("admin:login"), headers={"Accept-Language": sent})
    assert response["Content-Language"] == language
    assert ("Contraseña" in response.content.decode()) == (language == "es")


@pytest.mark.django_db
def test_an_operators_own_choice_goes_before_the_browsers() -> None:
    staff = operator("view_company")
    staff.post(reverse("set_language"), {"language": "es"})
    response = staff.get(reverse("admin:index"), headers={"Accept-Language": "en"})
    assert response["Content-Language"] == "es"


@pytest.mark.django_db
def test_the_history_of_a_company_is_reported_in_the_readers_language(acme: Caller) -> None:
    """What changed is kept in English and translated when it is read."""
    staff = operator("view_company", "change_company")
    changed = form(name="Acme S.A.", tracking_prefix="ACS", is_marketplace="on", read_by_headings=["CL"])
    address = [acme.company.pk]
    headers = {"Accept-Language": "es"}
    assert (
        staff.post(reverse("admin:companies_company_change", args=address), changed, headers=headers).status_code == 302
    )
    staff.post(reverse("admin:companies_company_deactivate", args=address), {"step": "run"}, headers=headers)
    page = staff.get(reverse("admin:companies_company_history", args=address), headers=headers)
    for reported in (
        "Modificado Nombre, Países permitidos, Prefijo de seguimiento y Marketplace.",
        "Desactivada.",
    ):
        assert reported in text_of(page)
