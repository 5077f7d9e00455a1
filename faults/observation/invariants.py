"""The invariants I1 to I8, checked after every fault against the database, the logs, the storage and the service."""

import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import requests

from faults.environment.running import Service
from faults.observation.witness import Witness
from shipments.statuses import GuideStatus
from tests.books import VALID_RUTS
from tests.live.server import BASE
from tests.processes import soon

CONTRACT_STATUSES = {200, 201, 202, 400, 401, 403, 404, 405, 409, 422, 500, 503}
_WITHOUT_DIGITS = [rut.split("-")[0] for rut in VALID_RUTS[::2]]
PERSONAL = ("Persona ", "Calle ", "+56 9 1234", "Maria Perez", *VALID_RUTS, *_WITHOUT_DIGITS)
HEALTH_SECONDS = 1.0
SETTLE_SECONDS = 60
_SAMPLE = 3


def check(witness: Witness) -> None:
    """Raise AssertionError, starting with the invariant's number, for the first one violated."""
    service = witness.service
    acknowledged_is_there(witness)
    nothing_is_partial(witness)
    answers_are_envelopes(witness.answers)
    settle(service)
    one_row_for_each_change(witness)
    each_is_attempted_once_and_arrives(witness)
    logs_tell_nobody(witness)
    liveness_is_prompt(service)
    nothing_is_seen_by_the_other(witness)
    nothing_is_sent_to_the_other(witness)


def acknowledged_is_there(witness: Witness) -> None:
    """I1: every 201 is in the database, with the tracking codes it gave."""
    records = witness.service.records
    manifests, timelines = records.manifests(witness.codes), records.timelines(witness.codes)
    for said in witness.acknowledged:
        kept = manifests.get(said.manifest_id)
        assert kept, f"I1: {said.mawb} was acknowledged but is not stored"
        assert (kept["code"], kept["mawb"], kept["guides"]) == (said.code, said.mawb, len(said.tracking_codes)), (
            f"I1: {kept}"
        )
        assert timelines.keys() >= set(said.tracking_codes), f"I1: {said.mawb}: other tracking codes"


def nothing_is_partial(witness: Witness) -> None:
    """I2: a manifest has all its guides, each with its first event, and its files; the database is not damaged."""
    service = witness.service
    assert service.records.is_whole(), "I2: the database's file is damaged"
    stand = service.records.statuses(witness.codes)
    for key, kept in service.records.manifests(witness.codes).items():
        counted = {status: count for status, count in kept["by_status"].items() if count}
        assert counted == stand.get(key, {}), f"I2: {key} counts {counted}, its guides are {stand.get(key)}"
        expected = witness.sent.get(kept["mawb"], kept["total"])
        counts = {kept["total"], kept["guides"], kept["registered"], sum(kept["by_status"].values()), expected}
        assert counts == {expected}, f"I2: {key}: {kept}, sent {expected}"
    lost = service.records.stored_names() - service.stored_files()
    assert not lost, f"I2: rows refer to missing files: {sorted(lost)[:3]}"


def answers_are_envelopes(answers: list[requests.Response]) -> None:
    """I3: JSON, with a status of the contract; errors in the envelope."""
    for answer in answers:
        about = f"I3: {answer.request.method} {answer.status_code} {answer.content[:80]!r}"
        assert answer.status_code in CONTRACT_STATUSES, about
        assert answer.headers["Content-Type"].startswith("application/json"), about
        said = answer.json()
        if answer.status_code >= 400:
            assert said["success"] is False, about
            assert isinstance(said["error"], str), about
            assert "message" in said, about


def settle(service: Service) -> None:
    """Let the dispatcher finish; age what a dead one left, so that nobody waits half a minute."""
    if not service.is_dispatching():
        service.dispatch()
    try:
        soon(lambda: not unfinished(service), 6)
    except AssertionError:
        service.records.age("webhooks_delivery", "claimed_at")
        soon(lambda: not unfinished(service), SETTLE_SECONDS, "I5: every delivery's final state")


def unfinished(service: Service) -> int:
    """Deliveries that are neither final nor, in version 2, wait for their next attempt."""
    ((count,),) = service.records.ask(
        "SELECT count(*) FROM webhooks_delivery WHERE finished_at IS NULL AND state <> 'waiting'"
    )
    return int(count)


def one_row_for_each_change(witness: Witness) -> None:
    """I4: one delivery for each manifest and for each change of status of its guides, none for anything else."""
    records = witness.service.records
    written = Counter((code, subject) for code, subject, *_ in records.deliveries(witness.codes))
    due = Counter((kept["code"], kept["mawb"]) for kept in records.manifests(witness.codes).values())
    prefixes = {code[:5]: code for code in witness.codes}
    for tracking_code, timeline in records.timelines(witness.codes).items():
        if changes := status_changes(timeline):
            due[prefixes[tracking_code[:5]], tracking_code] = changes
    due = Counter(
        {key: count * (witness.subscriptions if key[0] == witness.tenant.code else 1) for key, count in due.items()}
    )
    assert written == due, f"I4: not announced {due - written}, announced but not stored {written - due}"


