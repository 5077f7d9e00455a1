"""Who saw and did what: shown to operators who see every country, read-only, in their own words."""

from datetime import timedelta
from typing import Any

import pytest
from auditlog.models import LogEntry as Change
from django.contrib.admin.models import LogEntry as Act
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.admin.activity import ActKind, encode_act
from companies.models import Company, OperatorProfile
from shipments.activity import CORRECTED
from shipments.models import Guide
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller
from tests.factories import ClientFactory
from tests.prealerts.test_audit import ACTS, CHANGES
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("page", [ACTS, CHANGES])
def test_the_pages_are_for_those_who_may_and_see_every_country(page: str) -> None:
    may = operator("view_logentry", username="ana")
    assert may.get(page).status_code == 200
    OperatorProfile.objects.filter(user=User.objects.get(username="ana")).update(countries=["CL"])
    assert may.get(page).status_code == 403
    assert operator("view_guide", "change_guide", username="gil").get(page).status_code == 403


@pytest.mark.parametrize("model", ["admin_logentry", "auditlog_logentry"])
def test_nobody_edits_or_deletes_a_line(admin_client: Client, model: str) -> None:
    company = ClientFactory.create()
    Act.objects.create(user=User.objects.get(), object_repr="x", action_flag=2, change_message="x")
    row = (Act if model == "admin_logentry" else Change).objects.earliest("pk")
    assert company.pk
    for name in ("change", "delete"):
        assert admin_client.post(reverse(f"admin:{model}_{name}", args=[row.pk]), {"post": "yes"}).status_code == 403
    assert admin_client.post(reverse(f"admin:{model}_add"), {}).status_code == 403
    ticked = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    admin_client.post(reverse(f"admin:{model}_changelist"), ticked)
    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"user__id__exact": "olga"}, {"by olga"}),
        ({"user__id__exact": "rita"}, {"by rita"}),
        ({"q": "THING-1"}, {"by olga"}),
        ({"q": "THING"}, set()),
        ({"what": "configured"}, {"by olga", "by rita"}),
        ({"what": "opened"}, set()),
        ({"what": "nonsense"}, {"by olga", "by rita"}),
        ({"day": "today"}, set()),
        ({"action_time_from": "2026-01-02"}, {"by rita"}),
        ({"action_time_to": "2026-01-01"}, {"by olga"}),
        ({"kind": "company"}, {"by rita"}),
        ({"kind": "nonsense"}, {"by olga", "by rita"}),
    ],
)
def test_the_log_is_narrowed_by_person_object_action_and_day(
    admin_client: Client, query: dict[str, str], found: set[str]
) -> None:
    from datetime import UTC, datetime  # noqa: PLC0415  # kept beside its only use

    people = {name: User.objects.create_user(name) for name in ("olga", "rita")}
    company = ContentType.objects.get_for_model(Company)
    for day, (name, user) in enumerate(people.items(), start=1):
        kind = company if name == "rita" else ContentType.objects.get_for_model(User)
        Act.objects.create(
            user=user,
            content_type=kind,
            object_repr=f"THING-{day}",
            action_flag=day + 1,
            change_message=f"by {name}",
            action_time=datetime(2026, 1, day, 12, tzinfo=UTC),
        )
    values = {"olga": people["olga"].pk, "rita": people["rita"].pk, "company": company.pk}
    response: Any = admin_client.get(ACTS, {name: values.get(value, value) for name, value in query.items()})
    assert {act.change_message for act in response.context["cl"].result_list} == found


def test_what_somebody_did_is_read_in_the_readers_language_in_the_list_the_export_and_the_history(
    admin_client: Client, acme: Caller
) -> None:
    guide = shipped(acme.company, 1).guides.get()
    page = reverse("admin:shipments_guide_change", args=[guide.pk])
    moved = {"step": "run", "status": "in_transit", "source": "operator", "zone": "America/Santiago"}
    admin_client.get(page, headers={"accept-language": "es"})
    preview: Any = admin_client.post(reverse("admin:shipments_guide_advance", args=[guide.pk]), moved)
    admin_client.post(preview["Location"], {"step": "run"})
    assert [ActKind.of(act) for act in Act.objects.order_by("pk")] == [ActKind.OPENED, ActKind.MOVED]
    for language, opened, event in (
        ("en", "Opened.", "1 guide of a list: “In transit”."),
        ("es", "Abierta.", "1 guía de una lista: «En tránsito»."),
    ):
        headers = {"accept-language": language}
        export: Any = admin_client.get(reverse("admin:admin_logentry_export_csv"), headers=headers)
        for shown in (
            text_of(admin_client.get(ACTS, headers=headers)),
            export.getvalue().decode(),
        ):
            assert opened in shown
            assert event in shown


def test_a_list_that_was_exported_is_named_in_the_readers_language(admin_client: Client) -> None:
    export = reverse("admin:shipments_guide_export_csv")
    assert b"".join(admin_client.get(export, headers={"accept-language": "es"}).streaming_content)  # type: ignore[attr-defined]  # streamed
    assert "List of guides" in rows_of(admin_client, "en")
    assert "Lista de guías" in rows_of(admin_client, "es")


def rows_of(client: Client, language: str) -> str:
    response: Any = client.get(reverse("admin:admin_logentry_export_csv"), headers={"accept-language": language})
    return str(response.getvalue().decode())


def test_an_act_of_a_later_version_is_shown_by_its_code(admin_client: Client, admin_user: User) -> None:
    message = '[{"act": "guide_painted", "params": {"colour": "red"}}]'
    Act.objects.create(user=admin_user, object_repr="x", action_flag=99, change_message=message)
    shown = text_of(admin_client.get(ACTS))
    assert "guide_painted" in shown
    assert "Configured" in shown


def test_the_log_links_objects_and_names_fields_in_words(admin_client: Client, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    Act.objects.create(
        user=User.objects.get(),
        content_type=ContentType.objects.get_for_model(Guide),
        object_id=str(guide.pk),
        object_repr=guide.tracking_code,
        action_flag=2,
        change_message=encode_act(CORRECTED, {"changes": {"consignee_city": ["“”", "“Lima”"]}}),
    )
    page = text_of(admin_client.get(ACTS))
    assert f'href="{reverse("admin:shipments_guide_change", args=[guide.pk])}"' in page
    row = text_of(admin_client.get(reverse("admin:admin_logentry_change", args=[Act.objects.get().pk])))
    for shown in (page, row):
        assert "city: “” → “Lima”" in shown
        assert "consignee_city" not in shown
    assert f" · {guide.tracking_code} | " in row


def test_today_and_yesterday_are_the_operators(
    admin_client: Client, admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime  # noqa: PLC0415  # kept beside its only use

    OperatorProfile.objects.create(user=admin_user, time_zone="America/Santiago")
    now = datetime(2026, 6, 10, 2, tzinfo=UTC)  # the evening of the 9th in Santiago
    for hour, message in ((1, "tonight"), (-4, "this afternoon"), (-24, "the day before")):
        at = now + timedelta(hours=hour - 2)
        Act.objects.create(user=admin_user, object_repr="x", action_flag=2, change_message=message, action_time=at)
    monkeypatch.setattr(timezone, "localdate", lambda: timezone.localtime(now).date())
    request: Any = {day: admin_client.get(ACTS, {"day": day}) for day in ("today", "yesterday")}
    shown = {day: {act.change_message for act in page.context["cl"].result_list} for day, page in request.items()}
    assert shown == {"today": {"tonight", "this afternoon"}, "yesterday": {"the day before"}}
