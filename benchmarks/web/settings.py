"""The product's own settings, with the views to compare with beside the real ones."""

from prealerts.settings import *  # noqa: F403  # the same settings, whatever they are

ROOT_URLCONF = "benchmarks.web.urls"
