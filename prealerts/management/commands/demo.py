"""For `make demo`: two months of plausible work by invented people, so that each page has something."""

import logging
import random
import secrets
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone
from openpyxl import Workbook
from rich.progress import track
from stdnum.cl import rut

from companies.countries import SERVED
from companies.models import Company, Kind, OperatorProfile
from companies.onboarding import onboard
from prealerts import demo_desk
from shipments.admin.filters import local_day
from shipments.files.stored_files import delete_stored
from shipments.intake.posting import receive_json
from shipments.manifests.house.manifest_template import template
from shipments.models import Channel, Flight, Guide, GuideEvent, Manifest, ManifestFile, RefusedRequest
from shipments.statuses import IN_CUSTOMS, GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.moves import Move, ReportedEvent
from shipments.tracking.review import lift_retention, mark_reviewed
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal
from webhooks.models import Delivery, State, Subscription
from webhooks.subscriptions import register_signed
from webhooks.verdicts import Failure

ACTOR = "demo"
SEED = 20261124
COMPANIES: Mapping[str, tuple[str, Sequence[str]]] = {
    "ANDINA": ("Importadora Andina SpA", ["CL"]),
    "PACIFICO": ("Tiendas Pacífico S.A.C.", ["PE"]),
    "PAMPA": ("Pampa Compras S.R.L.", ["AR"]),
    "AUSTRAL": ("Outlet Austral Ltda.", ["CL", "AR"]),
    "CONDOR": ("Mercado Cóndor", ["CL", "PE", "AR"]),
}
COURIER = "RAPIDO"
FAILING = "CONDOR"
"""Its endpoint does not answer."""
FLIGHTS = {"CL": ("045", "LA2369", "SCL"), "PE": ("544", "LP2467", "LIM"), "AR": ("044", "AR1303", "EZE")}
STREETS = {"CL": "Avenida Inventada {}", "PE": "Jirón Imaginario {}", "AR": "Calle Ficticia {}"}
NAMES = ("Ana", "Bruno", "Carla", "Diego", "Elena", "Felipe", "Gloria", "Hugo", "Inés", "Javier", "Lucía", "Mateo")
SURNAMES = ("Rojas", "Quispe", "Gómez", "Soto", "Vargas", "Molina", "Paredes", "Ibáñez", "Castro", "Núñez", "Ríos")
GOODS = ("Zapatillas deportivas", "Auriculares", "Libros", "Juguetes", "Polera de algodón", "Repuestos", "Cosméticos")
STEP = timedelta(hours=9)
SANTIAGO = "America/Santiago"
OPERATORS = {
    "demo-operations": (["CL", "PE", "AR"], SANTIAGO),
    "demo-peru": (["PE"], ""),
    demo_desk.ANA: (["CL", "PE", "AR"], SANTIAGO),
}
"""Countries and clock; without one, an operator of one country has its clock."""

S = GuideStatus
_USUAL = (S.CUSTOMS_PROCESSING, S.CUSTOMS_RELEASED, S.IN_TRANSIT, S.OUT_FOR_DELIVERY, S.DELIVERED)
JOURNEYS: Sequence[tuple[int, Sequence[GuideStatus]]] = (
    (80, _USUAL),
    (4, (S.CUSTOMS_PROCESSING, S.CUSTOMS_HELD, S.CUSTOMS_RELEASED, S.IN_TRANSIT, S.OUT_FOR_DELIVERY, S.DELIVERED)),
    (2, (S.CUSTOMS_PROCESSING, S.CUSTOMS_DOCUMENTS_REQUIRED)),
    (2, (S.CUSTOMS_PROCESSING, S.CUSTOMS_DUTIES_PENDING)),
    (2, (S.CUSTOMS_PROCESSING, S.CUSTOMS_HELD)),
    (1, (S.CUSTOMS_PROCESSING, S.CUSTOMS_REJECTED)),
    (1, (S.CUSTOMS_PROCESSING, S.CUSTOMS_RELEASED, S.IN_TRANSIT, S.LOST)),
    (4, (*_USUAL[:4], S.DELIVERY_FAILED)),
    (3, (*_USUAL[:4], S.DELIVERY_FAILED, S.OUT_FOR_DELIVERY, S.DELIVERED)),
    (2, (*_USUAL[:4], S.DELIVERY_FAILED, S.RETURNING_TO_SENDER, S.RETURNED)),
)
"""Weight and statuses of a guide's way."""


