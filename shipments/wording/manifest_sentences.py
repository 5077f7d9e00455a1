"""Sentences on rows, on the workbook and its flight, and on guides under their country's rules."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

from shipments.wording import Sentence, Sentences

_IGNORED = _("A field that we do not know was ignored.")
_NEAREST = Sentence(_("Did you mean “%(nearest)s”?"), _("Check how it is spelled."))
_UNKNOWN: Mapping[str, Sentence] = {
    "manifest": Sentence(_("“%(name)s” is not a field of the manifest and was ignored."), _IGNORED),
    "guide": Sentence(
        _("“%(name)s” is not a field of a guide and was ignored; guides that have it: %(count)s."), _IGNORED
    ),
    "product": Sentence(
        _("“%(name)s” is not a field of a product and was ignored; guides that have it: %(count)s."), _IGNORED
    ),
    "form": Sentence(_("“%(name)s” is not a field of the upload's form and was ignored."), _IGNORED),
}

_STATUS_TIME = _("Check the times, or write them with their offset from UTC.")

MANIFESTS: Sentences = {
    "hawb_missing": _("The row has no HAWB, so no guide was created for it."),
    "example_row_ignored": _("The row is marked as an example and was not read."),
    "duplicate_hawb": Sentence(
        _("Row %(row)s has the same HAWB for another consignee; that guide was kept and this row was left out."),
        _("An earlier row has the same HAWB for another consignee; that guide was kept and this row was left out."),
        _("Give each consignee a different HAWB."),
    ),
    "carrier_number_repeated": Sentence(
        _(
            "The guide %(first)s has the same carrier's number in %(key)s: events that name the number alone are "
            "applied to neither."
        ),
        _(
            "Another guide of the manifest has the same carrier's number: events that name the number alone are "
            "applied to neither."
        ),
    ),
    "hawb_rows_merged": Sentence(
        _("Rows %(rows)s have the same HAWB and consignee; they were merged into one guide with %(count)s products."),
        _("Several rows have the same HAWB and consignee; they were merged into one guide with several products."),
    ),
    "repeated_value_added": Sentence(
        _("Each of the %(count)s rows of this HAWB has the value %(value)s; they were added: %(added)s."),
        _("All rows of this HAWB have the same value; they were added."),
        _("If it is the value of the whole shipment, say so in the heading, such as Total FOB."),
    ),
    "packages_differ": Sentence(
        _("The rows of this HAWB have different numbers of packages (%(counts)s); the guide has %(taken)s."),
        _("The rows of this HAWB have different numbers of packages."),
    ),
    "packages_differ_weight_once": (
        Sentence(
            _("The rows of this HAWB have different numbers of packages (%(counts)s); the guide has %(taken)s."),
            _("The rows of this HAWB have different numbers of packages."),
        ),
        Sentence(
            _("Each row weighs %(weight)s kg, which counts once."), _("The weight, the same on each row, counts once.")
        ),
    ),
    "time_not_placed": Sentence(
        _("The time %(clock)s has no date of departure or arrival next to it; it was not used."),
        _("A time of day has no date next to it; it was not used."),
    ),
    "may_not_travel": Sentence(
        _("The title “%(title)s” may mean that the guides below it do not travel; they were created anyway."),
        _("A title may mean that the guides below it do not travel; they were created anyway."),
        _("If so, have them cancelled, and leave them out next time."),
    ),
    "may_not_travel_by_column": Sentence(
        _("Column %(column)s, “%(heading)s”, marks some guides as cancelled or left behind; they were created anyway."),
        _("A column marks some guides as cancelled or left behind; they were created anyway."),
        _("If so, have them cancelled, and leave them out next time."),
    ),
    "may_not_travel_by_remark": Sentence(
        _("“%(title)s” may mean that some guides do not travel; they were created anyway. Colours are not read."),
        _("A remark may mean that some guides do not travel; they were created anyway. Colours are not read."),
        _("If so, have them cancelled, and leave them out next time."),
    ),
    "hidden_rows_read": Sentence(
        _("Rows %(rows)s of the sheet “%(sheet)s” are hidden; they were read like all the others."),
        _("Some rows are hidden; they were read like all the others."),
        _("If they do not belong to the manifest, delete them."),
    ),
    "workbook_repaired": Sentence(
        _("The workbook has errors that spreadsheet programs ignore, at %(places)s; it was read as they show it."),
        _("The workbook has errors that spreadsheet programs ignore; it was read as they show it."),
        _("Open it in Excel or LibreOffice and save it again."),
    ),
    "formats_not_seen": Sentence(
        _("Some number formats, hidden rows or formulas of the sheet “%(sheet)s” could not be read."),
        _("Some number formats, hidden rows or formulas of a sheet could not be read."),
        _("Check units, currencies and identifiers, and name the units in the headings."),
    ),
    "hawbs_shown_otherwise": Sentence(
        _(
            "The number format of column %(column)s, “%(heading)s”, adds “%(words)s” to the HAWBs; they were read "
            "without it."
        ),
        _("The number format of the HAWBs adds text to them; they were read without it."),
        _("If it is part of the HAWB, type it into the cells."),
    ),
    "formula_not_calculated": Sentence(
        _("Cell %(cell)s contains a formula whose result is not in the file; %(field)s was not read from it."),
        _("A cell next to a label contains a formula whose result is not in the file; it was not read."),
        _("Open the workbook in Excel or LibreOffice, and save it again."),
    ),
    "formulas_not_calculated": Sentence(
        _(
            "%(count)s cells of column %(column)s, “%(heading)s”, contain formulas whose results are not in the file;"
            " %(field)s was not read from them."
        ),
        _("Cells of a column contain formulas whose results are not in the file; they were not read."),
        _("Open the workbook in Excel or LibreOffice, and save it again."),
    ),
    "year_unlikely": Sentence(
        _("%(field)s is %(date)s, more than two years away; it was used as written."),
        _("A flight date is more than two years away; it was used as written."),
        _("Check the year."),
    ),
    "fob_zero": Sentence(
        _("The FOB value (fob_usd) is 0 in %(zero_count)s of %(count)s guides."),
        _("The FOB value (fob_usd) is 0 in some guides."),
    ),
    "totals_differ": _(
        "None of the totals in this row is the sum of the guides above it. Check that all guides are there."
    ),
    "hawb_dates": Sentence(
        _("%(count)s HAWBs are dates: a spreadsheet turns 3-11 into one."),
        _("Some HAWBs are dates: a spreadsheet turns 3-11 into one."),
        _("Format the column as text, and type them again."),
    ),
    "hawb_digits_rounded": Sentence(
        _("%(count)s HAWBs are numbers of more than %(digits)s digits or have an exponent; spreadsheets round those."),
        _("Some HAWBs are numbers with so many digits that spreadsheets round them."),
        _("Check them, and format the column as text before typing them."),
    ),
    "warnings_omitted": Sentence(
        _("There are %(count)s more warnings; the first %(reported_count)s by row are reported."),
        _("There are more warnings; the first by row are reported."),
    ),
    "notices_omitted": Sentence(
        _("There are %(count)s more notices; the first %(reported_count)s by row are reported."),
        _("There are more notices; the first by row are reported."),
    ),
    **{f"unknown_{place}_field": sentence for place, sentence in _UNKNOWN.items()},
    **{f"unknown_{place}_field_near": (sentence, _NEAREST) for place, sentence in _UNKNOWN.items()},
    "invoice_file_empty": _("The file sent as invoice_file is empty; no invoice was kept."),
    "unknown_fields_more": _("There are so many fields that we do not know that not all of them are reported."),
    "mawb_check_digit_mismatch": Sentence(
        _(
            "The last digit of %(mawb)s is not the check digit of its serial number; if it was typed wrong, the flight "
            "will not be found under it."
        ),
        _(
            "The last digit of the MAWB is not the check digit of its serial number; if it was typed wrong, the flight "
            "will not be found under it."
        ),
    ),
    "sheet_repeats": Sentence(
        _(
            "The sheet “%(sheet)s” repeats HAWBs of “%(taken)s”, which has more columns or comes first; it was not "
            "read."
        ),
        _("Another sheet repeats HAWBs of the one that was read; it was not read."),
    ),
    "sheet_without_consignees": Sentence(
        _("The sheet “%(sheet)s” names no consignees; it was not read."),
        _("Another sheet names no consignees; it was not read."),
    ),
    "destination_assumed": Sentence(
        _(
            "Neither the form nor the workbook names the destination; %(country)s was used because no other country "
            "is possible."
        ),
        _("Neither the form nor the workbook names the destination; the only possible country was used."),
    ),
    "text_encoding_repaired": Sentence(
        _(
            "%(count)s cells were read in the wrong encoding before the workbook was sent, such as a CSV in UTF-8 that "
            "was opened as Windows-1252. They were repaired: “%(misread)s” is “%(example)s”."
        ),
        _("Some cells were read in the wrong encoding before the workbook was sent. They were repaired."),
    ),
    "text_encoding_damaged": Sentence(
        _(
            "%(count)s cells lost characters when they were read in the wrong encoding, such as “%(example)s”; they "
            "were kept as they are."
        ),
        _("Some cells lost characters when they were read in the wrong encoding; they were kept as they are."),
        _("Import the CSV as UTF-8 and send the workbook again."),
    ),
    "flight_number_ignored": _("The workbook's flight number is not a carrier's, such as LA2369; it was left out."),
    "origin_airport_ignored": _(
        "The workbook's origin is not an airport's IATA code, such as MIA, or a country; it was left out."
    ),
    "destination_airport_ignored": _(
        "The workbook's destination is not an airport's IATA code, such as SCL, or a country; it was left out."
    ),
    "scheduled_departure_ignored": _(
        "The workbook's departure is not a date with its time, such as 25/11/2026 14:30; it was left out."
    ),
    "scheduled_arrival_ignored": _(
        "The workbook's arrival is not a date with its time, such as 25/11/2026 14:30; it was left out."
    ),
    "time_skipped": Sentence(
        _(
            "%(field)s is %(time)s, an hour that does not exist there because clocks go forward; it was read as one "
            "hour later."
        ),
        _("A flight time is at an hour that does not exist because clocks go forward; it was read as one hour later."),
        _("Check the time, or write it with its offset from UTC."),
    ),
    "time_doubled": Sentence(
        _("%(field)s is %(time)s, an hour that occurs twice there because clocks go back; the first was used."),
        _("A flight time is at an hour that occurs twice because clocks go back; the first was used."),
        _("Check the time, or write it with its offset from UTC."),
    ),
    "status_time_skipped": Sentence(
        _(
            "The status of %(code)s is at %(time)s, an hour that does not exist there because clocks go forward. It "
            "was read as one hour later. Guides with such a time: %(count)s."
        ),
        _("Some statuses are at an hour that does not exist because clocks go forward; it was read as one hour later."),
        _STATUS_TIME,
    ),
    "status_time_doubled": Sentence(
        _(
            "The status of %(code)s is at %(time)s, an hour that occurs twice there because clocks go back. The first "
            "was used. Guides with such a time: %(count)s."
        ),
        _("Some statuses are at an hour that occurs twice because clocks go back; the first was used."),
        _STATUS_TIME,
    ),
    "scheduled_departure_by_unknown_clock": _(
        "The departure is in local time at the airport of origin, which is not known; it was left out."
    ),
    "scheduled_arrival_by_unknown_clock": _(
        "The arrival is in local time at the airport of origin, which is not known; it was left out."
    ),
    "arrival_before_departure": _("The workbook's arrival is before the departure; it was left out."),
    "departure_after_arrival": _("The workbook's departure is after the arrival; it was left out."),
    "hawb_elsewhere": Sentence(
        _("%(count)s of these HAWBs are also in your manifest %(mawb)s, which has not been voided."),
        _("Some of these HAWBs are also in another manifest of yours, which has not been voided."),
        _("If it is the same shipment under a corrected MAWB, void the other manifest."),
    ),
    "scheduled_departures_differ": Sentence(
        _("The workbook names several departures; the first, of %(date)s, was used."),
        _("The workbook names several departures; the first was used."),
    ),
    "scheduled_arrivals_differ": Sentence(
        _("The workbook names several arrivals; the last, of %(date)s, was used."),
        _("The workbook names several arrivals; the last was used."),
    ),
    "flight_number_ambiguous": Sentence(
        _("The workbook names more than one flight number; %(taken)s, of the last leg, was used."),
        _("The workbook names more than one flight number; that of the last leg was used."),
    ),
    "retention_required": _(
        "FOB above US$ 2,000: customs retains the shipment until its import declaration is cleared."
    ),
    "category_repeated": Sentence(
        _(
            "One transport document holds at most one guide of category %(category)s, and this manifest has %(count)s; "
            "this is the second."
        ),
        _("One transport document holds at most one guide of this category; this is the second."),
    ),
    "vat_collected_invalid": _("The cell is neither yes nor no: whether VAT was charged at the sale was left open."),
    "vat_rows_contradict": _(
        "Rows of this guide contradict each other: whether VAT was charged at the sale was left open."
    ),
    "vat_without_platform": _(
        "VAT was charged at the sale, and no platform is named: customs receives its name and RUT with the guide."
    ),
    "vat_above_limit": Sentence(
        _("VAT charged at the sale counts up to a FOB of US$ %(most)s; customs may charge it on this guide again."),
        _("VAT charged at the sale counts up to a certain FOB; customs may charge it on this guide again."),
    ),
    "platform_tax_id_invalid": _(
        "The platform's tax id looks like a RUT, and its check digit does not match; it was kept as sent."
    ),
    "category_above_value": _(
        "Category 3 above US$ 2,000 is only for medicines (up to US$ 10,000) and re-imported goods (up to US$ "
        "5,000); customs will ask for the papers."
    ),
    "ruc_advised": _("Above US$ 1,000 a person without a RUC may import only a few times a year; ask for the RUC."),
    "ruc_needed": _("Above US$ 3,000 customs asks a person for a RUC; ask the consignee for it."),
    "ruc_advised_perception": _(
        "Above US$ 1,000 a person without a RUC may import only a few times a year, and without a RUC in the "
        "declaration customs charges a perception of IGV of 10 per cent (DL 1714); ask for the RUC."
    ),
    "ruc_needed_perception": _(
        "Above US$ 3,000 customs asks a person for a RUC, and without it charges a perception of IGV of 10 per cent "
        "(DL 1714); ask the consignee for it."
    ),
    "customs_details_missing": Sentence(
        _(
            "Customs asks for details of goods of categories 2 and 3 where they apply, and %(count)s guides do not "
            "have them: %(names)s. Add a column for each."
        ),
        _(
            "Customs asks for details of goods of categories 2 and 3 where they apply, and some guides do not have "
            "them."
        ),
    ),
    "personal_units_exceeded": Sentence(
        _(
            "For personal use the simplified courier regime admits at most %(most)s units of one kind; this guide has "
            "more."
        ),
        _("This guide has more units of one kind than the simplified courier regime admits for personal use."),
    ),
    "exemption_exceeded_together": Sentence(
        _(
            "This consignee has %(count)s guides of category 2 worth more than US$ 200 together; customs may not "
            "exempt them."
        ),
        _(
            "This consignee has several guides of category 2 worth more than US$ 200 together; customs may not exempt "
            "them."
        ),
    ),
    "courier_value_exceeded_together": Sentence(
        _(
            "This consignee has %(count)s guides worth more than US$ 3,000 together; the simplified courier regime may "
            "not apply."
        ),
        _(
            "This consignee has several guides worth more than US$ 3,000 together; the simplified courier regime may "
            "not apply."
        ),
    ),
    "courier_value_exceeded_together_1000": Sentence(
        _(
            "This consignee has %(count)s guides worth more than US$ 1,000 together; the simplified courier regime may "
            "not apply."
        ),
        _(
            "This consignee has several guides worth more than US$ 1,000 together; the simplified courier regime may "
            "not apply."
        ),
    ),
    "courier_value_exceeded_1000": _("FOB above US$ 1,000: the shipment is outside the simplified courier regime."),
    "customs_agent_needed": _(
        "FOB above US$ 3,000: a courier may not clear the shipment itself; it needs a customs agent."
    ),
    "courier_value_exceeded": _("FOB above US$ 3,000: the shipment is outside the simplified courier regime."),
    "courier_weight_exceeded": _("More than 50 kg per package: the shipment is outside the simplified courier regime."),
}

GUIDE_REASONS: Sentences = {
    "retention_required": MANIFESTS["retention_required"],
    "released_by_customs": _("Released by customs."),
    "rut_invalid_format": _("The consignee's RUT is missing or invalid."),
    "rut_placeholder": _("The consignee's RUT is a well-known placeholder."),
    "document_missing": _("The consignee's document is missing."),
    "invalid_document": _("The consignee's document is invalid."),
    "invalid_document_type": _("The type of the consignee's document is missing or unknown."),
    "values_unlike_format": _("The workbook's values are unusual for its layout."),
    "value_not_in_format": _("The workbook's layout does not say what a value means."),
    "ambiguous_number": _("A number can be read in two ways and was left out."),
    "belongs_unclear": _("A row below the guide has no HAWB and may be one of its products; it was left out."),
    "column_in_doubt": _("A column of the workbook may contain a field that was not read."),
    "invalid_category": _("The express category is invalid for this FOB value."),
    "value_left_out": _("A value is missing or could not be read; the manifest's warnings name it."),
    "courier_limit_exceeded": _("The guide exceeds what a courier may clear; it needs another regime."),
    "consignee_limit_exceeded": _("The consignee's guides exceed a limit together."),
    "personal_units_exceeded": MANIFESTS["personal_units_exceeded"],
    "ruc_advised": MANIFESTS["ruc_advised"],
}
"""Reasons kept with a guide as a key: why it was retained and released, and why it needs review."""
