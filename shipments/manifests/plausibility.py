"""Implausible weights and values, which suggest a wrong unit or currency."""

from collections.abc import Sequence
from statistics import median

from shipments.manifests.findings import Findings
from shipments.manifests.manifest import GuideRow

HEAVIEST_MEDIAN_KG = 60
"""Kilograms per package, at the median: couriers refuse single pieces of some 70 kg."""

DEAREST_MEDIAN_USD_PER_KG = 3_000
"""Dollars per kilogram, at the median: phones cost about 2,000; pesos mistaken for dollars are far above it."""


_SAMPLED = 1_000


def report_implausible(guides: Sequence[GuideRow], findings: Findings) -> None:
    """Add a notice if the weights, or the values for these weights, are implausible; many guides are sampled."""
    sample = guides[:: max(1, len(guides) // _SAMPLED)]
    weighed = [(float(guide.weight_kg), guide) for guide in sample if guide.weight_kg]
    if weighed and (typical := median(kg / guide.packages_count for kg, guide in weighed)) > HEAVIEST_MEDIAN_KG:
        findings.notice("weight_unlikely", typical=round(typical))
    prices = [float(guide.fob_usd) / kg for kg, guide in weighed if guide.fob_usd]
    if prices and (typical := median(prices)) > DEAREST_MEDIAN_USD_PER_KG:
        findings.notice("fob_unlikely", typical=round(typical))