class Command(BaseCommand):
    help = "Fill a database that has no manifests with two months of invented work, to look at the admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--again", action="store_true", help="Delete what an earlier run created, and create it again."
        )
        parser.add_argument("--manifests", type=int, default=40, help="How many (default 40).")
        parser.add_argument("--guides", type=int, default=100, help="How many each manifest has (default 100).")
        parser.add_argument("--receiver", type=int, metavar="PORT", help="Of a local receiver of webhooks.")
        parser.add_argument("--secret-file", type=Path, help="With the receiver's secret.")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        logging.disable(logging.CRITICAL)  # a line for each of 4,000 guides would bury the progress bar
        try:
            with transaction.atomic():  # all of it or nothing, and no dispatcher sends any of it
                if options["again"]:
                    clear()
                if Manifest.objects.exists():
                    raise CommandError("The database has manifests; `make demo AGAIN=1` replaces those of the demo.")
                if taken := Company.objects.filter(client_code__in=[*COMPANIES, COURIER]).first():
                    raise CommandError(f"The company {taken.client_code} exists; the demonstration needs its code.")
                receiver = options["receiver"] and (options["receiver"], options["secret_file"].read_text().strip())
                passwords = fill(options["manifests"], options["guides"], receiver)
        finally:
            logging.disable(logging.NOTSET)
        self.stdout.write(
            f"{Manifest.objects.count()} manifests and {Guide.objects.count():,} guides in "
            f"{time.monotonic() - started:.0f} s. Two further operators, whose passwords are shown this once:"
        )
        for name, password in passwords.items():
            self.stdout.write(f"  user {name}   password {password}")
        if receiver:
            self.stdout.write("`make run` starts a receiver for two of the endpoints: start it again if it runs now.")


def clear() -> None:
    """Delete what the demonstration made, and nothing else: a real company may have one of the codes."""
    own = Company.objects.filter(client_code__in=[*COMPANIES, COURIER], contact_email__endswith=".invalid")
    files = list(ManifestFile.objects.filter(manifest__company__in=own).values_list("file", flat=True))
    transaction.on_commit(lambda: delete_stored(files), robust=True)
    demo_desk.clear()
    Manifest.objects.filter(company__in=own).delete()
    Flight.objects.filter(company__in=own).delete()
    Delivery.objects.filter(company__in=own).delete()
    Subscription._base_manager.filter(company__in=own).delete()  # noqa: SLF001  # deleted ones, too
    own.delete()
    get_user_model().objects.filter(username__in=OPERATORS).delete()


def fill(manifests: int, guides: int, receiver: tuple[int, str] | None = None) -> Mapping[str, str]:
    """Make companies, operators and endpoints, then the work of two months, then its times, then today's.

    receiver: the port and the secret of one on this machine, for the endpoints that work. Returns the passwords of the
    operators.
    """
    chance = random.Random(SEED)  # noqa: S311  # nothing secret
    now = timezone.now()
    companies, passwords = _companies()
    operators = _operators()
    for code in ("ANDINA", "PACIFICO", FAILING):
        url, secret = f"https://hooks.{code.lower()}.invalid/pre-alerts", ""
        if receiver and code != FAILING:
            url, secret = f"https://localhost:{receiver[0]}/{code.lower()}", receiver[1]
        register_signed(companies[code], url, event_types=["pre_alert.ingested", "guide.exception"], secret=secret)
    arrivals, steps = {}, {}
    for number in track(range(manifests), "Manifests", transient=True):
        code = [*COMPANIES][number % len(COMPANIES)]
        country = chance.choice(COMPANIES[code][1])
        eta, done = _arrival(manifests - 1 - number, manifests, country, now)
        body = _manifest(chance, number, country, eta, guides)
        by_courier = code == "PAMPA"
        poster = companies[COURIER if by_courier else code]
        received = receive_json(poster, {**body, "client_code": code} if by_courier else body)
        arrivals[received.manifest.pk], steps[received.manifest.pk] = eta, done
    clients = _clients(passwords)
    _call_the_api(clients)
    in_two_days = now + timedelta(days=2)
    arrivals |= dict.fromkeys(Manifest.objects.filter(channel=Channel.UPLOAD).values_list("pk", flat=True), in_two_days)
    _move(chance, arrivals, steps, now)
    _look_after(chance)
    _write_outcomes(now)
    for pk, eta in track(arrivals.items(), "Times", transient=True):
        _move_back(pk, eta, now)
    RefusedRequest.objects.filter(company__in=companies.values()).update(created_at=now - timedelta(hours=3))
    here = sorted((eta, pk) for pk, eta in arrivals.items() if now - timedelta(hours=24) < eta <= now and steps.get(pk))
    demo_desk.fill([pk for _eta, pk in here], clients["ANDINA"], now)
    _write_outcomes(now)
    _sort_deliveries()
    return operators


