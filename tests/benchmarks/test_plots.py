"""The plots: axes with round numbers, every point in its place, readable by light and by dark."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from benchmarks.figures import Curve, Series
from benchmarks.plots import HEIGHT, WIDTH, linear_axis, log_axis, number, sizes_axis, svg

ROWS = (100, 1_000, 5_000, 50_000)


def curve(*series: Series, has_log_y: bool = True) -> Curve:
    return Curve("uploads", "An upload", "rows", "seconds", series, has_log_y=has_log_y)


def dots(drawn: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)]


class TestAxes:
    @pytest.mark.parametrize(
        ("values", "ticks"),
        [
            ([34.1, 35.2], (0, 10, 20, 30, 40)),
            ([0.31], (0, 0.1, 0.2, 0.3, 0.4)),
            ([1500.0, 20.0], (0, 500, 1000, 1500)),
            ([0.0], (0, 0.2, 0.4, 0.6, 0.8, 1)),
        ],
    )
    def test_a_linear_axis_begins_at_nought_and_ends_at_a_round_number_beyond(
        self, values: list[float], ticks: tuple[float, ...]
    ) -> None:
        axis = linear_axis(values)
        assert axis.ticks == pytest.approx(ticks)
        assert (axis.low, axis.high) == pytest.approx((0, ticks[-1]))

    @pytest.mark.parametrize(
        ("values", "ticks"),
        [
            ([0.06, 0.9], (0.05, 0.1, 0.2, 0.5, 1)),
            ([80.0, 10_000.0], (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)),
            ([1.0, 1_000_000.0], (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)),
            ([7.0], (5, 10)),
            ([10.0], (10, 20)),
        ],
    )
    def test_a_logarithmic_axis_has_few_ticks_at_round_numbers_around_the_values(
        self, values: list[float], ticks: tuple[float, ...]
    ) -> None:
        assert log_axis(values).ticks == pytest.approx(ticks)

    def test_equal_factors_are_equally_far_apart_on_a_logarithmic_axis(self) -> None:
        axis = sizes_axis([100, 10_000])
        assert [axis.share(value) for value in (100, 1_000, 10_000)] == pytest.approx([0, 0.5, 1])

    def test_sizes_that_would_write_over_each_other_have_one_tick(self) -> None:
        assert sizes_axis([100, 101, 1_000, 50_000]).ticks == (100, 1_000, 50_000)

    def test_one_size_alone_has_a_place(self) -> None:
        axis = sizes_axis([5_000])
        assert axis.share(5_000) == pytest.approx(0.5)

    @pytest.mark.parametrize(
        ("value", "text"),
        [(0, "0"), (0.05, "0.05"), (2, "2"), (50_000, "50,000"), (1e6, "1 million"), (3e6, "3 million")],
    )
    def test_numbers_are_written_as_people_read_them(self, value: float, text: str) -> None:
        assert number(value) == text


class TestThePicture:
    def test_is_sound_xml_with_title_axes_and_legend_and_escapes_what_it_is_reported(self) -> None:
        line = Series("a < b & c", tuple((rows, rows / 1_000) for rows in ROWS))
        texts = [node.text for node in ET.fromstring(svg(curve(line))).iter() if node.tag.endswith("}text")]  # noqa: S314  # our own
        assert {"An upload", "rows", "seconds", "a < b & c", "100", "1,000", "5,000", "50,000"} <= set(texts)

    @pytest.mark.parametrize("has_log_y", [True, False])
    def test_every_point_is_drawn_inside_and_more_is_higher(self, *, has_log_y: bool) -> None:
        line = Series("ours", tuple((rows, rows / 1_000) for rows in ROWS))
        places = dots(svg(curve(line, has_log_y=has_log_y)))
        assert len(places) == len(ROWS)
        assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places)
        assert all(after[0] > before[0] and after[1] < before[1] for before, after in pairwise(places))

    def test_lines_share_their_axes(self) -> None:
        ours, floor = Series("ours", ((100, 2.0), (1_000, 4.0))), Series("floor", ((100, 1.0), (1_000, 4.0)))
        places = dots(svg(curve(ours, floor)))
        assert places[1] == places[3]
        assert places[0][0] == places[2][0]
        assert places[0][1] < places[2][1]

    def test_a_line_without_points_is_left_out(self) -> None:
        drawn = svg(curve(Series("ours", ((100, 2.0),)), Series("the usual way", ())))
        assert "the usual way" not in drawn

    def test_reports_lines_apart_by_more_than_colour_and_follows_a_dark_page(self) -> None:
        drawn = svg(curve(*(Series(name, ((100, 2.0), (1_000, 3.0))) for name in ("ours", "floor", "usual"))))
        assert len(set(re.findall(r'stroke-dasharray="([^"]+)"', drawn))) == 3
        assert "prefers-color-scheme: dark" in drawn

    def test_says_its_points_to_those_who_do_not_see_it(self) -> None:
        title = re.search("<title>(.*)</title>", svg(curve(Series("ours", ((100, 0.25), (50_000, 3.5))))))
        assert title
        assert "ours: 0.25 at 100, 3.5 at 50,000" in title[1]


class TestWhatCannotBeDrawn:
    @pytest.mark.parametrize(
        "points", [(), ((0, 1.0),), ((100, -1.0),), ((100, 0.0),)], ids=["no points", "no size", "negative", "log of 0"]
    )
    def test_is_refused_where_it_arises(self, points: tuple[tuple[float, float], ...]) -> None:
        with pytest.raises(ValueError, match="The plot uploads has no p"):
            curve(Series("ours", points))

    def test_nought_has_its_place_on_a_linear_axis(self) -> None:
        assert dots(svg(curve(Series("ours", ((100, 0.0), (1_000, 1.0))), has_log_y=False)))
