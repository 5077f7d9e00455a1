"""How much is measured: in full by hand, or in the short form of a few minutes. All processes of a run agree by an
environment variable, BENCH_SHORT."""

import os
from dataclasses import dataclass

VARIABLE = "BENCH_SHORT"


@dataclass(frozen=True)
class Scale:
    """Sizes and rounds of a run; every size is in rows, guides, events or seconds, as its name says."""

    upload_rows: tuple[int, ...]
    upload_times: int
    usual_times: int
    wrong_rows: int
    format_uploads: int
    format_rounds: int
    annotated_rows: tuple[int, ...]
    wrk_seconds: int
    wrk_rounds: int
    poll_rounds: int
    guides_of_mawb: tuple[int, ...]
    list_times: int
    total_guides: tuple[int, ...]
    guide_times: int
    small_manifests: int
    moving_seconds: int
    admin_manifests: int
    admin_rounds: int
    deliveries: int
    peer_deliveries: int
    hanging: int
    healthy_events: int
    latency_events: int
    logged_deliveries: int
    patience_seconds: int
    in_flight: tuple[int, ...]


FULL = Scale(
    upload_rows=(100, 300, 1_000, 5_000, 10_000, 25_000, 50_000),
    upload_times=3,
    usual_times=2,
    wrong_rows=50_000,
    format_uploads=12,
    format_rounds=5,
    annotated_rows=(5_000, 50_000),
    wrk_seconds=3,
    wrk_rounds=7,
    poll_rounds=50,
    guides_of_mawb=(10, 50, 250, 1_000, 5_000),
    list_times=100,
    total_guides=(10_000, 100_000, 1_000_000, 3_000_000),
    guide_times=400,
    small_manifests=1_000,
    moving_seconds=10,
    admin_manifests=2_000,
    admin_rounds=9,
    deliveries=20_000,
    peer_deliveries=2_000,
    hanging=400,
    healthy_events=400,
    latency_events=40,
    logged_deliveries=500_000,
    patience_seconds=20,
    in_flight=(10, 30, 100, 300, 1_000),
)
SHORT = Scale(
    upload_rows=(100, 1_000, 5_000, 10_000),
    upload_times=1,
    usual_times=1,
    wrong_rows=5_000,
    format_uploads=4,
    format_rounds=1,
    annotated_rows=(5_000,),
    wrk_seconds=1,
    wrk_rounds=3,
    poll_rounds=10,
    guides_of_mawb=(50, 250, 5_000),
    list_times=10,
    total_guides=(10_000, 100_000),
    guide_times=100,
    small_manifests=400,
    moving_seconds=3,
    admin_manifests=200,
    admin_rounds=3,
    deliveries=2_000,
    peer_deliveries=300,
    hanging=50,
    healthy_events=60,
    latency_events=12,
    logged_deliveries=20_000,
    patience_seconds=5,
    in_flight=(100, 1_000),
)

SCALE = SHORT if os.environ.get(VARIABLE) else FULL
