"""Through the operators' API: tokens, guides, corrections, scans, valid and invalid."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from tests.companies.operators.tokens.speaking import Program, ask_for_token, machine, program, token_of_machine
from tests.conftest import Caller
from tests.leaks.marked import EMAIL, NAME, NOTE, OPERATOR_PASSWORD, PERSON, RUT, SPELLED, one_guide
from tests.prealerts.watch.listening import Listener
from tests.shipments.inbound.scanning import opened, scan, scanned

pytestmark = pytest.mark.django_db


def test_the_operators_api(ears: Listener, acme: Caller, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False
    guide = one_guide(acme)
    secret = machine("loud")[1]
    scanner, lima = program("scanner"), program("lima", "PE")
    for answer in (
        ask_for_token(username=NAME, password=OPERATOR_PASSWORD, otp=OPERATOR_PASSWORD),
        token_of_machine(machine("quiet")[0], OPERATOR_PASSWORD),
        Program(OPERATOR_PASSWORD).get("/me"),
        scanner.get(f"/guides/{RUT}"),
        scanner.get(f"/guides?id={NAME}/{RUT}"),
        lima.get(f"/guides/{guide.tracking_code}"),
        scanner.get(f"/guides?company={NAME}"),
        scanner.get(f"/guides?bag={NAME * 9}&fields=all"),
        scanner.get(f"/guides?hawb={NAME}&since={EMAIL}"),
        scanner.get(f"/mawbs/{NAME}"),
        lima.get(f"/mawbs/{guide.manifest.mawb}"),
        scanner.get(f"/companies?cursor={RUT}"),
        scanner.patch(f"/guides/{guide.tracking_code}/consignee", {"consignee_document": f"{SPELLED}0"}),
        scanner.patch(f"/guides/{guide.tracking_code}/consignee", {"consignee_email": EMAIL * 50}),
        scanner.patch(f"/guides/{guide.tracking_code}/consignee", f'{{"consignee_name": "{NAME}'),
        scanner.post("/guides/bulk-advance-status", {"ids": [NAME], "status": "lost", "client_note": NOTE * 50}),
        scanner.post("/inbound-batches", {"facility": NAME, "country": "CL", "mawbs": ["045"], "note": NOTE}),
    ):
        assert answer.status_code >= 400, answer.content
        ears.keep(answer)
    correction = {name: PERSON[name] for name in ("consignee_name", "consignee_phone", "consignee_address")}
    assert scanner.patch(f"/guides/{guide.tracking_code}/consignee", correction).status_code == 200
    moved = {"ids": [guide.tracking_code], "status": "on_hold", "internal_note": NOTE}
    assert scanner.post("/guides/bulk-advance-status", moved).status_code == 200
    for of_nobody in (f"hawb={NAME}", f"bag={NAME}", f"mawb={NAME}"):
        ears.keep(scanner.get(f"/guides?{of_nobody}&fields=all"))
    ears.keep(lima.get(f"/guides?mawb={guide.manifest.mawb}&fields=all"))
    ears.keep(lima.get("/mawbs"))
    ears.keep(scanner.get(f"/guides?hawb={guide.hawb}&hawb={NAME}"))  # no person without `fields=all`
    assert scanner.get(f"/guides?hawb={guide.hawb}&hawb={NAME}&fields=all").json()["guides"]
    assert not any(NAME in entry.change_message for entry in LogEntry.objects.all())
    batch = opened(scanner, guide.manifest, note=NOTE)
    scanned(scanner, batch, [scan(guide.tracking_code, note=NOTE), scan(NAME)])
    assert scanner.get(f"/inbound-batches/{batch}/scans").status_code == 200
    ears.answers.append("" if secret not in str(ears.heard()) else NAME)
