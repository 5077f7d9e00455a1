"""How much is measured: in full by hand, or in the short form, whose only question is whether each part still runs.

All processes of a run agree by an environment variable, BENCH_SHORT.
"""

import os
from dataclasses import dataclass

VARIABLE = "BENCH_SHORT"


@dataclass(frozen=True)
class Scale:
    """Sizes and rounds of a run; every size is in rows, guides, events or seconds, as its name says.

    compared_rows, compared_guides: those of `upload_rows` and `guides_of_mawb` that figures are made of.
    """

    upload_rows: tuple[int, ...]
    compared_rows: tuple[int, int]
    upload_times: int
    usual_times: int
    wrong_rows: int
    format_rows: int
    format_uploads: int
    format_rounds: int
    annotated_rows: tuple[int, ...]
    checked_times: int
    wrk_seconds: int
    wrk_rounds: int
    poll_rounds: int
    lasting_requests: int
    guides_of_mawb: tuple[int, ...]
    compared_guides: tuple[int, int, int]
    list_times: int
    total_guides: tuple[int, ...]
    guide_times: int
    small_manifests: int
    moves_of_mawb: int
    moving_processes: int
    moving_seconds: int
    admin_manifests: int
    admin_rounds: int
    deliveries: int
    peer_deliveries: int
    by_hand_rounds: int
    hanging: int
    healthy_events: int
    latency_events: int
    published: int
    logged_deliveries: int
    patience_seconds: int
    in_flight: tuple[int, ...]


FULL = Scale(
    upload_rows=(100, 300, 1_000, 5_000, 10_000, 25_000, 50_000),
    compared_rows=(1_000, 5_000),
    upload_times=3,
    usual_times=2,
    wrong_rows=50_000,
    format_rows=5_000,
    format_uploads=12,
    format_rounds=5,
    annotated_rows=(5_000, 50_000),
    checked_times=15,
    wrk_seconds=3,
    wrk_rounds=7,
    poll_rounds=50,
    lasting_requests=100_000,
    guides_of_mawb=(10, 50, 250, 1_000, 5_000),
    compared_guides=(50, 250, 5_000),
    list_times=100,
    total_guides=(10_000, 100_000, 1_000_000, 3_000_000),
    guide_times=400,
    small_manifests=1_000,
    moves_of_mawb=3,
    moving_processes=8,
    moving_seconds=10,
    admin_manifests=2_000,
    admin_rounds=9,
    deliveries=20_000,
    peer_deliveries=2_000,
    by_hand_rounds=3,
    hanging=400,
    healthy_events=400,
    latency_events=40,
    published=5_000,
    logged_deliveries=500_000,
    patience_seconds=20,
    in_flight=(10, 30, 100, 300, 1_000),
)
SHORT = Scale(
    upload_rows=(100, 200, 300),
    compared_rows=(100, 200),
    upload_times=1,
    usual_times=1,
    wrong_rows=1_100,
    format_rows=200,
    format_uploads=2,
    format_rounds=1,
    annotated_rows=(200,),
    checked_times=1,
    wrk_seconds=1,
    wrk_rounds=1,
    poll_rounds=1,
    lasting_requests=500,
    guides_of_mawb=(10, 20, 100),
    compared_guides=(10, 20, 100),
    list_times=1,
    total_guides=(1_000, 2_000),
    guide_times=2,
    small_manifests=150,
    moves_of_mawb=1,
    moving_processes=2,
    moving_seconds=1,
    admin_manifests=20,
    admin_rounds=1,
    deliveries=200,
    peer_deliveries=50,
    by_hand_rounds=1,
    hanging=5,
    healthy_events=10,
    latency_events=2,
    published=100,
    logged_deliveries=2_000,
    patience_seconds=2,
    in_flight=(50, 100),
)

SCALE = SHORT if os.environ.get(VARIABLE) else FULL
