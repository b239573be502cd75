#!/bin/bash
#
# What scans of foreign tables over DynamoDB cost, beside a plain loop over libcurl
# that signs and sends the same bytes.  The server (page_server.c) gives pages as
# fast as they are taken.
#
#   [SDKS="go node boto3"] test/with_cluster test/bench/scan.sh [ROUNDS]     default: 5
#
# A: all of 100,100 state rows in 143 pages.  B: rows by their keys.  E: the same
# with answers that take 50 ms.  Microseconds a row or a call: "wall" of the
# statement, "CPU" of the backend.  Medians of the rounds.  With SDKS, the same
# scans by AWS's own libraries, which are installed by go, npm and pip.

set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-5}
pages=143 rows=700
total=$((pages * rows))

folder=$(mktemp -d)
servers=()
trap 'for s in "${servers[@]}"; do kill "$s" 2>/dev/null; done; rm -rf "$folder"' EXIT
cc -O2 -o "$folder/server" test/bench/page_server.c -lz
cc -O2 -Isrc -o "$folder/loop" test/bench/signed_loop.c src/aws/sigv4.c -lcurl -lcrypto

# Start a server with states of so many bytes, and answers after so many ms.
start_server()
{
	local name=$1 blob=$2 delay=$3 pages=${4:-$pages} rows=${5:-$rows}
	mkfifo "$folder/$name.in"
	"$folder/server" $pages $rows "$blob" "$delay" <"$folder/$name.in" >"$folder/$name.port" &
	servers+=($!)
	eval "exec {keep_$name}>\"$folder/$name.in\""
	until [ -s "$folder/$name.port" ]; do sleep 0.1; done
	local url
	url=http://127.0.0.1:$(sed 's/PORT //' "$folder/$name.port")
	eval "url_$name=$url"
	PGOPTIONS='-c client_min_messages=warning' psql -Xq -v name="$name" -v url="$url" <<'SQL'
CREATE EXTENSION IF NOT EXISTS txstore;
CREATE SCHEMA :name;
CREATE SERVER :name FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint :'url', table_name 'Pages');
SET search_path = :name;
CREATE FOREIGN TABLE states1 (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text, state bytea)
	SERVER :name OPTIONS (kind 'states', scan_segments '1');
CREATE FOREIGN TABLE states4 (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text, state bytea)
	SERVER :name OPTIONS (kind 'states', scan_segments '4');
CREATE FOREIGN TABLE states8 (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text, state bytea)
	SERVER :name OPTIONS (kind 'states', scan_segments '8');
SQL
}
start_server kb 1024 0
start_server large 16384 0
start_server slow 1024 50
# The library for Go gives up on answers that are as large as those.
start_server shared 1024 0 334 300

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

# The wall and CPU microseconds of a statement in a warm session, to files.
run_statement()
{
	local name=$1 schema=$2 statement=$3
	psql -XAtq <<SQL >/dev/null
SET search_path = $schema;
SET jit = off;
SELECT pg_backend_pid() AS pid \gset
\setenv BACKEND :pid
SELECT etag FROM states1 WHERE partition_key = 'account/1_default_balance' AND sequence_id = 1;
\! (cut -d' ' -f1 /proc/\$BACKEND/schedstat; date +%s%N) >$folder/before
$statement;
\! (cut -d' ' -f1 /proc/\$BACKEND/schedstat; date +%s%N) >$folder/after
SQL
	paste "$folder/before" "$folder/after" | awk -v cpu="$folder/$name.cpu" -v wall="$folder/$name.wall" \
		'{ print ($2 - $1) / 1000 >> (NR == 1 ? cpu : wall) }'
}

statements=(
	"A1 1 KB, 1 segment|kb|SELECT count(state), sum(length(state)) FROM states1|$total"
	"A1 1 KB, 4 segments|kb|SELECT count(state), sum(length(state)) FROM states4|$total"
	"A1 1 KB, 8 segments|kb|SELECT count(state), sum(length(state)) FROM states8|$total"
	"A1 16 KB, 4 segments|large|SELECT count(state), sum(length(state)) FROM states4|$total"
	"A2 keys, 1 segment|kb|SELECT count(partition_key), count(row_key), count(etag) FROM states1|$total"
	"A2 keys, 4 segments|kb|SELECT count(partition_key), count(row_key), count(etag) FROM states4|$total"
	"A3 count(*)|kb|SELECT count(*) FROM states4|1"
	"A3 max(row_key)|kb|SELECT max(row_key) FROM states4|$total"
	"A3 LIMIT 10|kb|SELECT count(*) FROM (SELECT FROM states4 LIMIT 10) AS l|1"
	"B3 = ANY of 100|kb|SELECT count(*) FROM states1 WHERE partition_key = ANY (ARRAY(SELECT concat('account/', i) FROM generate_series(1, 100) AS i)) AND sequence_id = 1|1"
	"B3 join of 1,000|kb|SELECT count(*) FROM generate_series(1, 1000) AS i LEFT JOIN states1 ON partition_key = format('account/%s', i) AND sequence_id = 1|1"
	"A1 in smaller pages|shared|SELECT count(state), sum(length(state)) FROM states1|100200"
	"A2 in smaller pages|shared|SELECT count(partition_key), count(row_key), count(etag) FROM states1|100200"
	"E 50 ms, 1 segment|slow|SELECT count(state), sum(length(state)) FROM states1|$total"
	"E 50 ms, 8 segments|slow|SELECT count(state), sum(length(state)) FROM states8|$total")

