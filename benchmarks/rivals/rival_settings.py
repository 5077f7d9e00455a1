"""The product's own settings, with the rival's views beside the real ones."""

from prealerts.settings import *  # noqa: F403  # the same settings, whatever they are

ROOT_URLCONF = "benchmarks.rivals.views"