def status_changes(timeline: Sequence[tuple[str, str]]) -> int:
    """How many of these (status, time), in the order they were recorded, changed the status; the first is ingest's.

    An event before the latest one is history, unless it ends the way.
    """
    current, latest, changes = GuideStatus(timeline[0][0]), "", 0
    for word, at in timeline[1:]:
        status = GuideStatus(word)
        is_history = at < latest and not (status.is_terminal and not current.is_terminal)
        if status is not current and not is_history:
            current, changes = status, changes + 1
        latest = max(latest, at)
    return changes


def each_is_attempted_once_and_arrives(witness: Witness) -> None:
    """I5: in version 1 no delivery id came twice; every row is final, or in version 2 waits for its next attempt; what
    is marked as delivered has arrived.

    That version 2 makes no two attempts at the same time is asked where endpoints are slow enough to see it (row 28).
    """
    service = witness.service
    received = [request.headers for request in service.receiver.received]
    came = Counter(headers["x-service-delivery-id"] for headers in received if "webhook-id" not in headers)
    twice = [key for key, count in came.items() if count > 1]
    assert not twice, f"I5: sent twice: {twice[:3]}"
    assert not unfinished(service), "I5: not final"
    for _code, _subject, state, key, url in service.records.deliveries(witness.codes):
        is_ours = url.startswith(service.receiver.url)
        assert key in came or not is_ours or state != "delivered", f"I5: delivered but never received: {key}"


def logs_tell_nobody(witness: Witness) -> None:
    """I6: no consignee, no document, no password, no secret."""
    environment = witness.service.server.environment
    secrets = [environment[name] for name in ("SECRET_KEY", "API_PASSWORD_PEPPER", "FIELD_ENCRYPTION_KEYS")]
    for who in (witness.tenant, witness.rival):
        secrets += [who.password, who.secret]
    written = witness.service.logs()
    for word in (*PERSONAL, *secrets):
        assert word not in written, f"I6: the log holds {word[:6]}..."


def liveness_is_prompt(service: Service) -> None:
    """I7: /health answers within a second; the median of five, because the machine may be busy."""
    seconds = []
    for _ in range(5):
        started = time.monotonic()
        answer = requests.get(f"{service.address}/health", timeout=10)
        seconds.append(time.monotonic() - started)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"}), "I7"
    assert statistics.median(seconds) < HEALTH_SECONDS, f"I7: /health took {seconds}"


def nothing_is_seen_by_the_other(witness: Witness) -> None:
    """I8: one company's data is indistinguishable from missing data for the other, to the byte."""
    api = witness.service.address + BASE

    def bare(path: str, headers: dict[str, str]) -> tuple[int, bytes]:
        answer = requests.get(api + path, headers=headers, timeout=30)
        return answer.status_code, answer.content

    for owner, other in ((witness.tenant, witness.rival), (witness.rival, witness.tenant)):
        nothing = {route: bare(f"/{route}/NOTHING", other.headers) for route in ("guides", "mawbs")}
        assert {status for status, _ in nothing.values()} == {404}, "I8"
        theirs = {said.mawb for said in witness.acknowledged if said.code == other.code}
        for said in islice((said for said in reversed(witness.acknowledged) if said.code == owner.code), _SAMPLE):
            paths = [f"/guides/{said.tracking_codes[0]}", f"/guides/{said.tracking_codes[-1].lower()}"]
            paths += [f"/mawbs/{said.manifest_id}", f"/guides/{said.manifest_id}", f"/mawbs/{said.tracking_codes[0]}"]
            if said.mawb not in theirs:
                paths += [f"/mawbs/{said.mawb}", f"/mawbs/{said.mawb.replace('-', '')}?company={owner.code}"]
            for path in paths:
                assert bare(path, other.headers) == nothing[path.split("/")[1]], f"I8: {path}"
        status, listed = bare("/mawbs", other.headers)
        assert status == 200, "I8"
        for said in witness.acknowledged:
            assert said.code == other.code or said.manifest_id.encode() not in listed, (
                "I8: a manifest in the other's list"
            )


def nothing_is_sent_to_the_other(witness: Witness) -> None:
    """I8: requests to a company's endpoint have its own secret and concern its own manifests."""
    service = witness.service
    manifests = service.records.manifests(witness.codes)
    for who in (witness.tenant, witness.rival):
        for request in service.receiver.received:
            if not request.path.endswith(f"/{who.code}"):
                continue
            assert request.headers["authorization"] == f"Bearer {who.secret}", f"I8: another's secret at {who.code}"
            subject = json.loads(request.body)["data"]["manifest_id"]
            assert manifests[subject]["code"] == who.code, f"I8: {subject} was sent to {who.code}"
