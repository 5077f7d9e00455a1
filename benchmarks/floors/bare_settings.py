"""Settings of the floor: no middleware, no apps, Django's own logging, a connection that stays open."""

import environ

env = environ.Env()

SECRET_KEY = env.str("SECRET_KEY")
API_PASSWORD_PEPPER = env.str("API_PASSWORD_PEPPER")
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "benchmarks.floors.bare"
DATABASES = {"default": {**env.db_url("DATABASE_URL"), "CONN_MAX_AGE": None}}
USE_TZ = True
