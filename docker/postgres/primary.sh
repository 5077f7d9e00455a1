#!/bin/bash
# Run once, after the primary's cluster is made: from its next start on, which follows, each commit waits for the standby.
set -euo pipefail
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set "password=$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
SELECT pg_create_physical_replication_slot('standby');
ALTER SYSTEM SET max_slot_wal_keep_size = '10GB';
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
