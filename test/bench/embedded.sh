#!/bin/bash
#
# Read-modify-write of actor state in the embedded storage, side by side with
# two other ways to keep it in PostgreSQL.  Needs the extension installed.
#
# usage: test/with_cluster -c fsync=on test/bench/embedded.sh [SECONDS] [ROUNDS]
#
# Every shape does the same: read the state of a random actor (1 KB), then
# write a new one on the condition that nobody else has.  Two prepared
# statements, two round trips, committed and flushed.  8 clients, each shape
# SECONDS long in each of ROUNDS rounds, one after the other so that all meet
# the same machine; prints the medians and what txstore's is of the others'.

set -euo pipefail

seconds=${1:-8}
rounds=${2:-3}
clients=8
actors=20000
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

payload=$(head -c 768 /dev/zero | tr '\0' x | base64 -w 0) # 1,024 characters

cat >"$work/txstore" <<'SQL'
\set id random(1, :actors)
SELECT etag, committed_sequence_id + 1 AS next, committed_state AS state, metadata FROM txstore.load('account/' || :id || '_default_balance') \gset
SELECT txstore.store('account/' || :id || '_default_balance', :etag, :metadata, ARRAY[txstore.prepare(:next, convert_to(:payload, 'UTF8'))], :next)
SQL

cat >"$work/raw" <<'SQL'
\set id random(1, :actors)
SELECT version, payload AS state FROM raw_state WHERE id = 'account/' || :id || '_default_balance' \gset
UPDATE raw_state SET payload = convert_to(:payload, 'UTF8'), version = version + 1 WHERE id = 'account/' || :id || '_default_balance' AND version = :version
SQL

cat >"$work/adonet" <<'SQL'
\set id random(1, :actors)
\set hash :id * 2654435761 % 2147483647
SELECT payloadbinary AS state, (now() AT TIME ZONE 'utc') AS at, version FROM orleansstorage WHERE grainidhash = :hash::integer AND graintypehash = 7 AND grainidn0 = 0 AND grainidn1 = :id AND graintypestring = 'Bank.Account' AND ((NULL::varchar IS NOT NULL AND grainidextensionstring IS NOT NULL AND grainidextensionstring = NULL::varchar) OR (NULL::varchar IS NULL AND grainidextensionstring IS NULL)) AND serviceid = 'default' \gset
SELECT newgrainstateversion FROM writetostorage(:hash::integer, 0, :id, 7, 'Bank.Account', NULL, 'default', :version, convert_to(:payload, 'UTF8'))
SQL

# Transactions per second of one shape in one round.
measure() {
	pgbench -n -M prepared -c $clients -j 2 -T "$seconds" \
		-D actors=$actors -D payload="$payload" -f "$work/$1" postgres 2>"$work/log" |
		sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

psql -X -q -o /dev/null -d postgres -v actors=$actors -v payload="$payload" -f "$here/embedded.sql"
echo "fsync $(psql -X -A -t -d postgres -c 'SHOW fsync'), $clients clients, $actors actors, 1 KB, $rounds rounds of $seconds s"
for round in $(seq "$rounds"); do
	for shape in raw adonet txstore; do
		measure $shape >>"$work/$shape.tps"
		# Otherwise one shape's dirty pages are written during the next.
		psql -X -q -d postgres -c 'CHECKPOINT'
	done
done

printf '%-28s %10s  %s\n' shape 'tps' 'each round'
for shape in raw adonet txstore; do
	printf '%-28s %10.0f  %s\n' $shape "$(median "$work/$shape.tps")" "$(paste -sd ' ' "$work/$shape.tps")"
done
awk -v t="$(median "$work/txstore.tps")" -v a="$(median "$work/raw.tps")" -v b="$(median "$work/adonet.tps")" \
	'BEGIN { printf "txstore is %.2f of the raw row (aim 0.6), %.2f of ADO.NET (aim 1.5)\n", t / a, t / b }'
