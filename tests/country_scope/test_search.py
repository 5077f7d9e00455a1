"""The search of the header finds what the operator may see: nothing abroad, and no kind without its permission."""

import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from companies.models import Company, OperatorProfile
from shipments.models import Flight, Guide, RefusedRequest
from tests.country_scope.operators import CHILEAN, PERUVIAN, operator_of, text_of
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

SEARCH = reverse("search")
GUIDES = reverse("admin:shipments_guide_changelist")


def found(browser: Client, text: str) -> str:
    response = browser.post(SEARCH, {"s": text})
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    return str(response.content.decode())


def test_every_kind_is_found_with_its_status(staff: Client, both: Company, home: Guide) -> None:
    Flight.objects.filter(pk=home.manifest.flight_id).update(flight_number="LA505")
    Company.objects.filter(pk=both.pk).update(name="Pacífico Compras")
    for text in (home.tracking_code.lower(), f"ana {CHILEAN.lower()}"):
        page = found(staff, text)
        assert reverse("admin:shipments_guide_change", args=[home.pk]) in page
        assert "Registered" in page
    for text, address in (
        (home.manifest.mawb.replace("-", ""), reverse("admin:shipments_manifest_change", args=[home.manifest_id])),
        ("la 505", reverse("admin:shipments_flight_change", args=[home.manifest.flight_id])),
        ("pacifico", reverse("admin:companies_company_change", args=[both.pk])),
        ("both", reverse("admin:companies_company_change", args=[both.pk])),
    ):
        assert address in found(staff, text)


def test_what_was_refused_is_found_by_its_mawb(staff: Client, both: Company) -> None:
    """Of a company that is wholly the operator's, as in its list."""
    mine = ClientFactory.create(name="Mine", allowed_countries=["CL"])
    rows = [
        RefusedRequest.objects.create(
            company=one, endpoint="POST upload", status=400, code="workbook_format_changed", mawb="045-00000011"
        )
        for one in (mine, both)
    ]
    pages = [reverse("admin:shipments_refusedrequest_change", args=[one.pk]) for one in rows]
    shown = found(staff, "045 0000 0011")
    assert [page in shown for page in pages] == [True, False]
    assert "The columns differ" in shown
    staff.post(reverse("clock"), {"time_zone": "America/Lima"})
    received = rows[0].created_at.astimezone(ZoneInfo("America/Lima"))
    assert f"{received.day} {received:%b %H:%M} -05" in found(staff, "045-00000011")
    assert pages[0] not in found(staff, "045-00000022")


def test_nothing_of_another_country_is_found(staff: Client, home: Guide, abroad: Guide) -> None:
    ClientFactory.create(name="Lejana SAC", client_code="LEJANA", allowed_countries=["PE"])
    Flight.objects.filter(pk=abroad.manifest.flight_id).update(flight_number="LA777")
    theirs = [abroad.tracking_code, abroad.manifest.mawb, PERUVIAN, "LA777", "Lejana", f"{abroad.hawb}X {abroad.hawb}"]
    for text in theirs:
        page = found(staff, text)
        for marker in (abroad.tracking_code, abroad.manifest.mawb, PERUVIAN, "LEJANA", str(abroad.manifest.flight_id)):
            assert marker not in page.replace(text, "")
    assert "Open the list of 1 guide" in found(staff, f"{home.tracking_code} {abroad.tracking_code}")
    everywhere = operator_of(username="everywhere")
    assert "Open the list of 2 guides" in found(everywhere, f"{home.tracking_code} {abroad.tracking_code}")


def test_a_kind_is_found_with_the_permission_to_view_it(home: Guide) -> None:
    user = User.objects.create_user("marta", is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["all"])
    browser = Client()
    browser.force_login(user)
    asked = (home.tracking_code, home.manifest.mawb, "both", f"{home.tracking_code} H002")
    assert all("href" not in found(browser, text) for text in asked)
    user.user_permissions.set(Permission.objects.filter(codename="view_company"))
    assert ["href" in found(browser, text) for text in asked] == [False, False, True, False]


