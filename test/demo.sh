#!/bin/bash
#
# See txstore work: build it, start a private server, load the actor state that a
# real Orleans bank wrote, and use it from SQL.
#
#   bash test/demo.sh         show it
#   bash test/demo.sh psql    show it, then open psql in that server
#
# Installs what is missing (as root, with apt-get), or says what to install.  The
# build goes to build/ (see build.sh); the server listens only on a Unix socket in
# a temporary folder and is gone at the end.  Nothing else on the machine changes.

set -euo pipefail
unset CDPATH MAKEFLAGS MAKELEVEL MFLAGS
cd "$(dirname "$0")/.."
source test/packages.sh
source test/build.sh

mode=${1:-}
if [ "$mode" != "" ] && [ "$mode" != psql ]; then
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
	exit 2
fi

need_packages demo
find_work_folder
lock demo
mkdir -p "$work/logs"
log=$work/logs/make.demo.log
echo "Building txstore for $("$PG_CONFIG" --version) in $work ..."
if ! build_variant demo "$log" with_llvm=no; then
	tail -n 40 "$log"
	echo "The build failed; all of its output is in $log"
	exit 1
fi
exec 9>&- # the lock

# Runs inside with_cluster, with psql in PATH and the server in the environment.
show()
{
	set -euo pipefail
	createdb bank
	export PGDATABASE=bank
	# From standard input, which keeps the file's name out of error messages.
	psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 <test/demo/demo.sql 2>&1
	if [ "$1" != psql ]; then
		echo "That was it; the server is stopped.  To go on from here in psql: bash test/demo.sh psql"
	# Without a terminal, what is there to be read, but no waiting.
	elif [ -t 0 ] || read -r -t 0; then
		echo "The server runs until you leave psql with \\q.  Other terminals reach it with"
		echo "    $(command -v psql) -h $PGHOST -U $PGUSER bank"
		psql --no-psqlrc --quiet
	else
		echo "There is no terminal, so psql is not opened."
	fi
}
export -f show
cd "$tree"
test/with_cluster bash -c 'show "$1"' show "$mode"
