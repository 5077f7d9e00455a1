"""What is noticed is counted in full, and reported as far as an answer goes."""

from shipments.manifests.findings import MAX_QUOTED, MAX_REPORTED, Findings
from tests.shipments.manifests.made_sheets import manifest, row, said


def warn(findings: Findings, row_index: int, code: str = "weight_kg_invalid") -> None:
    findings.warn(row_index, f"H{row_index}", "weight_kg", code)


def test_warnings_come_by_row_and_within_a_row_as_they_were_found() -> None:
    findings = Findings()
    for row_index, code in ((7, "a"), (3, "b"), (7, "c"), (3, "d"), (1, "e")):
        warn(findings, row_index, code)
    assert [warning.code for warning in findings.warnings] == ["e", "b", "d", "a", "c"]
    assert findings.notices == ()


def test_exactly_as_many_as_are_reported_leave_nothing_out() -> None:
    findings = Findings()
    for row_index in range(MAX_REPORTED):
        warn(findings, row_index)
    assert (len(findings.warnings), findings.notices) == (MAX_REPORTED, ())


def test_the_first_thousand_by_row_are_reported_in_whatever_order_they_come() -> None:
    findings = Findings()
    for start in range(7):  # row 6 of each seven first, row 0 last
        for row_index in range(6 - start, 7_000, 7):
            warn(findings, row_index, "rut_invalid_format")
    assert [warning.row_index for warning in findings.warnings] == list(range(MAX_REPORTED))
    assert findings.rut_invalid_count == 7_000
    assert len(findings._warnings._kept) <= 2 * MAX_REPORTED  # all that is held in memory
    (notice,) = findings.notices
    assert (notice.code, notice.row_index) == ("warnings_omitted", None)
    assert "6,000 more" in said(notice)


def test_notices_about_the_whole_manifest_come_first_and_the_rest_is_counted() -> None:
    findings = Findings()
    for row_index in range(2_000, 0, -1):
        findings.notice("hawb_rows_merged", row_index=row_index, hawb="H")
    findings.notice("mawb_check_digit_mismatch", mawb="045-12345676")
    for row_index in range(1_005):
        warn(findings, row_index)
    notices = findings.notices
    assert len(notices) == MAX_REPORTED
    assert [notice.code for notice in notices[:4]] == [
        "warnings_omitted", "notices_omitted", "mawb_check_digit_mismatch", "hawb_rows_merged",
    ]  # fmt: skip
    assert "5 more" in said(notices[0])
    assert "1,003 more" in said(notices[1])
    assert [notice.row_index for notice in notices[3:]] == list(range(1, MAX_REPORTED - 2))


def test_a_workbook_with_a_problem_in_every_cell_reports_its_first_rows() -> None:
    bad = [row(f"H{number}", rut="1-9", weight="?", fob="?", packages="?", hs="?") for number in range(600)]
    read = manifest(*bad)
    assert len(read.warnings) == MAX_REPORTED
    assert [warning.row_index for warning in read.warnings] == sorted(warning.row_index for warning in read.warnings)
    first_row = [warning.code for warning in read.warnings if warning.row_index == read.warnings[0].row_index]
    assert len(first_row) == 5  # found in several passes over the rows, the RUT last of all
    assert "rut_invalid_format" in first_row
    assert read.rut_invalid_count == 600
    assert [notice.code for notice in read.notices] == ["warnings_omitted"]
    assert f"{600 * 5 - MAX_REPORTED:,}" in said(read.notices[0])


def test_quoted_text_is_cut() -> None:
    findings = Findings()
    findings.notice("flight_number_ambiguous", taken="x" * 5_000)
    assert findings.notices[0].reason.params == {"taken": "x" * (MAX_QUOTED - 1) + "…"}
