"""Companies, what the service stores about operators, and the models of parts that have folders of their own."""

from companies.models.company import Beside, Company, CompanyQuerySet, EndingPassword, Kind
from companies.models.operators import (
    Authenticator,
    OperatorAccess,
    OperatorProfile,
    OperatorSession,
    OperatorSessionQuerySet,
)
from companies.models.rate_bucket import AttemptBucket, OperatorBucket, RateBucket

__all__ = [
    "AttemptBucket", "Authenticator", "Beside", "Company", "CompanyQuerySet", "EndingPassword", "Kind",
    "OperatorAccess", "OperatorBucket", "OperatorProfile", "OperatorSession", "OperatorSessionQuerySet", "RateBucket",
]  # fmt: skip
