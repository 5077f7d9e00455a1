# Two commands for a newcomer: `make run` and `make test`. Both need Python 3.11 or later and nothing else.

# The first Python of 3.11 or later that has venv. The distribution's own come first: they are built with profile-guided
# optimisation, and one that pyenv compiled takes a sixth more processor time.
PYTHON ?= $(shell for each in /usr/bin/python3 /usr/bin/python3.1[1-9] \
		python3 python3.13 python3.12 python3.11; do \
	$$each -c "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && command -v $$each && break; done)
VENV := .venv
BIN := $(VENV)/bin
BIND ?= 127.0.0.1:8000
# Workers of a test run. Those of `make test` wait a tenth of their time, so that two cores profit from a third one.
JOBS ?= 2
QUICK_JOBS ?= 3
JAVASCRIPT := tests/javascript

.DEFAULT_GOAL := help

# The tests start hundreds of processes; without bytecode each of them compiles the whole service again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run demo sandbox test test-sqlite test-postgres test-live test-browser test-slow test-generators image-test faults mutants backup-drill release typescript-client pin-images check lint types bench bench-short manual-pictures examples lock messages licences clean

help: ## show what there is to do
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# uv, where there is one, takes a tenth of pip's time; where it fails, for want of an index that only pip knows, pip tries.
# The first import compiles what is imported, a tenth of what is installed.
install = { command -v uv >/dev/null && uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1); } \
	|| $(BIN)/python -m pip install --quiet --no-compile --require-hashes -r $(1)

