#!/bin/bash
#
# Read-modify-write of actor state in the embedded storage, side by side with
# two other ways to keep it in PostgreSQL.  Needs the extension installed.
#
# usage: test/with_cluster -c fsync=on test/bench/embedded.sh [SECONDS] [ROUNDS]
#
# The shapes that a client uses do the same: read the state of a random actor
# (1 KB), then write a new one on the condition that nobody else has.  Two
# prepared statements, two round trips, committed and flushed.  "raw update" and
# "txstore in one" need no client's decision: one statement each.  The new state
# differs from the old one at both ends, else the server would hardly log it.
#
# 8 clients, each shape SECONDS long in each of ROUNDS rounds, one after the
# other so that all meet the same machine; prints the medians, WAL bytes of a
# transaction, and what txstore's figure is of the others'.

set -euo pipefail

seconds=${1:-8}
rounds=${2:-3}
clients=8
actors=20000
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

payload=$(head -c 753 /dev/zero | tr '\0' x | base64 -w 0) # 1,004 characters
state="convert_to(:r::text || :payload || :r::text, 'UTF8')"
random='\set id random(1, :actors)
\set r random(1000000000, 2147483647)'
key="'account/' || :id || '_default_balance'"

cat >"$work/raw" <<SQL
$random
SELECT version, payload AS state FROM raw_state WHERE id = $key \gset
UPDATE raw_state SET payload = $state, version = version + 1 WHERE id = $key AND version = :version
SQL

cat >"$work/raw_update" <<SQL
$random
UPDATE raw_state SET payload = $state, version = version + 1 WHERE id = $key
SQL

cat >"$work/adonet" <<SQL
$random
\set hash :id * 2654435761 % 2147483647
SELECT payloadbinary AS state, (now() AT TIME ZONE 'utc') AS at, version FROM orleansstorage WHERE grainidhash = :hash::integer AND graintypehash = 7 AND grainidn0 = 0 AND grainidn1 = :id AND graintypestring = 'Bank.Account' AND ((NULL::varchar IS NOT NULL AND grainidextensionstring IS NOT NULL AND grainidextensionstring = NULL::varchar) OR (NULL::varchar IS NULL AND grainidextensionstring IS NULL)) AND serviceid = 'default' \gset
SELECT newgrainstateversion FROM writetostorage(:hash::integer, 0, :id, 7, 'Bank.Account', NULL, 'default', :version, $state)
SQL

cat >"$work/txstore" <<SQL
$random
SELECT etag, committed_sequence_id + 1 AS next, committed_state AS state, metadata FROM txstore.load($key) \gset
SELECT txstore.store($key, :etag, :metadata, ARRAY[txstore.prepare(:next, $state)], :next)
SQL

cat >"$work/txstore_in_one" <<SQL
$random
SELECT txstore.store($key, etag, metadata, ARRAY[txstore.prepare(committed_sequence_id + 1, $state)], committed_sequence_id + 1) FROM txstore.load($key)
SQL

shapes="raw raw_update adonet txstore txstore_in_one"

wal_bytes() {
	psql -X -A -t -d postgres -c "SELECT pg_current_wal_insert_lsn() - '0/0'"
}

# One shape in one round: transactions per second and WAL bytes of each.
measure() {
	local before
	before=$(wal_bytes)
	pgbench -n -M prepared -c $clients -j 2 -T "$seconds" \
		-D actors=$actors -D payload="$payload" -f "$work/$1" postgres >"$work/out" 2>"$work/log" ||
		{ cat "$work/log" >&2; exit 1; }
	sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$work/out" >>"$work/$1.tps"
	awk -v bytes=$(($(wal_bytes) - before)) \
		'/^number of transactions actually/ { print bytes / ($NF + 0) }' "$work/out" >>"$work/$1.wal"
}

median() {
	sort -n "$work/$1" | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

psql -X -q -o /dev/null -d postgres -v actors=$actors -v payload="${payload}01234567890123456789" -f "$here/embedded.sql"
echo "fsync $(psql -X -A -t -d postgres -c 'SHOW fsync'), $clients clients, $actors actors, 1 KB, $rounds rounds of $seconds s"
for round in $(seq "$rounds"); do
	for shape in $shapes; do
		measure $shape
		# Otherwise one shape's dirty pages are written during the next.
		psql -X -q -d postgres -c 'CHECKPOINT'
	done
done

printf '%-16s %10s %10s  %s\n' shape tps 'WAL bytes' 'each round'
for shape in $shapes; do
	printf '%-16s %10.0f %10.0f  %s\n' $shape "$(median $shape.tps)" "$(median $shape.wal)" \
		"$(awk '{ printf "%.0f ", $1 }' "$work/$shape.tps")"
done
awk -v raw="$(median raw.tps)" -v update="$(median raw_update.tps)" -v adonet="$(median adonet.tps)" \
	-v two="$(median txstore.tps)" -v one="$(median txstore_in_one.tps)" 'BEGIN {
		printf "txstore:        %.2f of raw (aim 0.6), %.2f of raw update, %.2f of ADO.NET (aim 1.5)\n", two / raw, two / update, two / adonet
		printf "txstore in one: %.2f of raw,           %.2f of raw update, %.2f of ADO.NET\n", one / raw, one / update, one / adonet
	}'
psql -X -d postgres -c "SELECT relname, n_tup_upd, n_tup_hot_upd, n_dead_tup, pg_size_pretty(pg_relation_size(relid)) AS size FROM pg_stat_user_tables ORDER BY 1"
