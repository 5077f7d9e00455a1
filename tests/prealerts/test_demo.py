"""`make demo`: a back office with work at all stages, consistent in itself, and gone again without a trace."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from base.encryption import unseal
from companies.models import Company, OperatorProfile
from shipments.models import BulkMove, Guide, Layout, Manifest, ManifestFile, RefusedRequest
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped
from webhooks.models import Delivery, State, Subscription
from webhooks.subscriptions import new_signing_secret

pytestmark = pytest.mark.django_db

BESIDE_THE_MENU = ("admin:companies_mail_changelist", "admin:shipments_erasure_changelist")


def test_fills_every_list_with_what_is_consistent_and_leaves_nothing_to_send(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("demo", manifests=16, guides=20)
    for manifest in Manifest.objects.all():
        assert_sound(manifest)
        assert all(
            event.recorded_at >= manifest.created_at for guide in manifest.guides.all() for event in guide.events.all()
        )
    call_command("check_totals")
    assert (Manifest.objects.count(), Guide.objects.count()) == (18, 324)
    uploaded = Manifest.objects.filter(channel="upload").values_list("company__client_code", "country")
    assert set(uploaded) == {("ANDINA", "CL"), ("PACIFICO", "PE")}
    assert len(set(Guide.objects.values_list("status", flat=True))) > 5
    assert set(Manifest.objects.values_list("country", flat=True)) == {"CL", "PE", "AR"}
    assert Manifest.objects.exclude(posted_by__kind="client").exists()
    assert RefusedRequest.objects.count() == 8
    assert set(Delivery.objects.values_list("state", flat=True)) == {State.DELIVERED, State.DEAD}
    assert all(".invalid/" in url for url in Subscription.objects.values_list("url", flat=True))
    assert OperatorProfile.objects.get(user__username="demo-peru").countries == ["PE"]


def test_shows_the_desk_at_its_best_and_says_how_to_log_in(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("demo", manifests=16, guides=20)
    printed = dict(re.findall(r"user (\S+)   password (\S+)", capsys.readouterr().out))
    assert printed.keys() == {"demo-operations", "demo-peru"}
    desk = Client()
    assert desk.login(username="demo-operations", password=printed["demo-operations"])
    context: Any = desk.get(reverse("admin:index")).context
    assert [context[day].mawbs.count for day in ("today", "tomorrow")] == [5, 3]
    assert (context["late"]["mawbs"].count, context["zone"]) == (2, "Santiago")
    assert {"Demo Cargo", "Tiendas Pacífico S.A.C.", "Mercado Cóndor"} <= {entry.who for entry in context["to_do"]}
    assert context["demo"]["mawb"].startswith("544-")
    assert str(Layout.objects.waiting().get().pk) in context["demo"]["layout"]
    assert BulkMove.objects.filter(actor="demo-ana", state="done").exists()
    call_command("first_run")
    assert "user operator   password" in capsys.readouterr().out
    desk.force_login(User.objects.get(username="operator"))
    menu = [item for group in desk.get(reverse("admin:index")).context["sidebar_navigation"] for item in group["items"]]
    links = [*(str(item["link"]) for item in menu), *map(reverse, BESIDE_THE_MENU)]
    pages = {link: context for link in links if (context := desk.get(link).context) and "cl" in context}
    assert [link for link, page in pages.items() if not page["cl"].result_list] == []
    made = [delivery.created_at for delivery in pages[reverse("admin:webhooks_delivery_changelist")]["cl"].result_list]
    assert made == sorted(made, reverse=True)


def test_two_of_its_endpoints_are_the_receiver_that_runs_beside_it(settings: Any, tmp_path: Path) -> None:
    settings.ALLOWED_HOSTS, settings.WEBHOOK_ALLOWED_NETWORKS = ["testserver"], ["127.0.0.0/8"]
    kept = tmp_path / "secret"
    kept.write_text(f"{new_signing_secret()}\n")
    call_command("demo", manifests=1, guides=1, receiver=8445, secret_file=kept)
    here = Subscription.objects.filter(url__startswith="https://localhost:8445/")
    assert {each.company.client_code: unseal(each.sealed_secret) for each in here} == dict.fromkeys(
        ("ANDINA", "PACIFICO"), kept.read_text().strip()
    )


def test_is_made_anew_only_when_asked_and_touches_nobody_elses(
    acme: Caller, media: Path, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("demo", manifests=2, guides=1)
    with pytest.raises(CommandError, match="AGAIN=1"):
        call_command("demo", manifests=1, guides=1)
    assert Manifest.objects.count() == 4
    stored = ManifestFile.objects.values_list("file", flat=True)
    before = set(stored)
    with django_capture_on_commit_callbacks(execute=True):
        call_command("demo", again=True, manifests=1, guides=1)
    assert (Manifest.objects.count(), Company.objects.filter(pk=acme.company.pk).count()) == (3, 1)
    assert [(media / name).exists() for name in (*before, *stored.all())] == [False] * 2 + [True] * 2


def test_refuses_a_database_with_somebodys_manifests(acme: Caller) -> None:
    mine = shipped(acme.company, 1)
    for again in (False, True):
        with pytest.raises(CommandError, match="has manifests"):
            call_command("demo", again=again)
    assert list(Manifest.objects.all()) == [mine]
    assert not Company.objects.filter(client_code="ANDINA").exists()


def test_leaves_a_real_company_alone_that_has_one_of_its_codes(acme: Caller) -> None:
    Company.objects.filter(pk=acme.company.pk).update(client_code="CONDOR", contact_email="ops@condor.example")
    shipped(acme.company, 1)
    with pytest.raises(CommandError, match="has manifests"):
        call_command("demo", again=True)
    Manifest.objects.all().delete()
    with pytest.raises(CommandError, match="The company CONDOR exists"):
        call_command("demo", again=True)
    assert Company.objects.get(client_code="CONDOR") == acme.company
