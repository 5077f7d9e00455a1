"""Numbers that clients send along: the key of `extra_data` that a carrier names."""

from shipments.carriers.guides import learn_numbers
from shipments.models import Carrier, Manifest
from shipments.models.carriers import NUMBER_LENGTH


def learn_from(manifest: Manifest) -> None:
    """Learn the numbers in the `extra_data` of a new manifest's guides, for the active carriers of its country."""
    for carrier in Carrier.objects.filter(is_active=True).exclude(number_key=""):
        if manifest.country in carrier.countries:
            guides = manifest.guides.filter(extra_data__has_key=carrier.number_key).values_list("id", "extra_data")
            sent = ((str(extra[carrier.number_key]).strip(), guide_id) for guide_id, extra in guides)
            learn_numbers(carrier, {number: key for number, key in sent if 0 < len(number) <= NUMBER_LENGTH})
