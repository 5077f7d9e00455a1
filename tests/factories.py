"""Companies for the tests: each with a password that opens the API, so that two of them cost two words."""

from typing import Any

from factory.declarations import Sequence
from factory.django import DjangoModelFactory

from companies.countries import SERVED
from companies.models import Company, Kind


class CompanyFactory(DjangoModelFactory[Company]):
    """An active company that may ship everywhere; `password_of` returns its password in clear."""

    class Meta:
        model = Company

    name = Sequence("Importadora {} Ltda.".format)  # type: ignore[no-untyped-call]  # factory_boy's hints end here
    client_code = Sequence("CODE{}".format)  # type: ignore[no-untyped-call]  # as above
    tracking_prefix = Sequence(lambda number: f"T{number % 1000}Z")  # type: ignore[no-untyped-call]  # as above
    allowed_countries = [*SERVED]

    @classmethod
    def _create(cls, model_class: type[Company], *args: Any, **kwargs: Any) -> Company:
        posts_for = kwargs.pop("posts_for", [])
        company: Company = super()._create(model_class, *args, **kwargs)  # type: ignore[no-untyped-call]  # as above
        company.posts_for.set(posts_for)
        vars(company)["password_in_clear"] = company.set_new_password()
        return company


class ClientFactory(CompanyFactory):
    kind = Kind.CLIENT


class CourierFactory(CompanyFactory):
    """A courier; `posts_for=[client, ...]` links it."""

    kind = Kind.COURIER


def password_of(company: Company) -> str:
    """The password that the factory gave to `company`."""
    return str(vars(company)["password_in_clear"])