def test_pasted_codes_make_a_list_of_the_operators_own(
    staff: Client, both: Company, home: Guide, abroad: Guide
) -> None:
    guides = list(shipped(both, 200, country="CL").guides.all())
    codes = [*(guide.tracking_code for guide in guides), "NOPE-1", abroad.tracking_code]
    page = found(staff, " ".join(["Tracking", *codes]))
    assert "Open the list of 200 guides" in page
    words = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert f"2 codes were not found here: NOPE-1 {abroad.tracking_code} 1 word was not looked for" in words
    assert words.endswith("it is not a code: Tracking")
    address = page.partition(f'href="{GUIDES}')[2].partition('"')[0]
    listed: Any = staff.get(GUIDES + address)
    assert listed.context["cl"].result_count == 200
    assert home not in listed.context["cl"].result_list
    listed_words = " ".join(re.sub("<[^>]*>", " ", text_of(listed)).split())
    assert f"2 codes were not found here: NOPE-1 {abroad.tracking_code} 1 word" in listed_words, "and repeats them"
    colleague: Any = operator_of("CL", username="colleague").get(GUIDES + address)
    assert colleague.context["cl"].result_count == 0  # never the whole list


def test_what_is_beyond_a_searchs_limits_is_said(staff: Client, home: Guide) -> None:
    codes = [f"NOPE{number:020}" for number in range(1_000)]
    words = " ".join(found(staff, " ".join([*codes, home.tracking_code])).split())
    assert "1 code was not looked for, because a list has at most 1 000" in words
    assert f"{home.tracking_code} </textarea>" in words
    assert "at most 20\u202f000 characters: nothing was searched" in found(staff, "ana " * 6_000)


def test_the_newest_lists_are_kept(staff: Client, both: Company) -> None:
    guides = list(shipped(both, 9, country="CL").guides.all())
    pages = [found(staff, f"{guides[0].tracking_code} {guide.tracking_code}") for guide in guides[1:]]
    addresses = [GUIDES + page.partition(f'href="{GUIDES}')[2].partition('"')[0] for page in pages]
    counts = [staff.get(address).context["cl"].result_count for address in addresses]
    assert counts == [0, 0, 0, 2, 2, 2, 2, 2]
    again = found(staff, f"{guides[0].tracking_code} {guides[8].tracking_code}")
    assert addresses[-1].partition("?")[2] in again


@pytest.mark.parametrize("text", ["", " ", "x", "\0", "%", "zzz nobody", "'", "\\", "x" * 30_000])
def test_what_nobody_has_finds_nothing_and_breaks_nothing(staff: Client, home: Guide, text: str) -> None:
    assert home.tracking_code not in found(staff, text)


def test_many_results_lead_to_their_list(staff: Client, both: Company) -> None:
    shipped(both, 8, country="CL", consignee_name="María Pérez")
    page = found(staff, "perez")
    assert page.count("María Pérez") == 6
    assert f'href="{GUIDES}?q=perez"' in page


def test_what_is_searched_is_in_no_address(staff: Client, home: Guide) -> None:
    page = text_of(staff.get(SEARCH, {"s": home.tracking_code}))
    assert home.tracking_code not in page
    assert 'hx-post="/admin/search/"' in page
    assert 'hx-post="/admin/search/"' in staff.get(reverse("admin:index")).content.decode()


def test_strangers_search_nothing(home: Guide) -> None:
    response = Client().post(SEARCH, {"s": home.tracking_code})
    assert response.status_code == 302
    assert "/admin/login/" in response["Location"]


def test_a_whole_mawb_finds_its_manifest_before_its_guides(staff: Client, home: Guide) -> None:
    page = found(staff, home.manifest.mawb)
    assert 0 < page.index(f"/manifest/{home.manifest_id}/") < page.index("/guide/")


def test_a_whole_client_code_finds_the_company_before_consignees_of_that_name(staff: Client, both: Company) -> None:
    shipped(both, 1, country="CL", consignee_name="Both Brothers")
    page = found(staff, "both")
    assert 0 < page.index("/company/") < page.index("/guide/")
    page = found(staff, "brothers")
    assert "/company/" not in page


def test_pages_and_operators_are_found_by_those_who_may_open_them(staff: Client) -> None:
    everywhere = operator_of(username="olivia.rojas")
    reports, users = reverse("reports"), reverse("admin:auth_user_changelist")
    assert f'href="{reports}"' in found(staff, "repor")
    assert f'href="{reverse("admin:index")}"' in found(staff, "start page")
    assert [f'href="{users}"' in found(browser, "users") for browser in (everywhere, staff)] == [True, False]
    page = reverse("admin:auth_user_change", args=[User.objects.get(username="olivia.rojas").pk])
    assert [f'href="{page}"' in found(browser, "rojas") for browser in (everywhere, staff)] == [True, False]


def test_pages_are_found_in_the_operators_language(staff: Client) -> None:
    response = staff.post(SEARCH, {"s": "informes"}, headers={"accept-language": "es"})
    assert f'href="{reverse("reports")}"' in response.content.decode()
