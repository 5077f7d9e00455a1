#!/bin/bash
# Copies the primary the first time, follows it from then on.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    install -d -o postgres -g postgres -m 0700 "$PGDATA"
    PGPASSWORD=$(cat /run/secrets/postgres_password)
    export PGPASSWORD
    gosu postgres pg_basebackup --pgdata "$PGDATA" --wal-method stream --checkpoint fast --slot standby \
        --write-recovery-conf --dbname "host=postgres user=replicator application_name=standby"
    unset PGPASSWORD
    # Once promoted, it has no standby to wait for.
    echo "synchronous_standby_names = ''" >> "$PGDATA/postgresql.auto.conf"
fi
exec docker-entrypoint.sh "$@"
