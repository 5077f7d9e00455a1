"""The 41 faults by number, with their known weak spots."""

from dataclasses import dataclass

SQLITE, POSTGRESQL = "sqlite", "postgresql"
BACKENDS = (SQLITE, POSTGRESQL)


@dataclass(frozen=True, slots=True)
class Fault:
    """One row of the matrix.

    weak_spot: what the service cannot prevent in this fault; the row passes if it gets no worse than that.
    """

    title: str
    weak_spot: str = ""


FAULTS = {
    1: Fault("a web worker killed (SIGKILL) before the commit of an upload"),
    2: Fault("a web worker killed after the commit, before the answer"),
    3: Fault("a web worker killed with seven other uploads in flight"),
    4: Fault("the process that reads a workbook killed"),
    5: Fault("a worker killed at the N-th fdatasync of its database"),
    6: Fault("the dispatcher killed after the claim, after the POST, before the record"),
    7: Fault("SIGTERM during a slow request"),
    8: Fault("three reloads (SIGHUP), and workers that end after some requests, under load"),
    9: Fault("PostgreSQL restarted at once (immediate) under load"),
    10: Fault("PostgreSQL restarted while the service is idle"),
    11: Fault("PostgreSQL stopped for a while"),
    12: Fault(
        "PostgreSQL frozen (SIGSTOP)",
        weak_spot="a request on an open connection waits as long as it is frozen; none of our timeouts ends a query",
    ),
    13: Fault("the network between service and PostgreSQL cut without a word"),
    14: Fault("COMMIT sent, its acknowledgement lost"),
    15: Fault("bulk moves in opposite orders, and a deadlock"),
    16: Fault("a lock held longer than lock_timeout, a statement longer than statement_timeout"),
    17: Fault("twelve identical uploads at once, again and again"),
    18: Fault("one guide moved to two statuses at once"),
    19: Fault("the disk of the database full"),
    20: Fault("the disk of the files, or of the temporary files, full"),
    21: Fault("EIO when a file or the database is flushed"),
    22: Fault("an upload cut off in the manifest, in the invoice, in the last boundary"),
    23: Fault("a chunked body"),
    24: Fault("bodies at their limits, a byte above, and far above"),
    25: Fault("sixty slow clients, through nginx"),
    26: Fault("hostile workbooks, and mutants of a good one"),
    27: Fault("bad JSON, bad multipart, bad Authorization"),
    28: Fault("webhook endpoints that misbehave"),
    29: Fault("webhook URLs that lead to private addresses, rebinding included"),
    30: Fault("a dead webhook endpoint beside a good one, a thousand events"),
    31: Fault("the clock set back and forth"),
    32: Fault("the log cannot be written; a callback after the commit raises"),
    33: Fault("every identifier of one company asked for by another"),
    34: Fault("migrations applied under the code of an earlier version, and a next one under today's"),
    35: Fault(
        "restored from a backup that was taken under load",
        weak_spot="deliveries pending at the time of the backup are sent again by the restored service",
    ),
    36: Fault(
        "the primary of PostgreSQL killed under load, its synchronous standby promoted",
        weak_spot="while the standby is away, the primary acknowledges no commit, and uploads wait for it",
    ),
    37: Fault("PgBouncer in transaction mode, restarted under load"),
    38: Fault("one of two web machines and one of two dispatchers killed under load"),
    39: Fault("a bucket that is slow, fails half of the time, and comes back"),
    40: Fault("hostile workbooks to be validated, and annotated"),
    41: Fault("sixteen validations at once beside uploads"),
}
