"""The product's own routes, and beside them those to compare with: bare, without ETags, and as usually written."""

from benchmarks.web import bare, untagged, usual
from prealerts import urls

urlpatterns = [*bare.urlpatterns, *usual.urlpatterns, *untagged.urlpatterns, *urls.urlpatterns]
handler404 = urls.handler404
