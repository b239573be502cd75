#!/bin/bash
#
# Microseconds of store() and load() with the DynamoDB provider, beside a plain
# loop over libcurl that signs and sends the same bytes to the same server, which
# gives canned answers.
#
#   test/with_cluster test/bench/dynamodb.sh [TIMES] [ROUNDS]     default: 3000 5
#
# store(): one state of 1 KB prepared and committed, warm: one request.  load():
# the key row, the states, the key row again, as Orleans reads: three requests.
# The two take turns, so that noise meets both alike.  "backend" is the time of
# the call within the session; CPU is of the backend, and of the loop's process.

set -euo pipefail
cd "$(dirname "$0")/../.."
times=${1:-3000}
rounds=${2:-5}

folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
cc -O2 -o "$folder/server" test/bench/canned_server.c -lz
cc -O2 -Isrc -o "$folder/loop" test/bench/signed_loop.c src/aws/sigv4.c -lcurl -lcrypto

state=$(head -c 768 /dev/zero | tr '\0' x | base64 -w 0) # of 1,024 bytes
state=$(printf '%s' "$state" | base64 -w 0)
metadata=$(printf '{"$id":"1","$type":"Orleans.Transactions.Abstractions.TransactionalStateMetaData, Orleans.Transactions","CommitRecords":{"$id":"2"}}' | base64 -w 0)
partition='{"S":"account/1_default_balance"}'
printf '{"Item":{"PartitionKey":%s,"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"Metadata":{"B":"%s"},"Timestamp":{"N":"1764565200"},"ETag":{"N":"5"}}}' \
	"$partition" "$metadata" >"$folder/GetItem.json"
printf '{"Count":1,"Items":[{"PartitionKey":%s,"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"%s"},"TransactionId":{"S":"11111111-2222-3333-4444-555555555555"},"TransactionTimestamp":{"S":"2026-12-01T05:15:00.1234567Z"},"TransactionManager":{"B":"e30="},"ETag":{"N":"0"}}],"ScannedCount":1}' \
	"$partition" "$state" >"$folder/Query.json"
printf '{}' >"$folder/TransactWriteItems.json"

mkfifo "$folder/in"
"$folder/server" "$folder" <"$folder/in" >"$folder/port" &
server=$!
exec 5>"$folder/in"
until [ -s "$folder/port" ]; do sleep 0.1; done
url=http://127.0.0.1:$(sed 's/PORT //' "$folder/port")

psql -Xq -v url="$url" <<'SQL'
CREATE EXTENSION IF NOT EXISTS txstore;
CREATE SERVER bench FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint :'url', table_name 'Bench');
CREATE FUNCTION time_store(times int) RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE
	k text := 'account/1_default_balance';
	state bytea := convert_to(repeat('x', 1024), 'UTF8');
	now timestamptz;
	l record;
	e text;
BEGIN
	SELECT * INTO l FROM txstore.load(k, 'bench');
	e := l.etag;
	FOR i IN 2 .. times + 1 LOOP
		now := clock_timestamp();
		e := txstore.store(k, e, l.metadata, ARRAY[txstore.prepare(i, state)], i, storage => 'bench');
		RETURN NEXT extract(epoch FROM clock_timestamp() - now) * 1e6;
	END LOOP;
END $$;
CREATE FUNCTION time_load(times int) RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE
	now timestamptz;
	l record;
BEGIN
	FOR i IN 1 .. times LOOP
		now := clock_timestamp();
		SELECT * INTO l FROM txstore.load('account/1_default_balance', 'bench');
		RETURN NEXT extract(epoch FROM clock_timestamp() - now) * 1e6;
	END LOOP;
END $$;
SELECT count(*) FROM time_store(10) \g /dev/null
SQL

# CPU nanoseconds of the backend before and after, and the times of each call.
run_backend()
{
	psql -XAtq <<SQL
SELECT pg_backend_pid() AS pid \gset
\setenv BACKEND :pid
SELECT count(*) FROM time_$1(50) \g /dev/null
\! cut -d' ' -f1 /proc/\$BACKEND/schedstat >$folder/before
SELECT time_$1($times);
\! cut -d' ' -f1 /proc/\$BACKEND/schedstat >$folder/after
SQL
	echo $((($(cat "$folder/after") - $(cat "$folder/before")) / times / 100)) >>"$folder/backend.$1.cpu"
}

# The median of the numbers on standard input, and another quantile.
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
p99() { sort -n | awk '{ a[NR] = $1 } END { print a[int(NR * 0.99)] }'; }

run_both()
{
	local what=$1
	shift
	run_backend "$what" >"$folder/times"
	median <"$folder/times" >>"$folder/backend.$what"
	p99 <"$folder/times" >>"$folder/backend.$what.p99"
	"$folder/loop" "$url" "$times" "$@" >"$folder/times" 2>>"$folder/loop.$what.cpu"
	median <"$folder/times" >>"$folder/loop.$what"
	p99 <"$folder/times" >>"$folder/loop.$what.p99"
}

for _ in $(seq "$rounds"); do
	run_both store "$folder/TransactWriteItems"
	run_both load "$folder/GetItem" "$folder/Query" "$folder/GetItem"
done

printf 'medians of %d rounds of %d calls, microseconds\n' "$rounds" "$times"
for what in store load; do
	for who in loop backend; do
		cpu=$(median <"$folder/$who.$what.cpu")
		[ $who = loop ] || cpu=$(awk "BEGIN { print $cpu / 10 }")
		printf '%-6s %-8s median %7.1f   p99 %7.1f   CPU %7.1f\n' "$what" "$who" "$(median <"$folder/$who.$what")" \
			"$(median <"$folder/$who.$what.p99")" "$cpu"
	done
	awk "BEGIN { printf \"%-6s backend - loop %+.1f\\n\", \"$what\", $(median <"$folder/backend.$what") - $(median <"$folder/loop.$what") }"
done
