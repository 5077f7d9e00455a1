"""The same companies and programs as the other tests of the operators' API."""

from tests.shipments.operations.conftest import _one_factor, acme, limeno, reader, rival, scanner

__all__ = ["_one_factor", "acme", "limeno", "reader", "rival", "scanner"]
