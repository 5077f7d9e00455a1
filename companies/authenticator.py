"""The app of an operator that makes codes, and how many wrong ones it takes."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from companies.peppered import peppered


class Authenticator(TOTPDevice):
    """An operator's app that makes codes. What the database holds of its key is of no use without the pepper.

    Its wrong codes are counted over all sessions, so that nobody guesses faster by logging in more often: a hundred are
    taken, then one every two minutes (`MOST_WRONG_CODES`, `WRONG_CODE_FORGOTTEN_AFTER`). django-otp's own wait doubles
    without a bound; with it, whoever has the password could keep its owner out for years. A recovery code, which nobody
    can guess, opens meanwhile. Source: NIST SP 800-63B, 3.2.2, at most 100 consecutive failures.
    """

    MOST_WRONG_CODES: ClassVar = 100
    WRONG_CODE_FORGOTTEN_AFTER: ClassVar = timedelta(minutes=2)

    class Meta:
        proxy = True

    @property
    def bin_key(self) -> bytes:
        """The secret that the app shares with us."""
        return peppered("authenticator", self.key)[:20]

    def verify_is_allowed(self) -> tuple[bool, dict[str, datetime] | None]:
        """Whether a code is looked at now and, where not, until when; in django-otp's shape."""
        last = self.throttling_failure_timestamp
        if last is None or self._wrong_codes() < self.MOST_WRONG_CODES:
            return True, None
        return False, {"locked_until": last + self.WRONG_CODE_FORGOTTEN_AFTER}

    def throttle_increment(self, commit: bool = True) -> None:  # noqa: FBT001, FBT002  # the signature is django-otp's
        self.throttling_failure_count = self._wrong_codes()
        super().throttle_increment(commit)  # type: ignore[no-untyped-call]  # django-otp ships no types

    def _wrong_codes(self) -> int:
        """Wrong codes that are not forgotten yet."""
        if self.throttling_failure_timestamp is None:
            return 0
        elapsed = max(timezone.now() - self.throttling_failure_timestamp, timedelta())
        return max(0, self.throttling_failure_count - elapsed // self.WRONG_CODE_FORGOTTEN_AFTER)
