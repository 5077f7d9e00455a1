"""What is said of rows, of the workbook and its flight, and of guides by their country's rules."""

from django.utils.translation import gettext_noop

from shipments.wording.sentence import Sentence, Sentences

ROWS: Sentences = {
    "hawb_missing": Sentence(gettext_noop("The row has no HAWB, so no guide was created for it.")),
    "example_row_ignored": Sentence(gettext_noop("The row is marked as an example and was not read.")),
    "duplicate_hawb": (
        Sentence(
            gettext_noop(
                "Row %(row)s has the same HAWB for another consignee; that guide stays and this row was left out."
            ),
            gettext_noop(
                "An earlier row has the same HAWB for another consignee; that guide stays and this row was left out."
            ),
        ),
        Sentence(gettext_noop("Give each consignee a HAWB of their own.")),
    ),
    "hawb_rows_merged": Sentence(
        gettext_noop("Rows %(rows)s have the same HAWB and consignee; they became one guide with %(count)s products."),
        gettext_noop("Several rows have the same HAWB and consignee; they became one guide with several products."),
    ),
    "hawb_digits_rounded": (
        Sentence(
            gettext_noop("%(count)s HAWBs are numbers of more than %(digits)s digits; spreadsheets round those."),
            gettext_noop("Some HAWBs are numbers with so many digits that spreadsheets round them."),
        ),
        Sentence(gettext_noop("Check them, and format the column as text before typing them.")),
    ),
    "warnings_omitted": Sentence(
        gettext_noop("There are %(count)s more warnings; the first %(reported_count)s by row are reported."),
        gettext_noop("There are more warnings; the first by row are reported."),
    ),
    "notices_omitted": Sentence(
        gettext_noop("There are %(count)s more notices; the first %(reported_count)s by row are reported."),
        gettext_noop("There are more notices; the first by row are reported."),
    ),
}

WORKBOOK: Sentences = {
    "mawb_check_digit_mismatch": Sentence(
        gettext_noop(
            "The last digit of %(mawb)s is not the check digit of its serial number; if it was typed wrong, the flight "
            "will not be found under it."
        ),
        gettext_noop(
            "The last digit of the MAWB is not the check digit of its serial number; if it was typed wrong, the flight "
            "will not be found under it."
        ),
    ),
    "sheet_ignored": (
        Sentence(
            gettext_noop("The sheet “%(sheet)s” has guides too; they were not read."),
            gettext_noop("Another visible sheet has guides too; they were not read."),
        ),
        Sentence(
            gettext_noop(
                "Guides come from the first visible sheet that has any, “%(taken)s”: send the others as a manifest of "
                "their own."
            ),
            gettext_noop(
                "Guides come from the first visible sheet that has any: send the others as a manifest of their own."
            ),
        ),
    ),
    "flight_number_ignored": Sentence(
        gettext_noop("The workbook's flight number is not a carrier's, such as LA2369; it was left out.")
    ),
    "origin_airport_ignored": Sentence(
        gettext_noop("The workbook's origin is not an airport's IATA code, such as MIA, or a country; it was left out.")
    ),
    "destination_airport_ignored": Sentence(
        gettext_noop(
            "The workbook's destination is not an airport's IATA code, such as SCL, or a country; it was left out."
        )
    ),
    "scheduled_departure_ignored": Sentence(
        gettext_noop("The workbook's departure is not a date with its time, such as 25/11/2026 14:30; it was left out.")
    ),
    "scheduled_arrival_ignored": Sentence(
        gettext_noop("The workbook's arrival is not a date with its time, such as 25/11/2026 14:30; it was left out.")
    ),
    "arrival_before_departure": Sentence(
        gettext_noop("The workbook's arrival is before the departure; it was left out.")
    ),
    "departure_after_arrival": Sentence(
        gettext_noop("The workbook's departure is after the arrival; it was left out.")
    ),
    "flight_number_ambiguous": Sentence(
        gettext_noop("The workbook names more than one flight number; %(taken)s was taken."),
        gettext_noop("The workbook names more than one flight number; the first was taken."),
    ),
}

COUNTRIES: Sentences = {
    "retention_required": Sentence(
        gettext_noop("FOB above US$ 2,000: customs retains the shipment until its import declaration is cleared.")
    ),
    "courier_value_exceeded": Sentence(
        gettext_noop("FOB above US$ 3,000: the shipment is outside the simplified courier regime.")
    ),
    "courier_weight_exceeded": Sentence(
        gettext_noop("More than 50 kg per package: the shipment is outside the simplified courier regime.")
    ),
}

GUIDE_REASONS: Sentences = {
    "retention_required": COUNTRIES["retention_required"],
    "released_by_customs": Sentence(gettext_noop("Released by customs.")),
    "rut_invalid_format": Sentence(gettext_noop("The consignee's RUT is missing or invalid.")),
    "rut_placeholder": Sentence(gettext_noop("The consignee's RUT is a well-known placeholder.")),
}
"""What is kept with a guide as a key: why it was retained and released, and why it is up for review."""