$(BIN)/python:
	@$(or $(PYTHON),false) --version || { echo "Python 3.11 or later with venv is needed (set PYTHON=/path/to/python3)."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt | $(BIN)/python
	$(call install,requirements.txt)
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	$(call install,requirements-dev.txt)
	touch $@

$(JAVASCRIPT)/node_modules clients/typescript/node_modules tests/generators/node_modules: %/node_modules: %/package-lock.json
	@command -v npm >/dev/null || echo "npm: not found; the tests that need Node are skipped."
	! command -v npm >/dev/null || { cd $* && npm ci --no-audit --no-fund --silent && touch node_modules; }

typescript-client: $(VENV)/.installed-dev clients/typescript/node_modules ## write the types of the TypeScript client from the document
	$(BIN)/python -m tools.typescript_client

# What a receiver of webhooks on this machine needs, made once: $(call receiver,FOLDER,SECRET)
receiver = mkdir -p -m 700 $(1) && cd $(1) && { test -s both.pem || { openssl req -x509 -newkey rsa:2048 -nodes -days 365 \
	-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem 2>openssl.log \
	&& echo "$(2)" > secret && cat key.pem cert.pem > both.pem && chmod 600 *.pem secret; } || { cat openssl.log; exit 1; }; }
start_receiver = receiver: python docs/examples/webhook_receiver.py $(1)/both.pem $(2) $(1)/events.sqlite3

# Two endpoints of `make demo` are the receiver that `make run` then starts as well. Its port may be taken: nothing else
# stops for that. Without openssl nothing answers them.
DEMO_PLACE := var/demo
DEMO_RECEIVER ?= 8445
DEMO_WEBHOOKS := WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8 WEBHOOK_CA_BUNDLE=$(CURDIR)/$(DEMO_PLACE)/cert.pem
HAS_DEMO = $(wildcard $(DEMO_PLACE)/both.pem)

run: $(VENV)/.installed ## serve on http://127.0.0.1:8000 with SQLite; the first run sets everything up
	@$(BIN)/python -m prealerts.environment
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@$(BIN)/python manage.py first_run --address http://$(BIND)
	@# exec: a signal to make reaches what it started. No .env for honcho: each program reads it itself, and the
	@# environment takes precedence.
	@$(if $(HAS_DEMO),{ cat Procfile; echo "$(call start_receiver,$(DEMO_PLACE),$(DEMO_RECEIVER)) || exec tail -f /dev/null"; } > $(DEMO_PLACE)/Procfile)
	@exec env BIND=$(BIND) PATH="$(CURDIR)/$(BIN):$$PATH" $(if $(HAS_DEMO),$(DEMO_WEBHOOKS) WEBHOOK_SECRET=$$(cat $(DEMO_PLACE)/secret)) \
		$(BIN)/honcho start --env /dev/null $(if $(HAS_DEMO),--app-root $(CURDIR) --procfile $(DEMO_PLACE)/Procfile)

demo: $(VENV)/.installed ## fill the database of `make run` with two months of invented work (AGAIN=1: replace it)
	@$(BIN)/python -m prealerts.environment
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@! command -v openssl >/dev/null || { $(call receiver,$(DEMO_PLACE),whsec_$$(openssl rand -base64 24)); }
	@test ! -s $(DEMO_PLACE)/both.pem || export $(DEMO_WEBHOOKS) RECEIVER="--receiver $(DEMO_RECEIVER) --secret-file $(DEMO_PLACE)/secret"; \
		$(BIN)/python manage.py demo --skip-checks $$RECEIVER $(if $(AGAIN),--again)

DRILL := var/drill
DRILL_DATABASE_URL ?= sqlite:///$(CURDIR)/$(DRILL)/restored.sqlite3

backup-drill: $(VENV)/.installed ## back up the installation of .env and restore it beside itself; on PostgreSQL into the empty DRILL_DATABASE_URL
	@rm -rf $(DRILL) && mkdir -p -m 700 $(DRILL)
	$(BIN)/python manage.py backup $(DRILL)
	@# Without the retention: a bucket is the same one for both.
	env DATABASE_URL=$(DRILL_DATABASE_URL) MEDIA_ROOT=$(CURDIR)/$(DRILL)/media RETENTION_DAYS_FILES= RETENTION_DAYS_PERSONAL_DATA= \
		$(BIN)/python manage.py restore $(DRILL)/prealerts-*.tar
	@rm -rf $(DRILL)  # it has people's data
	@echo "The backup restores."

SANDBOX_PLACE ?= var/sandbox
SANDBOX_BIND ?= 127.0.0.1:8001
SANDBOX_RECEIVER ?= 8444
SANDBOX := env SANDBOX=on BIND=$(SANDBOX_BIND) DATABASE_URL=sqlite:///$(CURDIR)/var/sandbox.sqlite3 \
	MEDIA_ROOT=$(CURDIR)/$(SANDBOX_PLACE)/media ALLOWED_HOSTS=127.0.0.1,localhost METRICS_BIND= DISPATCHER_METRICS_BIND= \
	WORKER_METRICS_BIND= DISPATCHER_HEARTBEAT_FILE= WORKER_HEARTBEAT_FILE= \
	WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8 WEBHOOK_CA_BUNDLE=$(CURDIR)/$(SANDBOX_PLACE)/cert.pem

sandbox: $(VENV)/.installed ## a sandbox on http://127.0.0.1:8001 with a receiver of webhooks and three commands to try
	@$(BIN)/python -m prealerts.environment
	@$(call receiver,$(SANDBOX_PLACE),$$(openssl rand -hex 24))
	@$(SANDBOX) $(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@$(SANDBOX) $(BIN)/python manage.py first_sandbox \
		--address http://$(SANDBOX_BIND) --place $(SANDBOX_PLACE) --receiver-port $(SANDBOX_RECEIVER)
	@{ cat Procfile; echo "$(call start_receiver,$(SANDBOX_PLACE),$(SANDBOX_RECEIVER))"; } > $(SANDBOX_PLACE)/Procfile
	@exec $(SANDBOX) WEBHOOK_SECRET=$$(cat $(SANDBOX_PLACE)/secret) PATH="$(CURDIR)/$(BIN):$$PATH" \
		$(BIN)/honcho start --env /dev/null --app-root $(CURDIR) --procfile $(SANDBOX_PLACE)/Procfile

test: test-sqlite test-postgres ## the suite on SQLite, and what asks a database on PostgreSQL where TEST_POSTGRES_URL is set

QUICK := -m "not browser and not image and not live and not slow" -n $(QUICK_JOBS) --dist worksteal
LIVE_PLACES := tests/container tests/live tests/prealerts/metrics tests/proxy tests/test_backups.py tests/test_operations.py tests/upgrade tests/webhooks
LIVE := $(LIVE_PLACES) -m "live and not slow" -n $(JOBS) --dist loadfile
# What is generated does not ask the database: the thorough profile has its turn on SQLite.
ON_POSTGRES = HYPOTHESIS_PROFILE=quick TEST_DATABASE_URL=$(TEST_POSTGRES_URL) $(BIN)/python -m pytest
WITHOUT_POSTGRES := @echo "PostgreSQL: not run; set TEST_POSTGRES_URL=postgres://user@host:5432/name to run the tests there too."

test-sqlite: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(QUICK)

test-postgres: $(VENV)/.installed-dev
	$(if $(TEST_POSTGRES_URL),$(ON_POSTGRES) $(QUICK),$(WITHOUT_POSTGRES))

test-live: $(VENV)/.installed-dev ## the service as in production: gunicorn, dispatchers, the proxy, backups; on both databases as well
	$(BIN)/python -m pytest $(LIVE)
	$(if $(TEST_POSTGRES_URL),$(ON_POSTGRES) $(LIVE),$(WITHOUT_POSTGRES))

test-browser: $(VENV)/.installed-dev ## the admin and the reference in Chromium
	$(BIN)/python -m pytest tests/browser -m "not slow" -n $(JOBS) --dist load

test-slow: $(VENV)/.installed-dev $(JAVASCRIPT)/node_modules clients/typescript/node_modules ## what takes minutes, or Node, or another PostgreSQL: before a release, and whoever touches it (SHORT=1: fewer cases)
	$(BIN)/python -m pytest -m slow -n $(JOBS) --dist load $(if $(SHORT),--short)

GENERATORS := var/generators

$(GENERATORS)/.installed:
	$(BIN)/python -m venv $(GENERATORS)
	$(GENERATORS)/bin/python -m pip install --quiet openapi-generator-cli==7.26.0 mypy pydantic python-dateutil types-python-dateutil urllib3
	touch $@

test-generators: $(VENV)/.installed-dev tests/generators/node_modules $(GENERATORS)/.installed ## what generators make of the OpenAPI document compiles, and runs against a live service; names what is missing
	OPENAPI_GENERATOR=$(CURDIR)/$(GENERATORS)/bin/python $(BIN)/python -m pytest tests/generators -rs -n $(JOBS)

image-test: $(VENV)/.installed-dev ## build the container image and run it; needs root, buildah and debootstrap (Debian)
	$(BIN)/python -m pytest tests/image -p no:randomly -n 0 -rs

faults: $(VENV)/.installed-dev ## the fault matrix: kills, outages, full disks ... (SHORT=1: minutes; ROWS=1,5-7)
	$(BIN)/python -m pytest faults -p no:randomly -n $(JOBS) --dist loadgroup --tb=short -rs \
		$(if $(SHORT),--short) $(if $(ROWS),--rows $(ROWS))

var/mutants/site/coverage:
	$(BIN)/python -m pip install --quiet --target var/mutants/site coverage==7.17.5

mutants: $(VENV)/.installed-dev var/mutants/site/coverage ## plant 300 faults, one by one, and say which tests notice: hours; whoever deletes tests (TESTS=tests/api)
	$(BIN)/python -m tests.mutants map $(TESTS)
	$(BIN)/python -m tests.mutants run $(TESTS)
	$(BIN)/python -m tests.mutants report

release: $(VENV)/.installed-dev ## build what a release consists of into dist/, VERSION=1.0.0; prints the commands that publish it
	$(BIN)/python -m tools.release $(VERSION)

pin-images: ## write the digests of the base images into docker/; needs docker with access to the registry
	docker/pin-images.sh

check: $(VENV)/.installed-dev lint types ## lint, types, migrations, deployment settings, translations, known vulnerabilities
	$(BIN)/python -m tools.deployment makemigrations --check --dry-run
	$(BIN)/python -m tools.deployment check --deploy --fail-level WARNING
	$(BIN)/python -m pytest -p no:randomly tests/test_translations.py
	$(BIN)/python -m tools.vulnerabilities

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	@# mypy's Django plugin loads the settings, which require secrets.
	SECRET_KEY=types API_PASSWORD_PEPPER=types FIELD_ENCRYPTION_KEYS=types $(BIN)/python -m mypy

bench: $(VENV)/.installed-dev ## measure in full, write docs/benchmarks.md; needs TEST_POSTGRES_URL, wrk, redis-server
	$(BIN)/python -m benchmarks

bench-short: $(VENV)/.installed-dev ## the same in a few minutes, to var/benchmarks.md: does every part still run?
	mkdir -p var
	$(BIN)/python -m benchmarks --short --report var/benchmarks.md

# --universal: for every Python from 3.11 on. colorama is for Windows alone.
LOCK := $(BIN)/uv pip compile -q --universal --no-emit-package colorama --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
lock: $(VENV)/.installed-dev ## compile requirements*.in to exact versions with hashes
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) requirements-dev.in -o requirements-dev.txt

manual-pictures: $(VENV)/.installed-dev ## photograph the pages that the operators' manual and README show, with the data of `make demo`; needs chromium
	$(BIN)/python -m tools.manual_pictures

examples: $(VENV)/.installed-dev ## record the examples of the OpenAPI document anew, from the tests that provoke them
	RECORD_EXAMPLES=1 $(BIN)/python -m pytest -q -n 0 -p no:randomly tests/prealerts/reference

messages: $(VENV)/.installed-dev ## update the Spanish catalogue, compile it, list what is untranslated
	$(BIN)/python -m tools.catalogue

licences: $(VENV)/.installed-dev ## regenerate docs/licences.md
	$(BIN)/python -m tools.licences

clean: ## remove the virtual environment and caches, never data
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
