"""Which guides an operator's program means, and whether the operator may see them.

An id is a tracking code, or `MAWB/HAWB`: scanners have the first, customs brokers only the second.
"""

from collections.abc import Iterable, Sequence

from companies.errors import DomainError, ForbiddenCountry, Translatable
from companies.scope import Scope
from shipments.errors import AmbiguousGuide, CountryMismatch, NotFound, ValidationFailed
from shipments.manifests import waybills
from shipments.models import Guide
from shipments.tracking.lookup import Found, guides_by_code, guides_by_house

Name = str | tuple[str, str] | None
"""A tracking code, (MAWB, HAWB), or None for an id that is neither."""


def name_of(sent: str) -> Name:
    if "/" not in sent:
        return sent.strip().upper()
    mawb, _, hawb = sent.partition("/")
    number, house = waybills.sought_mawb(mawb), waybills.normal_hawb(hawb)
    return (number, house) if number and house else None


def find_guides(ids: Iterable[str], scope: Scope) -> list[Found | DomainError]:
    """Return the guide of each id, or `NotFound`, `ForbiddenCountry` or `AmbiguousGuide`. Voided ones are unknown.

    scope: of the operator.
    """
    names = [name_of(each) for each in ids]
    standing = Guide.objects.filter(manifest__voided_at=None)
    codes = guides_by_code(standing, {name for name in names if isinstance(name, str)})
    found: dict[Name, Sequence[Found]] = {code: [guide] for code, guide in codes.items()}
    found.update(guides_by_house(standing, {name for name in names if isinstance(name, tuple)}).items())
    return [_seen(found.get(name, ()), scope) for name in names]


def _seen(found: Sequence[Found], scope: Scope) -> Found | DomainError:
    seen = [guide for guide in found if scope.covers([guide.country])]
    if len(seen) == 1:
        return seen[0]
    if seen:
        return AmbiguousGuide()
    return ForbiddenCountry(country=found[0].country) if found else NotFound("No guide has this id.")


def guide_of(sent: str, scope: Scope) -> Found:
    """Return the guide with an id. Raises what `find_guides` returns."""
    (found,) = find_guides([sent], scope)
    if isinstance(found, DomainError):
        raise found
    return found


def require_distinct(ids: Sequence[str], found: Sequence[Found | DomainError]) -> None:
    """Raise `ValidationFailed` if two ids name the same guide."""
    first: dict[object, str] = {}
    twice = []
    for sent, guide in zip(ids, found, strict=True):
        # Of a guide that was not found, the id alone is known.
        key = guide.id if isinstance(guide, Found) else name_of(sent)
        if key is not None and key in first:
            twice.append(Translatable("%(one)s names the same guide as %(other)s.", one=sent, other=first[key]))
        first.setdefault(key, sent)
    if twice:
        raise ValidationFailed(details={"ids": twice})


def require_one_country(ids: Sequence[str], found: Sequence[Found | DomainError], country: str) -> None:
    """Raise `CountryMismatch` if a guide is of another country: a wrong country means a wrong file."""
    mismatched = [
        {"id": sent, "country": guide.country}
        for sent, guide in zip(ids, found, strict=True)
        if isinstance(guide, Found) and guide.country != country
    ]
    if mismatched:
        raise CountryMismatch(mismatched=mismatched)