# B2: a row by its key, many times in one session; the loop sends the same.
run_lookups()
{
	psql -XAtq <<SQL >"$folder/times"
SET search_path = kb;
SET plan_cache_mode = $1;
CREATE FUNCTION pg_temp.lookups(times int) RETURNS SETOF float8 LANGUAGE plpgsql AS \$\$
DECLARE
	now timestamptz;
	e text;
BEGIN
	FOR i IN 1 .. times LOOP
		now := clock_timestamp();
		SELECT etag INTO e FROM states1 WHERE partition_key = 'account/' || i AND sequence_id = 1;
		RETURN NEXT extract(epoch FROM clock_timestamp() - now) * 1e6;
	END LOOP;
END \$\$;
SELECT count(*) FROM pg_temp.lookups(50) \g /dev/null
SELECT pg_temp.lookups(4000);
SQL
	median <"$folder/times" >>"$folder/lookups.$1"
}
printf '{"ConsistentRead":true,"ExpressionAttributeNames":{"#p":"PartitionKey","#r":"RowKey","#e":"ETag"},"Key":{"PartitionKey":{"S":"account/1"},"RowKey":{"S":"state_0000000000000001"}},"ProjectionExpression":"#p,#r,#e","ReturnConsumedCapacity":"TOTAL","TableName":"Pages"}' >"$folder/GetItem"

# A scan by one of AWS's libraries.
install_sdk()
{
	cp test/bench/sdks/* "$folder/"
	case $1 in
		go) (cd "$folder" && go mod init scan && go mod tidy && go build -o scan_go scan.go) >"$folder/install.log" 2>&1 ;;
		node) (cd "$folder" && npm install @aws-sdk/client-dynamodb) >"$folder/install.log" 2>&1 ;;
		boto3) (python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install boto3) >"$folder/install.log" 2>&1 ;;
	esac || { tail -n 5 "$folder/install.log" >&2; return 1; }
}

run_sdk()
{
	case $1 in
		go) "$folder/scan_go" "$url_shared" "$2" ;;
		node) (cd "$folder" && node scan.mjs "$url_shared" "$2") ;;
		boto3) "$folder/venv/bin/python3" "$folder/scan.py" "$url_shared" "$2" ;;
	esac >>"$folder/$1.$2"
}

for sdk in ${SDKS:-}; do
	install_sdk "$sdk"
done

for _ in $(seq "$rounds"); do
	for sdk in ${SDKS:-}; do
		run_sdk "$sdk" states
		run_sdk "$sdk" keys
	done
	for i in "${!statements[@]}"; do
		IFS='|' read -r _ schema statement _ <<<"${statements[i]}"
		run_statement "$i" "$schema" "$statement"
	done
	run_lookups force_custom_plan
	run_lookups force_generic_plan
	"$folder/loop" "$url_kb" 4000 "$folder/GetItem" >"$folder/times" 2>/dev/null
	median <"$folder/times" >>"$folder/lookups.loop"
done

printf 'medians of %d rounds, %d rows in %d pages\n' "$rounds" "$total" "$pages"
for i in "${!statements[@]}"; do
	IFS='|' read -r name _ _ count <<<"${statements[i]}"
	awk -v name="$name" -v count="$count" -v wall="$(median <"$folder/$i.wall")" -v cpu="$(median <"$folder/$i.cpu")" 'BEGIN {
		if (count > 1) printf "%-22s wall %7.2f us a row, CPU %6.2f; %8.1f ms in all\n", name, wall / count, cpu / count, wall / 1000
		else printf "%-22s wall %8.1f us, CPU %8.1f\n", name, wall, cpu }'
done
awk -v wall="$(median <"$folder/14.wall")" -v pages=$pages 'BEGIN { ideal = pages * 50 / 8; printf "E 8 segments           %.2f of the ideal %.0f ms\n", wall / 1000 / ideal, ideal }'
for plan in force_custom_plan force_generic_plan; do
	awk -v plan=$plan -v ours="$(median <"$folder/lookups.$plan")" -v loop="$(median <"$folder/lookups.loop")" \
		'BEGIN { printf "B2 %-19s p50 %6.1f us, loop %6.1f: %.2f\n", plan, ours, loop, ours / loop }'
done
for sdk in ${SDKS:-}; do
	for what in states keys; do
		awk -v wall="$(cut -d' ' -f3 "$folder/$sdk.$what" | median)" -v cpu="$(cut -d' ' -f4 "$folder/$sdk.$what" | median)" -v what=$what \
			'END { printf "%-22s wall %7.2f us a row, CPU %6.2f (%s rows, %s bytes)\n", $5 " " $6 ", " what, wall, cpu, $1, $2 }' "$folder/$sdk.$what"
	done
done
