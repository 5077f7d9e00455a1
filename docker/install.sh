#!/bin/sh
# Installs Pre-Alerts on this machine, behind HTTPS: asks three questions, writes docker/.env and its secrets, starts the
# containers, waits until they are ready, and prints the address and the first operator's password.
#   docker/install.sh [--dry-run]
# Run again, it changes nothing that it made before. It needs openssl and Docker's compose (or COMPOSE="podman compose").
set -eu
cd "$(dirname "$0")"

COMPOSE=${COMPOSE:-docker compose}
READY_SECONDS=${READY_SECONDS:-600}
MIB_NEEDED=4096

fail() { printf 'install.sh: %s\n' "$1" >&2; exit "${2:-1}"; }

is_dry=
case "${1:-}" in
  "") ;;
  --dry-run) is_dry=yes ;;
  *) fail "usage: docker/install.sh [--dry-run]" 64 ;;
esac
[ $# -le 1 ] || fail "usage: docker/install.sh [--dry-run]" 64

matches() { printf '%s\n' "$1" | LC_ALL=C grep -Eq "$2"; }
setting() { sed -n "s/^$1=//p" .env 2>/dev/null | head -n 1; }

# ask QUESTION PATTERN COMPLAINT: prints the answer
ask() {
  printf '%s ' "$1" >&2
  IFS= read -r answer || fail "no answer to: $1" 65
  matches "$answer" "$2" || fail "$3" 65
  printf '%s' "$answer"
}

LABEL='[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
if [ -f .env ] && [ -n "$(setting PREALERTS_HOST)" ]; then
  host=$(setting PREALERTS_HOST) mail=$(setting ACME_EMAIL) operator=$(setting FIRST_OPERATOR)
  printf 'Continuing with docker/.env: %s\n' "$host" >&2
elif [ -f .env ]; then
  fail "docker/.env exists, but this script did not write it. Move it away, or continue by hand: docs/operations.md."
else
  host=$(ask "Host name (such as prealerts.example.com):" "^(${LABEL}\.)+[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?$|^localhost$" \
    "this is not a host name: use a name with a dot, without https:// and without a port.")
  mail=$(ask "Mail address (for the certificate and the first operator):" '^[^@[:space:]"$\\]+@[^@[:space:]"$\\]+\.[^@[:space:]"$\\]+$' \
    "this is not an e-mail address.")
  operator=$(ask "First operator's user name:" '^[a-zA-Z0-9_.+-]{1,150}$' \
    "a user name has letters, digits and the characters _ . + - only.")
fi
[ "${#host}" -le 253 ] || fail "this host name is too long." 65

# rand LENGTH ENCODING: prints a secret, or ends the script
rand() {
  made=$(openssl rand "-$2" "$1") && [ -n "$made" ] || fail "openssl makes no random numbers."
  printf '%s' "$made" | tr -d '\n'
}
environment() {  # environment DATABASE_PASSWORD
  secret_key=$(rand 48 base64)
  pepper=$(rand 48 base64)
  field_key=$(rand 32 base64)
  cat <<END
# Written by docker/install.sh. Keep it private, and a copy of it away from this machine: without these keys no backup can be read.
PREALERTS_HOST=$host
ACME_EMAIL=$mail
FIRST_OPERATOR=$operator
SECRET_KEY=$secret_key
API_PASSWORD_PEPPER=$pepper
FIELD_ENCRYPTION_KEYS=$(printf '%s' "$field_key" | tr '+/' '-_')
DATABASE_URL=postgres://prealerts:$1@postgres:5432/prealerts
ALLOWED_HOSTS=$host
CSRF_TRUSTED_ORIGINS=https://$host
LOG_FORMAT=json
# Commands that name compose.yaml alone do not ask what Caddy is.
COMPOSE_IGNORE_ORPHANS=true
END
}

image=${PREALERTS_IMAGE:-$(setting PREALERTS_IMAGE)}
if [ -n "$image" ]; then build="--pull missing"; else build="--build"; fi
up="up --detach --wait $build"

files="-f compose.yaml -f compose.tls.yaml"
[ ! -f compose.override.yaml ] || files="$files -f compose.override.yaml"  # the machine's own

# shellcheck disable=SC2086  # several words
compose() { $COMPOSE $files "$@"; }

if [ -n "$is_dry" ]; then
  printf 'Host: https://%s\n\ndocker/.env (mode 600):\n' "$host"
  if [ -f .env ]; then echo "kept as it is"; else environment '...' | sed -E 's/^(SECRET_KEY|API_PASSWORD_PEPPER|FIELD_ENCRYPTION_KEYS)=.*/\1=(generated)/'; fi
  printf '\n%s -f docker/compose.yaml -f docker/compose.tls.yaml %s\n' "$COMPOSE" "$up"
  exit 0
fi

command -v openssl >/dev/null || fail "openssl is not installed."
$COMPOSE version >/dev/null 2>&1 || fail "'$COMPOSE' does not run: install Docker with its compose plugin, or set COMPOSE."
free=$(df -Pm . | awk 'NR == 2 {print $4}')
[ "$free" -ge "$MIB_NEEDED" ] || fail "only $free MiB are free here; the images and the database need $MIB_NEEDED."

umask 077
# Each file is complete under its name, or not there: a run that was interrupted leaves nothing half written.
if [ ! -s postgres_password.txt ]; then
  # On another machine .env may be all that is left.
  password=$(setting DATABASE_URL | sed -n 's|^postgres://prealerts:\([^@]*\)@postgres:.*|\1|p')
  [ -n "$password" ] || password=$(rand 24 hex)
  printf '%s' "$password" > .postgres_password.new
  mv .postgres_password.new postgres_password.txt
fi
chmod 644 postgres_password.txt  # read by PostgreSQL's own user in its container; the directory is yours
if [ ! -f .env ]; then
  environment "$(cat postgres_password.txt)" > .env.new
  [ -z "$image" ] || printf 'PREALERTS_IMAGE=%s\n' "$image" >> .env.new
  mv .env.new .env
fi
# Between Caddy and nginx, which trust nobody else's.
if [ ! -s tls/fullchain.pem ]; then
  mkdir -p tls
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=proxy \
    -addext subjectAltName=DNS:proxy -keyout tls/privkey.pem -out tls/fullchain.pem.new 2>/dev/null || fail "openssl makes no certificate."
  mv tls/fullchain.pem.new tls/fullchain.pem
fi
chmod 755 tls; chmod 644 tls/fullchain.pem tls/privkey.pem  # nginx runs as user 101

# shellcheck disable=SC2086  # several words
compose $up || fail "the containers did not start; '$COMPOSE -f docker/compose.yaml -f docker/compose.tls.yaml logs' says why. Run this again afterwards."

printf 'Waiting until the service is ready' >&2
waited=0
until compose exec -T web python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/ready', timeout=5)" >/dev/null 2>&1; do
  [ "$waited" -lt "$READY_SECONDS" ] || fail "the service is not ready after $READY_SECONDS s; look at its logs, and run this again."
  printf . >&2; sleep 2; waited=$((waited + 2))
done
echo >&2

compose run --rm -T upkeep first_run --address "https://$host" --operator "$operator" --email "$mail" --without-company
