"""`check_totals`, `lift_retention`, `validate_manifest` and `void_manifest`: what they do and what they say."""

import json
from pathlib import Path

import openpyxl
import pytest

from shipments.models import Manifest
from tests.books import workbook_bytes
from tests.conftest import Caller
from tests.shipments.commands.running import codes, everything, refused, run
from tests.shipments.shipping import assert_sound, bring, shipped

pytestmark = pytest.mark.django_db


class TestCheckTotals:
    def test_names_what_differs_and_fixes_it_with_fix(self, manifest: Manifest) -> None:
        Manifest.objects.filter(pk=manifest.pk).update(guides_by_status={"delivered": 3}, total_pieces=7)
        said, end = refused("check_totals")
        assert f"ACME 045-12345675 {manifest.pk} total_pieces: stored 7, counted 3" in said
        assert end == "2 totals differ; --fix makes them correct."
        assert "2 totals were corrected." in run("check_totals", "--fix")
        assert_sound(manifest)
        assert run("check_totals") == "All totals agree.\n"

    def test_counts_one_as_one(self, manifest: Manifest) -> None:
        Manifest.objects.filter(pk=manifest.pk).update(total_pieces=7)
        assert refused("check_totals")[1] == "1 total differs; --fix makes it correct."
        assert "1 total was corrected." in run("check_totals", "--fix")


class TestLiftRetention:
    def test_lets_one_guide_go_on(self, acme: Caller) -> None:
        guide, held = shipped(acme.company, 2, country="PE", retention_reason="FOB").guides.order_by("id")
        said = run("lift_retention", guide.tracking_code.lower(), "--reason", "Duties paid")
        assert said == f"{guide.tracking_code} is no longer under retention.\n"
        guide.refresh_from_db()
        held.refresh_from_db()
        assert (guide.retention_required, held.retention_required) == (False, True)
        assert (guide.retention_lifted_by, guide.retention_lifted_reason) == ("manage.py lift_retention", "Duties paid")

    def test_says_why_it_cannot(self, manifest: Manifest) -> None:
        code = codes(manifest)[0]
        assert refused("lift_retention", code, "--reason", "R")[1] == f"{code}: The guide is not under retention."
        assert "No guide has the tracking code" in refused("lift_retention", "NOSUCHCODE", "--reason", "R")[1]
        assert "reason: Say why." in refused("lift_retention", code, "--reason", " ")[1]


class TestValidateManifest:
    """It reads as the upload would, and stores nothing."""

    def test_says_what_was_read_and_annotates(self, acme: Caller, tmp_path: Path) -> None:
        sent, annotated = tmp_path / "sent.xlsx", tmp_path / "annotated.xlsx"
        sent.write_bytes(workbook_bytes())
        said = json.loads(run("validate_manifest", "acme", str(sent), "--annotated", str(annotated)))
        assert (said["refusal"], said["country"], said["mawb"]) == (None, "CL", "045-12345675")
        assert openpyxl.load_workbook(annotated).sheetnames[0] == "Problems"
        assert not Manifest.objects.filter(company=acme.company).exists()

    def test_says_why_it_would_be_refused_and_which_file_cannot_be_read(self, acme: Caller, tmp_path: Path) -> None:
        sent = tmp_path / "sent.xlsx"
        sent.write_bytes(b"no workbook")
        said = json.loads(run("validate_manifest", acme.company.client_code, str(sent)))
        assert said["refusal"]["message"]
        assert "mawb" not in said
        _said, end = refused("validate_manifest", "ACME", str(tmp_path / "nowhere.xlsx"))
        assert end.startswith("The file cannot be read")
        assert "NOBODY" in refused("validate_manifest", "NOBODY", str(sent))[1]


class TestVoidManifest:
    ARGUMENTS = ("void_manifest", "--company", "ACME", "--mawb", "045-12345675", "--reason", "Sent twice")

    def test_voids_it_and_says_so(self, acme: Caller, manifest: Manifest) -> None:
        assert run(*self.ARGUMENTS) == (
            "3 guides: 3 advanced.\nThe manifest 045-12345675 is void; its MAWB can be sent again.\n"
        )
        manifest.refresh_from_db()
        assert (manifest.voided_by, manifest.void_reason) == ("manage.py void_manifest", "Sent twice")
        assert "ACME has no manifest" in refused(*self.ARGUMENTS)[1]
        shipped(acme.company, mawb="045-12345675")

    def test_in_a_dry_run_writes_nothing_and_refuses_one_that_is_under_way(self, manifest: Manifest) -> None:
        before = everything()
        said = run(*self.ARGUMENTS, "--dry-run")
        assert said.count("registered -> cancelled advanced") == 3
        assert "is void" not in said
        assert everything() == before
        bring(manifest.guides.get(hawb="H003"), "in_transit")
        assert "have already moved" in refused(*self.ARGUMENTS, "--dry-run")[1]
