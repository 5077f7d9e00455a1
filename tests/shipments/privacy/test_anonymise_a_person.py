"""manage.py anonymise --document: a person's guides with every company, however the document is typed."""

import pytest
from django.core.management import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from shipments.models import Guide, Manifest
from shipments.privacy.anonymise import BLANK
from shipments.privacy.person import Documents
from tests.conftest import Caller
from tests.shipments.privacy.conftest import PERSON, Run, guide
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db


class TestByDocument:
    def test_blanks_the_persons_guides_with_every_company_and_nobody_elses(
        self, uploaded: dict[str, Manifest], run: Run
    ) -> None:
        before = {each.pk: each for each in Guide.objects.filter(hawb="P1")}
        said = run("anonymise", "--document", "-", stdin=f"{PERSON}\n")
        assert "Anonymised 2 guides of 2 manifests" in said
        for manifest in uploaded.values():
            gone, other = guide(manifest, "M1"), guide(manifest, "P1")
            assert {name: getattr(gone, name) for name in BLANK} == dict(BLANK)
            assert gone.anonymised_at is not None
            assert {name: getattr(other, name) for name in BLANK} == {
                name: getattr(before[other.pk], name) for name in BLANK
            }
            assert other.anonymised_at is None

    @pytest.mark.parametrize(
        ("kept", "typed"),
        [
            *((PERSON, typed) for typed in ("12.345.678-5", "123456785", " 12 345 678 - 5 ", "012345678-5")),
            (PERSON, "12.345.678\u20115"),
            ("12.345.678-9", "123456789"),  # an invalid RUT stays as it came
            ("1.234.567 8-9", "12345678-9"),
            ("ab-123.456", "AB123456"),  # a passport in the column of RUTs
            (".12345678-9", "12.345.678-9"),
            ("1\u20132345678 9", "123456789"),
        ],
    )
    def test_finds_a_document_however_it_is_typed_or_was_kept_and_none_that_only_begins_alike(
        self, acme: Caller, kept: str, typed: str
    ) -> None:
        guide = shipped(acme.company, 1, consignee_document=kept).guides.get()
        for other in (f"{kept}1", kept[:-1]):
            shipped(acme.company, 1, consignee_document=other)
        assert Documents([typed]).guides() == [(guide.manifest_id, guide.pk)]

    def test_several_documents_of_a_person_come_one_a_line(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document="20267565393", country="AR")
        shipped(acme.company, 1, consignee_document="26756539", country="AR")
        assert "Anonymised 2 guides of 2" in run("anonymise", "--document", "-", stdin="20-26756539-3\n\n26.756.539\n")

    def test_a_country_keeps_apart_whom_a_number_means_there(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document="26756539", country="AR", consignee_name="Marta")
        shipped(acme.company, 1, consignee_document="26756539", country="PE", consignee_name="Rosa")
        run("anonymise", "--document", "-", "--country", "AR", stdin="26756539")
        assert set(Guide.objects.values_list("manifest__country", "consignee_name")) == {("AR", ""), ("PE", "Rosa")}

    def test_refuses_what_is_not_a_persons_document_without_repeating_it(self, run: Run) -> None:
        for typed in ("", "\n \n", "123", "1" * 33, "Marta Quispe", "11.111.111-1", "1234*678"):
            with pytest.raises(CommandError) as refused:
                run("anonymise", "--document", "-", stdin=typed)
            assert not typed.strip() or typed not in str(refused.value)

    def test_takes_no_document_as_an_argument(self, run: Run) -> None:
        with pytest.raises(CommandError) as refused:
            run("anonymise", "--document", PERSON)
        assert PERSON not in str(refused.value)

    def test_asks_the_index_not_the_table(self, acme: Caller) -> None:
        shipped(acme.company, 1)
        if connection.vendor != "postgresql":
            pytest.skip("SQLite compares beginnings without an index")
        with connection.cursor() as cursor, CaptureQueriesContext(connection) as asked:
            cursor.execute("SET LOCAL enable_seqscan = off")
            Documents([PERSON]).guides()
            cursor.execute(f"EXPLAIN {asked[-1]['sql']}")
            plan = "\n".join(row[0] for row in cursor.fetchall())
        assert "guide_by_document" in plan
        assert "Seq Scan" not in plan
