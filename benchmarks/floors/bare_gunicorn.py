"""gunicorn's configuration of the floor: as many workers and threads as ours, everything else by default."""

import os

bind = os.environ["BIND"]
workers = int(os.environ["WEB_CONCURRENCY"])
threads = 8
keepalive = 5
wsgi_app = "django.core.wsgi:get_wsgi_application()"
