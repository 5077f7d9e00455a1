"""Static files under the hash of their content, so that browsers keep them for a year and have a new one at once."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # has no types
    """As WhiteNoise's, except that what `collectstatic` has not hashed is served under its own name.

    Such as the source maps that `LeanStaticFilesConfig` leaves out, and everything before the first `collectstatic`.
    """

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        return str(super().stored_name(name)) if name in self.hashed_files else name

    def hashed_name(self, name: str, content: object = None, filename: str | None = None) -> str:
        try:
            return str(super().hashed_name(name, content, filename))
        except ValueError:  # no such file
            return name
