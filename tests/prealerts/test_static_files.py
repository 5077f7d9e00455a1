"""What a browser loads: hashed files, fonts with what the pages use, and unfold's frame of a page."""

import re
from pathlib import Path

import unfold
from django.core.files.base import ContentFile

from prealerts.serving.static_files import HashedFiles
from tools.fonts import ICONS, OURS, icons_in_use

SKELETON = Path("templates/unfold/layouts/skeleton.html")


def test_a_file_has_its_hash_in_its_name_and_one_that_was_not_collected_has_its_own(tmp_path: Path) -> None:
    files = HashedFiles(location=tmp_path, base_url="/static/")
    files.save("page.css", ContentFile(b"body { color: red }"))
    assert files.url("page.css") == "/static/page.css"
    list(files.post_process({"page.css": (files, "page.css")}))
    assert re.fullmatch(r"/static/page\.[0-9a-f]{12}\.css", files.url("page.css"))
    assert files.url("later.css") == "/static/later.css"


def test_the_font_of_icons_has_each_icon_that_a_page_names() -> None:
    known = set(ICONS.read_text(encoding="utf-8").split())
    assert icons_in_use() - known <= {"events", "trackers"}, "run tools.fonts"  # two are no icons


def test_the_frame_of_a_page_is_unfolds_but_for_four_lines() -> None:
    theirs = (Path(unfold.__file__).parent / SKELETON).read_text(encoding="utf-8").splitlines()
    ours = (OURS.parents[2] / SKELETON).read_text(encoding="utf-8").splitlines()
    added, missing = (
        [line.strip() for line in ours if line not in theirs],
        [each for each in theirs if each not in ours],
    )
    assert [line for line in added if "charts" not in line and "fonts" not in line] == []
    assert [line.partition("js/")[2].partition("'")[0] for line in missing] == [
        "alpine/alpine.sort.js",
        "chart/chart.js",
    ]
