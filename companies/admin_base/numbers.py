"""Numbers in sentences."""

from django.utils.formats import number_format


class Grouped(int):
    """A number that a sentence shows grouped, as the active language does it; a plural sees the number."""

    def __str__(self) -> str:
        return str(number_format(int(self), force_grouping=True))
