"""Which guides an operator's program means, and whether the operator may see them.

An id is a tracking code, or `MAWB/HAWB`: scanners have the first, customs brokers only the second.
"""

from collections.abc import Iterable, Sequence

from base.errors import DomainError, Translatable
from companies.errors import ForbiddenCountry
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


def named_guides(ids: Iterable[str]) -> list[Sequence[Found]]:
    """Return the guides that each id names, of all countries; several if companies sent the same MAWB and HAWB.

    Voided ones are unknown.
    """
    names = [name_of(each) for each in ids]
    standing = Guide.objects.filter(manifest__voided_at=None)
    codes = guides_by_code(standing, {name for name in names if isinstance(name, str)})
    found: dict[Name, Sequence[Found]] = {code: [guide] for code, guide in codes.items()}
    found.update(guides_by_house(standing, {name for name in names if isinstance(name, tuple)}).items())
    return [found.get(name, ()) for name in names]


def seen_by(scope: Scope, found: Sequence[Found]) -> Found | DomainError:
    """Return the guide that an operator means, or `NotFound`, `ForbiddenCountry` or `AmbiguousGuide`.

    found: what the id names, as from `named_guides`.
    """
    seen = [guide for guide in found if scope.covers([guide.country])]
    if len(seen) == 1:
        return seen[0]
    if seen:
        return AmbiguousGuide()
    return ForbiddenCountry(country=found[0].country) if found else NotFound("No guide has this id.")


def guide_of(sent: str, scope: Scope) -> Found:
    """Return the guide with an id. Raises what `seen_by` returns."""
    found = seen_by(scope, *named_guides([sent]))
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


def require_one_country(ids: Sequence[str], named: Sequence[Sequence[Found]], country: str, scope: Scope) -> None:
    """Raise `CountryMismatch` if an id names guides of other countries only: a wrong country means a wrong file.

    named: as from `named_guides`. An operator is not told a country outside the scope.
    """
    mismatched = []
    for sent, guides in zip(ids, named, strict=True):
        countries = {guide.country for guide in guides}
        if countries and country not in countries:
            own = sorted(each for each in countries if scope.covers([each]))
            mismatched.append({"id": sent, **({"country": own[0]} if own else {})})
    if mismatched:
        raise CountryMismatch(mismatched=mismatched)
