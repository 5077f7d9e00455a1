"""The picture of a client on its page: what it sent, what waits, what fails, and the way to all its lists."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from companies.models import Company
from shipments.models import RefusedRequest
from tests.country_scope.operators import operator_of, rows_of, text_of
from tests.factories import ClientFactory, CourierFactory
from tests.shipments.layouts.rows import make_layout
from tests.shipments.layouts.telling import confirm
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def ours() -> Company:
    return ClientFactory.create(name="Ours SpA", client_code="OURS", allowed_countries=["CL"])


@pytest.fixture
def both() -> Company:
    return ClientFactory.create(name="Both SA", client_code="BOTH", allowed_countries=["CL", "PE"])


def page_of(company: Company) -> str:
    return reverse("admin:companies_company_change", args=[company.pk])


def test_the_page_shows_what_the_client_sent_and_what_fails(ours: Company) -> None:
    RefusedRequest.objects.create(company=ours, endpoint="POST upload", status=400, code="no_rows_parsed")
    manifest = shipped(ours, 3)
    guide = manifest.guides.earliest("id")
    bring(guide, "customs_held")
    rows = rows_of(guide, ours)  # with a refusal after the manifest and an endpoint
    neighbour = ClientFactory.create(client_code="NEXT")
    bring(shipped(neighbour, 5).guides.earliest("id"), "customs_documents_required")
    page = text_of(operator_of("CL").get(page_of(ours)))
    assert f"/manifest/{manifest.pk}/" in page
    assert "Refused since then" in page
    assert 'refusedrequest/?company=OURS">1</a>' in page
    assert 'guide/?company=OURS&amp;status__exact=customs_held">Held by customs: 1</a>' in page
    assert "Documents required" not in page
    assert f"/subscription/{rows['webhooks_subscription'].pk}/" in page
    assert 'aria-label="Guides by week, and those delivered"' in page
    assert "NEXT" not in page


def test_all_its_lists_open_narrowed_to_the_client(ours: Company) -> None:
    rows_of(shipped(ours, 1).guides.get(), ours)
    rows_of(shipped(neighbour := ClientFactory.create(client_code="NEXT", name="Next"), 1).guides.get(), neighbour)
    browser = operator_of("CL")
    page = text_of(browser.get(page_of(ours)))
    chips = page.partition('aria-label="About this company"')[2].partition("</ul>")[0]
    links = [part.partition('"')[0].replace("&amp;", "&") for part in chips.split('href="')[1:]]
    assert len(links) == 10
    for link in links:
        response = browser.get(link)
        if response.context and (changes := response.context.get("cl")):
            companies = {str(getattr(row, "company", None) or row.manifest.company) for row in changes.result_list}
            assert companies == {str(ours)}, link
        else:
            shown = text_of(response)
            assert 'value="OURS" selected' in shown or page_of(ours) in shown, link
            assert "Next" not in shown, link


def test_of_a_client_with_other_countries_only_the_operators_are_counted(both: Company) -> None:
    home, abroad = shipped(both, 2, country="CL"), shipped(both, 3, country="PE")
    bring(abroad.guides.earliest("id"), "customs_held")
    rows_of(abroad.guides.earliest("id"), both)
    page = text_of(operator_of("CL").get(page_of(both)))
    assert home.mawb in page
    for hidden in (abroad.mawb, "Held by customs", "Both SA PE", "Refused since then", "203.0.114.5"):
        assert hidden not in page
    assert operator_of("AR", username="ana").get(page_of(both)).status_code == 404


def test_what_needs_a_permission_is_not_shown_without_it(ours: Company) -> None:
    guide = shipped(ours, 1).guides.get()
    bring(guide, "customs_held")
    rows_of(guide, ours)
    browser = operator_of("CL")
    User.objects.get(username="camila").user_permissions.set(Permission.objects.filter(codename="view_company"))
    page = text_of(browser.get(page_of(ours)))
    for hidden in (guide.manifest.mawb, "Held by customs", "Refused since then", "203.0.114.5", "?company=OURS"):
        assert hidden not in page


def test_a_couriers_page_counts_what_it_posted() -> None:
    page = text_of(operator_of().get(page_of(CourierFactory.create(client_code="FAST"))))
    assert "None yet" in page
    assert "Guides in exception" not in page


def tick(company: Company) -> None:
    Company.objects.filter(pk=company.pk).update(read_by_headings=["CL", "PE"])


@pytest.mark.parametrize("onboard", [tick, lambda company: confirm(make_layout(company, "PE"))], ids=["tick", "layout"])
def test_a_client_whose_workbooks_are_refused_is_named_until_they_are_read(
    both: Company, ours: Company, onboard: Callable[[Company], None]
) -> None:
    browser, elsewhere = operator_of("CL", "PE"), operator_of("CL", username="carla")
    password = reverse("admin:companies_company_api_password", args=[both.pk])
    for address in (page_of(both), password):
        assert "Its workbooks are refused: Peru" in text_of(browser.get(address))
    assert "Its workbooks are refused" not in text_of(elsewhere.get(page_of(both)))
    assert "Its workbooks are refused" not in text_of(browser.get(page_of(ours)))
    onboard(both)
    for address in (page_of(both), password):
        assert "Its workbooks are refused" not in text_of(browser.get(address))
