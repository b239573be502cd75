#!/bin/bash
#
# Microseconds of a request on a warm connection over loopback: through src/net in
# a backend, and by a plain loop over libcurl, which cannot be interrupted.
#
#   test/with_cluster test/bench/http.sh [TIMES]        default: 3000
#
# Needs the extension of test/modules/http installed.  The two take turns, so that
# noise meets both alike.

set -euo pipefail
cd "$(dirname "$0")/../.."
times=${1:-3000}

folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
mkfifo "$folder/in"
python3 test/servers/stall_server.py "$folder" <"$folder/in" >"$folder/ports" &
server=$!
exec 5>"$folder/in"
cc -O2 -o "$folder/loop" test/bench/http_loop.c -lcurl
until [ -s "$folder/ports" ]; do sleep 0.1; done
port=$(sed 's/.*"plain": \([0-9]*\).*/\1/' "$folder/ports")
psql -Xq -c 'CREATE EXTENSION http_test'

# Median and 99th percentile of the numbers on standard input.
summary()
{
	sort -n | awk '{ a[NR] = $1 } END { printf "median %6.1f   p99 %6.1f\n", a[int((NR + 1) / 2)], a[int(NR * 0.99)] }'
}

for turn in 1 2 3; do
	for bytes in 1000 100000; do
		url="http://127.0.0.1:$port/ok?$bytes"
		printf '%7d bytes  backend  ' "$bytes"
		psql -XAtq -c "SELECT unnest(http_loop('$url', convert_to(repeat('x', 1000), 'UTF8'), $times))" | summary
		printf '%7d bytes  loop     ' "$bytes"
		"$folder/loop" "$url" 1000 "$times" | summary
	done
done