def _companies() -> tuple[Mapping[str, Company], Mapping[str, str]]:
    def company(name: str, code: str, **rights: Any) -> Company:  # rights: columns of a company
        email = f"soporte@{code.lower()}.invalid"
        return Company(name=name, client_code=code, contact_name="Contacto de ejemplo", contact_email=email, **rights)

    made, passwords = {}, {}
    for code, (name, countries) in COMPANIES.items():
        rights = {"allowed_countries": countries, "read_by_headings": ["CL", "PE"]}
        made[code] = company(name, code, tracking_prefix=code[:2] + "D", **rights)
        passwords[code] = onboard(made[code])
    made[COURIER] = company("Courier Rápido", COURIER, kind=Kind.COURIER, tracking_prefix="RPD")
    onboard(made[COURIER], posts_for=[made["PAMPA"]])
    return made, passwords


def _operators() -> Mapping[str, str]:
    """Make the operators; those with a password are returned with it. They and the first one have Santiago's clock."""
    users, passwords = get_user_model().objects, {}
    for name, (countries, zone) in OPERATORS.items():
        password = secrets.token_urlsafe(12) if name != demo_desk.ANA else None
        user = users.create_user(username=name, password=password, is_staff=True)
        user.groups.set(Group.objects.filter(name="Operations"))
        OperatorProfile.objects.update_or_create(user=user, defaults={"countries": countries, "time_zone": zone})
        if password:
            passwords[name] = password
    for user in users.filter(is_superuser=True):
        profile, _is_new = OperatorProfile.objects.get_or_create(user=user)
        if not profile.time_zone:
            OperatorProfile.objects.filter(pk=profile.pk).update(time_zone=SANTIAGO)
    return passwords


TODAY = ((-9, 5), (-6, 4), (-3, 2), (2, 0), (5, 0))
"""Hours from now, and the steps that most guides have done, of each MAWB that arrives today."""
TOMORROW = (5, 11, 17)
"""Hours of the day."""
LATE = (30, 44)
"""Hours ago."""


