"""The query parameters of the operators' feed. Unknown ones are refused: without a filter, a page shows too much."""

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers

from base.errors import InvalidQuery
from shipments.manifests.guide_fields import LONGEST
from shipments.v1.queries import GuideChangesQuery, ListRequest, MawbQuery, Query

ALL = "all"


def _company() -> serializers.CharField:
    return serializers.CharField(required=False, max_length=32, help_text="A company's code, as in `GET companies`.")


class _StrictQuery(Query):
    @classmethod
    def read(cls, query: QueryDict) -> ListRequest:
        if unknown := query.keys() - cls._declared_fields.keys():
            raise InvalidQuery(details={name: [_("There is no such parameter.")] for name in sorted(unknown)})
        return super().read(query)


class FeedQuery(_StrictQuery, GuideChangesQuery):
    """`GET guides`."""

    company = _company()
    bag = serializers.CharField(required=False, max_length=LONGEST["bag"], help_text="As it was sent.")
    fields = serializers.ChoiceField([ALL], required=False, help_text="`all`: with everything that is kept of a guide.")  # type: ignore[assignment]  # a serializer's own property, which reading does without

    narrowing = ("updated_since", "mawb", "hawb", "tracking_code", "company", "bag")


class ManifestsQuery(_StrictQuery, MawbQuery):
    """`GET mawbs`."""

    created_from = created_to = hawb = None  # type: ignore[assignment]  # so a serializer leaves fields out
    company = _company()


class ManifestQuery(_StrictQuery):
    """`GET mawbs/<mawb>`."""

    limit = cursor = None  # type: ignore[assignment]  # as above
    company = _company()


class BrokerFileQuery(ManifestQuery):
    """`GET mawbs/<mawb>/files/<id>`."""

    format = serializers.ChoiceField(["xlsx", "csv"], required=False, help_text="`xlsx` if left out.")


class NoQuery(_StrictQuery):
    """A call without parameters."""

    limit = cursor = None  # type: ignore[assignment]  # as above


class CompaniesQuery(_StrictQuery):
    """`GET companies`."""
