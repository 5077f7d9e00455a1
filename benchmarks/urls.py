"""The product's own routes, and beside them the bare views and those that a project would usually write."""

from benchmarks import bare, usual
from prealerts import urls

urlpatterns = [*bare.urlpatterns, *usual.urlpatterns, *urls.urlpatterns]
handler404 = urls.handler404