def _arrival(from_last: int, manifests: int, country: str, now: datetime) -> tuple[datetime, int | None]:
    """Return when a manifest arrives, and the steps that most of its guides have done; None for what is usual then.

    The last three arrive tomorrow, the five before them today, and the two before those are late. The others arrived
    in the two months before.
    """
    done: int | None = 0
    if from_last < 3:
        eta = local_day(country, now, 1)[0] + timedelta(hours=TOMORROW[from_last])
    elif from_last < 8:
        hours, done = TODAY[from_last - 3]
        begins, ends = local_day(country, now)
        room = ends - now if hours > 0 else now - begins  # beside midnight they arrive closer to one another
        eta = now + min(timedelta(hours=hours), room * hours / 10, key=abs)
    elif from_last < 10:
        eta = now - timedelta(hours=LATE[from_last - 8])
    else:
        number, many = manifests - 1 - from_last, max(1, manifests - 10)
        eta, done = now - timedelta(days=60 - 58 * number // many, hours=number * 5 % 12), None
    return eta.replace(microsecond=0), done


def _manifest(chance: random.Random, number: int, country: str, eta: datetime, guides: int) -> Mapping[str, Any]:
    prefix, flight, airport = FLIGHTS[country]
    serial = 7_300_000 + number * 17
    return {
        "mawb": f"{prefix}-{serial}{serial % 7}", "transport_mode": "air", "flight_number": flight,
        "origin_airport": "MIA", "destination_airport": airport,
        "scheduled_departure": (eta - timedelta(hours=9)).isoformat(), "scheduled_arrival": eta.isoformat(),
        "guides": [_guide(chance, country, f"DEMO{number:03d}{each:04d}") for each in range(guides)],
    }  # fmt: skip


def _guide(chance: random.Random, country: str, hawb: str) -> Mapping[str, Any]:
    serial = str(chance.randrange(10_000_000, 25_000_000))
    document = f"{serial}-{rut.calc_check_digit(serial)}" if country == "CL" else serial
    is_placeholder = country == "CL" and chance.random() < 0.03
    is_dear = chance.random() < 0.03
    guide = {
        "hawb": hawb, "consignee_name": f"{chance.choice(NAMES)} {chance.choice(SURNAMES)} {chance.choice(SURNAMES)}",
        "consignee_document": "11.111.111-1" if is_placeholder else document,
        "consignee_address": STREETS[country].format(chance.randrange(10, 4_000)),
        "consignee_city": SERVED[country].capital,
        "consignee_email": f"{hawb.lower()}@example.invalid", "weight_kg": round(chance.uniform(0.2, 6), 2),
        "description_original": chance.choice(GOODS),
        "fob_usd": 2_450 if is_dear else round(chance.uniform(15, 190), 2),
    }  # fmt: skip
    return guide if country == "CL" else guide | {"consignee_document_type": "DNI"}


def _move(
    chance: random.Random, arrivals: Mapping[Any, datetime], steps_of: Mapping[Any, int | None], now: datetime
) -> None:
    """Bring each guide as far as the days since its arrival allow, or as `steps_of` says: one step of all at a time."""
    ways = {}
    for pk, manifest_id in Guide.objects.filter(manifest__in=arrivals).order_by("pk").values_list("pk", "manifest_id"):
        (way,) = chance.choices([way for _weight, way in JOURNEYS], [weight for weight, _way in JOURNEYS])
        usual = int((now - arrivals[manifest_id]) / STEP) - chance.randrange(2)
        done = steps_of.get(manifest_id)
        steps = max(0, usual) if done is None else done and max(1, done - chance.randrange(3))
        ways[pk, manifest_id] = way[:steps]
    for step in track(range(max(map(len, ways.values()), default=0)), "Movements", transient=True):
        moves = [
            Move(pk, manifest_id, ReportedEvent(way[step], _source(way[step])))
            for (pk, manifest_id), way in ways.items()
            if step < len(way)
        ]
        advance_each(moves, actor=ACTOR)


def _source(status: GuideStatus) -> Source:
    if status is S.CUSTOMS_RELEASED:
        return Source.CARRIER  # customs itself would end retentions
    if status.value.startswith("customs"):
        return Source.CUSTOMS
    return Source.CARRIER if status in {S.IN_TRANSIT, S.LOST} else Source.COURIER_SCAN


def _look_after(chance: random.Random) -> None:
    """What operators do: lift some retentions, review some guides, take back a few wrong statuses."""
    for guide in list(Guide.objects.to_release().order_by("pk"))[::4]:
        lift_retention(guide, reason="Released by customs, resolution received.", actor=ACTOR)
    waiting = list(Guide.objects.to_review().order_by("pk").values_list("pk", flat=True))
    mark_reviewed(Guide.objects.filter(pk__in=waiting[::3]), actor=ACTOR)
    failed = list(Guide.objects.filter(status=S.DELIVERY_FAILED).order_by("pk").values_list("pk", flat=True))
    wrong = Guide.objects.filter(pk__in=chance.sample(failed, min(3, len(failed))))
    take_back(wrong, Withdrawal(S.DELIVERY_FAILED, reason="Scanned by mistake."), actor=ACTOR)


def _clients(passwords: Mapping[str, str]) -> Mapping[str, Client]:
    host = next((host for host in settings.ALLOWED_HOSTS if host != "*"), "127.0.0.1")
    return {
        code: Client(raise_request_exception=False, headers={"Host": host, "Authorization": f"Bearer {password}"})
        for code, password in passwords.items()
    }


def _call_the_api(clients: Mapping[str, Client]) -> None:
    """Workbooks for two countries that are accepted, and what is refused."""
    upload, json = (f"/api/public/pre-alerts/v1/{name}" for name in ("upload", "process-pre-alert-json"))
    chile, peru = (template(country) for country in ("CL", "PE"))
    for code, content in (
        ("ANDINA", chile), ("PACIFICO", peru), ("ANDINA", chile), ("PACIFICO", b"Not a workbook"),
        ("PACIFICO", _strange()),
    ):  # fmt: skip
        clients[code].post(upload, {"manifest_file": SimpleUploadedFile("manifest.xlsx", content)})
    for code in ("ANDINA", "CONDOR"):
        clients[code].post(upload, {})
        clients[code].post(json, {"transport_mode": "air"}, "application/json")


def _strange() -> bytes:
    """A workbook whose HAWB nobody can tell: its layout waits to be confirmed."""
    book, headings = (
        Workbook(),
        ("Ref. interna", "Nombre y apellidos", "Nro doc", "Que trae", "Pesaje bruto", "Importe"),
    )
    sheet: Any = book.active
    for row in (("MAWB", "544-73009992", "Destino", "LIM"), (), headings):
        sheet.append(row)
    for number in range(1, 13):
        name = f"{NAMES[number % len(NAMES)]} {SURNAMES[number % len(SURNAMES)]}"
        goods = GOODS[number % len(GOODS)]
        sheet.append((f"TP{number:06}PE", name, str(40_000_000 + number * 137), goods, number * 0.35, number * 6.2))
    content = BytesIO()
    book.save(content)
    return content.getvalue()


def _write_outcomes(now: datetime) -> None:
    """Write what a dispatcher would have, with one endpoint that fails."""
    waiting = Delivery.objects.filter(state=State.PENDING, company__client_code__in=[*COMPANIES])
    failing = waiting.filter(company__client_code=FAILING)
    failing.update(
        state=State.DEAD, attempts=F("max_attempts"), attempted_at=now, finished_at=now, duration_ms=10_000,
        error=Failure.TIMEOUT, reason="No answer within the time limit.",
    )  # fmt: skip
    waiting.update(
        state=State.DELIVERED, attempts=1, attempted_at=now, finished_at=now, duration_ms=140, http_status=200
    )
    Subscription.objects.filter(company__client_code=FAILING).update(
        failing_since=now - timedelta(hours=26), failures=40
    )


def _sort_deliveries() -> None:
    """Write the deliveries again in the order of their times: the list begins with the highest id."""
    made = Delivery.objects.filter(company__client_code__in=[*COMPANIES])
    rows = list(made.order_by("created_at", "pk"))
    made.delete()
    for row in rows:
        row.pk = None
    Delivery.objects.bulk_create(rows, batch_size=500)


def _move_back(manifest_id: Any, eta: datetime, now: datetime) -> None:  # manifest_id: a UUID
    """Give a manifest and all that hangs on it the times it would have had: received 30 hours before its arrival."""
    received = min(eta - timedelta(hours=30), now - timedelta(hours=1))
    guides = Guide.objects.filter(manifest=manifest_id)
    events = GuideEvent.objects.filter(guide__in=guides.order_by())
    # The time of each change of status, by its sequence; the first is the receipt.
    step = min(STEP, (now - eta) / 11) if eta < now else STEP  # all of them before now
    times = {1: received} | {nth: eta + min(step, timedelta(minutes=37)) + (nth - 2) * step for nth in range(2, 12)}
    for sequence in events.order_by().values_list("sequence", flat=True).distinct():
        at = times[sequence]
        events.filter(sequence=sequence).update(occurred_at=at, recorded_at=at)
        events.filter(sequence=sequence).exclude(withdrawn_at=None).update(withdrawn_at=times[sequence + 1])
        guides.filter(sequence=sequence).update(updated_at=at)
    guides.filter(status__in=IN_CUSTOMS).update(customs_since=times[2])
    guides.update(created_at=received)
    guides.exclude(reviewed_at=None).update(reviewed_at=times[2])
    guides.exclude(retention_lifted_at=None).update(retention_lifted_at=times[2])
    last = events.order_by("-recorded_at").values_list("recorded_at", flat=True).first()
    manifest = Manifest.objects.filter(pk=manifest_id)
    manifest.update(created_at=received)
    manifest.exclude(changed_at=None).update(changed_at=last)
    subjects = [*manifest.values_list("mawb", flat=True), *guides.values_list("tracking_code", flat=True)]
    deliveries = Delivery.objects.filter(subject__in=subjects, finished_at__isnull=False)
    deliveries.update(created_at=last, attempted_at=last, finished_at=last)
