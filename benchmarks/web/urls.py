"""The product's own routes, and beside them those to compare with: without ETags, and as usually written.

The API's come first, as in the product; those to compare with before the pages, so that they are found as early.
"""

from benchmarks.web import untagged, usual
from prealerts import urls

_api, *_pages = urls.urlpatterns
urlpatterns = [_api, *untagged.urlpatterns, *usual.urlpatterns, *_pages]
handler404 = urls.handler404
