"""The notices of an answer."""

from typing import Any


def codes(response: Any) -> list[str]:
    """The codes of the notices; the layout never has the details that Peru's customs asks for."""
    found = [notice["code"] for notice in response.json()["notices"]]
    return [code for code in found if code != "customs_details_missing"]
