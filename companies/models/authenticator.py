"""An operator's authenticator app, and how many wrong codes it accepts."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from companies.passwords import peppered


class Authenticator(TOTPDevice):
    """An operator's authenticator app. Its key is stored encrypted, useless without the pepper.

    Wrong codes are counted across all sessions, so that logging in more often does not allow more guesses: 100 codes,
    then one every two minutes (`MOST_WRONG_CODES`, `WRONG_CODE_FORGOTTEN_AFTER`). django-otp's own throttling doubles
    without a limit, so anybody with the password could lock the owner out for years. Recovery codes, which cannot be
    guessed, work in the meantime. Source: NIST SP 800-63B, 3.2.2, at most 100 consecutive failures.
    """

    MOST_WRONG_CODES: ClassVar = 100
    WRONG_CODE_FORGOTTEN_AFTER: ClassVar = timedelta(minutes=2)

    class Meta:
        proxy = True

    @property
    def bin_key(self) -> bytes:
        return peppered("authenticator", self.key)[:20]

    def verify_is_allowed(self) -> tuple[bool, dict[str, datetime] | None]:
        """Whether a code may be verified now and, if not, from when on; in django-otp's format."""
        last = self.throttling_failure_timestamp
        if last is None or self._wrong_codes() < self.MOST_WRONG_CODES:
            return True, None
        return False, {"locked_until": last + self.WRONG_CODE_FORGOTTEN_AFTER}

    def throttle_increment(self, commit: bool = True) -> None:  # noqa: FBT001, FBT002  # the signature is django-otp's
        self.throttling_failure_count = self._wrong_codes()
        super().throttle_increment(commit)  # type: ignore[no-untyped-call]  # django-otp ships no types

    def _wrong_codes(self) -> int:
        if self.throttling_failure_timestamp is None:
            return 0
        elapsed = max(timezone.now() - self.throttling_failure_timestamp, timedelta())
        return max(0, self.throttling_failure_count - elapsed // self.WRONG_CODE_FORGOTTEN_AFTER)
