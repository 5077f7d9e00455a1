"""A carrier of our own envelope, which serves every country."""

import pytest

from tests.shipments.carriers.sending import Sender, make_sender


@pytest.fixture
def andes() -> Sender:
    return make_sender()
