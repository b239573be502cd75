#!/bin/bash
#
# Build everything and run every test.
#
#   bash test/check.sh            every part but the slow ones
#   bash test/check.sh all        the slow ones, too
#   bash test/check.sh NAME...    these parts only
#
# Parts, in this order (a function part_NAME each, with what it does):
#   style build unit model servers regress providers isolation tap replay differential docs demo sanitizers fuzz
# Slow parts:
#   long_fuzz valgrind
#
# Environment:
#   PG_CONFIG      the PostgreSQL to build for and test with
#   PART_SECONDS   the most time for a part; then it is ended and has failed
#                  (default: 1200)
#   FUZZ_SECONDS   time for long_fuzz (default: 1800)
#   EMULATORS      "no" leaves out the emulators of DynamoDB, which are installed
#                  into ~/.cache/txstore (pip, cargo) at the first run
#
# The checkout is copied to build/ and built there (see build.sh); logs are in
# build/logs.  Ends with the line "N passed, N failed"; exits 1 if anything
# failed.  A part that dies, or that runs no test, counts as a failure.

set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."
# Messages are looked for below, and names sorted, as on every other machine.
export LC_ALL=C.UTF-8
unset LANGUAGE CDPATH MAKEFLAGS MAKELEVEL MFLAGS GREP_OPTIONS
source test/packages.sh
source test/build.sh

normal_parts="style build unit model servers regress providers isolation tap replay differential docs demo sanitizers fuzz"
slow_parts="long_fuzz valgrind"

warnings="-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
-Wstrict-prototypes -Wold-style-definition -Wwrite-strings"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1 -U_FORTIFY_SOURCE"

main()
{
	local parts group=check part
	if [ "${1:-}" = --part ]; then
		find_work_folder
		logs=$work/logs
		part_"$2"
		return
	fi
	case "$*" in
		"") parts=$normal_parts ;;
		all) parts="$normal_parts $slow_parts" ;;
		*) parts=$* ;;
	esac
	for part in $parts; do
		case " $normal_parts $slow_parts " in
			*" $part "*) ;;
			*) echo "$0: no part $part; there are: $normal_parts $slow_parts all" >&2; exit 2 ;;
		esac
	done
	case " $parts " in *" valgrind "*) group=all ;; esac

	# Counts as a failure until the end is reached.
	passed=0 failed=1 skipped=0 running=
	exec 3>&1
	trap 'end_part; summary >&3' EXIT
	need_packages $group
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	find_work_folder
	lock check
	logs=$work/logs
	mkdir -p "$logs"
	rm -f "$logs"/failed.*
	for part in $parts; do
		run_part "$part"
	done
	failed=$((failed - 1))
	[ "$failed" = 0 ]
}

summary()
{
	echo
	if [ "$skipped" = 0 ]; then
		echo "$passed passed, $failed failed"
	else
		echo "$passed passed, $failed failed, $skipped skipped"
	fi
}

# ---------------------------------------------------------------- running parts

run_part()
{
	local part=$1 log=$logs/$1.log start=$EPOCHREALTIME status counts good bad left_out
	printf '%-12s' "$part"
	bounded "$part" >"$log" 2>&1 && status=0 || status=$?
	counts=$(count_results "$log")
	read -r good bad left_out <<<"$counts"
	if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		bad=1
	elif [ "$status" = 0 ] && [ $((good + bad + left_out)) = 0 ]; then
		echo "no tests were run" >>"$log"
		bad=1
		status=1
	fi
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left_out))
	printf '%5d passed %4d failed %8s s%s\n' "$good" "$bad" "$(seconds_since "$start")" \
		"$([ "$left_out" = 0 ] || echo "   ($left_out skipped)")"
	[ "$bad" = 0 ] || show_failures "$log"
}

# Run a part in a process of its own and end it with all that it has started when
# it takes too long.  With job control, a part that waits can be interrupted.
bounded()
{
	local part=$1 limit=${PART_SECONDS:-1200} status=0
	case $part in
		long_fuzz) limit=$((${FUZZ_SECONDS:-1800} + 600)) ;;
		valgrind) limit=$((limit * 6)) ;;
	esac
	set -m
	timeout --kill-after=60 "$limit" bash test/check.sh --part "$part" 3>&- 9>&- &
	running=$!
	set +m
	wait "$running" || status=$?
	running=
	case $status in
		124 | 137)
			echo "not ok - $part ends within $limit s, and is not killed; last it said:"
			tail -n 10 "$logs/$part.log" | sed 's/^/# /'
			;;
	esac
	return $status
}

# When this script is interrupted.
end_part()
{
	[ "$running" ] || return 0
	kill -TERM "$running" 2>/dev/null || true
	wait "$running" || true
}

# Tenths of a second since a value of EPOCHREALTIME.
seconds_since()
{
	local now=${EPOCHREALTIME/[.,]/} then=${1/[.,]/}
	local tenths=$(((now - then) / 100000))
	echo "$((tenths / 10)).$((tenths % 10))"
}

# "passed failed skipped" of a log with TAP (also prove -v's) or pg_regress's
# older form.  A file that prove calls dubious though no test of it failed has
# died: that is one more failure.
count_results()
{
	awk '
		/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
		/^not ok .*# *[Tt][Oo][Dd][Oo]/ { next }
		/^ok( |$)/ { passed++; next }
		/^not ok( |$)/ { failed++; next }
		/^(test|    ) .* \.\.\. ok  *[0-9]+ ms/ { passed++; next }
		/^(test|    ) .* \.\.\. FAILED/ { failed++; next }
		/^Dubious, test returned/ { dubious = 1; next }
		dubious && /^(No subtests run|All [0-9]+ subtests passed)/ { failed++ }
		{ dubious = 0 }
		END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# The failures of a log with what explains them: the lines after them, and the
# differences that pg_regress found; or else the end of the log.
show_failures()
{
	awk '
		/^(not )?ok .*# *TODO/ { shown = 0; next }
		/^not ok|\.\.\. FAILED|^Dubious|^Bail out/ { shown = 20; n++ }
		/^ok |\.\.\. ok / { shown = 0 }
		/^diff / { shown = 60 }
		shown-- > 0 && lines++ < 120 { print }
		{ last[NR % 30] = $0 }
		END { if (!n) for (i = NR - 29; i <= NR; i++) if (i > 0) print last[i % 30] }' "$1" |
		sed 's/^/    | /'
	echo "    (all of it: $1)"
}

# A program that is one or more tests: what it prints, if that is TAP, else its
# exit status is the result.
run_test()
{
	local name=$1 output status=0
	shift
	output=$(mktemp)
	"$@" >"$output" 2>&1 || status=$?
	if grep -qE '^(not )?ok( |$)' "$output"; then
		cat "$output"
		if [ "$status" != 0 ] && ! grep -q '^not ok' "$output"; then
			echo "not ok - $name: exit status $status"
		fi
	else
		sed 's/^/# /' "$output"
		if [ "$status" = 0 ]; then
			echo "ok - $name"
		else
			echo "not ok - $name: exit status $status"
			sed 's/^/# /' "$output" | tail -n 20
		fi
	fi
	rm -f "$output"
}

# End the part if no file matches.
need_files()
{
	if ! compgen -G "$1" >/dev/null; then
		echo "there is no $1"
		exit 0
	fi
}

# result NAME COMMAND...: one test, the command's exit status.
result()
{
	local name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
	fi
}

# ------------------------------------------------------------------- the builds

# Plain, as a user gets it, but with warnings as errors.
build_plain()
{
	[ ! -e "$logs/failed.plain" ] || build_failed plain
	build_variant plain "$logs/make.plain.log" PG_CFLAGS="$warnings" || build_failed plain
}

build_sanitized()
{
	[ ! -e "$logs/failed.sanitized" ] || build_failed sanitized
	build_variant sanitized "$logs/make.sanitized.log" with_llvm=no PG_CFLAGS="$sanitize" || build_failed sanitized
}

build_failed()
{
	if [ -e "$logs/failed.$1" ]; then
		echo "not ok - the $1 build failed, as said above"
	else
		echo "not ok - the $1 build"
		grep -E '(error|warning): |: undefined|\*\*\* ' -B 1 -A 3 "$logs/make.$1.log" | grep -v '^gcc ' | head -n 40
		touch "$logs/failed.$1"
	fi
	exit 1
}

# Extensions that only tests use, never part of an installation.
build_modules()
{
	local module log=$logs/make.modules.log
	for module in "$tree"/test/modules/*/; do
		make -C "$module" PG_CONFIG="$PG_CONFIG" PG_CFLAGS="$warnings" all install >"$log" 2>&1 || {
			echo "not ok - $module builds"
			grep -E '(error|warning): |\*\*\* ' -A 3 "$log" | head -n 40
			exit 1
		}
	done
}

# run_installcheck [VARIABLE=value]...: pg_regress and the like, in $tree.
run_installcheck()
{
	local status=0
	rm -rf "$tree/results" "$tree/output_iso" "$tree"/regression.*
	SERVER_LOG=$server_log "$tree/test/with_cluster" -c max_prepared_transactions=10 \
		make -C "$tree" PG_CONFIG="$PG_CONFIG" installcheck "$@" || status=$?
	local diffs
	for diffs in "$tree/regression.diffs" "$tree/output_iso/regression.diffs"; do
		[ ! -s "$diffs" ] || head -n 300 "$diffs"
	done
	if grep -E 'PANIC:|TRAP:|was terminated by signal' "$server_log"; then
		echo "not ok - the server crashed, see $server_log"
		status=1
	fi
	return $status
}

# Faults of a DynamoDB server, of which much is waiting.
fault_tests="test/t/200_dynamodb_faults.pl test/t/205_dynamodb_tls.pl test/t/255_dynamodb_rewrites.pl \
test/t/250_dynamodb_answers.pl"
scan_tests="test/t/300_scan_pages.pl test/t/350_scan_writers.pl"

# run_prove LOG_FOLDER FLAGS TEST...: files of test/t, in $tree.  What they and their
# servers said is left in the folder.  SERVER_ENV and SERVER_PROGRAM are for the
# servers that they start.
run_prove()
{
	rm -rf "$1"
	SERVER_ENV= SERVER_PROGRAM= "$tree/test/with_cluster" \
		env SERVER_ENV="${SERVER_ENV:-}" SERVER_PROGRAM="${SERVER_PROGRAM:-}" bash -c '
		make -C "$0" PG_CONFIG="$PG_CONFIG" installcheck REGRESS= ISOLATION= PROVE="$PROVE" PROVE_FLAGS="-v $2" \
			PROVE_TESTS="${*:3}" || status=$?
		cp -R "$PGHOST"/tap/log "$1" 2>/dev/null || cp -R "$PGHOST"/tmp_check/log "$1"
		exit ${status:-0}' "$tree" "$@"
}

# The tests of faults, all at once; $server_log is what their servers said.
run_faults()
{
	local status=0 folder=${server_log%.log}
	run_prove "$folder" "-j 4" "$@" || status=$?
	cat "$folder"/[0-9]*_*.log >"$server_log"
	return $status
}

# -------------------------------------------------------------------- the parts

# What can be checked without building.
part_style()
{
	list_sources | tr '\0' '\n' >"$logs/sources"
	result "every test of sql/ has an expected output" have_outputs sql expected sql
	result "every isolation spec has an expected output" have_outputs test/specs test/expected spec
	result "PG_VERSION_NUM only in compat.h" found_nothing PG_VERSION_NUM '^src/.*\.[ch]$' '^src/compat\.h$'
	result "no white space at line ends in sources" found_nothing '[[:blank:]]$' '^src/|^sql/|^test/[^/]*$' '^$'
	result "shell scripts parse" each_source '\.sh$|^test/with_cluster$|^test/servers/with_server$|^\.ci/run$' bash -n
	result "Python scripts parse" each_source '\.py$' \
		python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])'
}

have_outputs()
{
	local file name status=0
	for file in "$1"/*."$3"; do
		name=${file##*/}
		if [ -e "$file" ] && [ ! -e "$2/${name%.*}.out" ]; then
			echo "# $file has no $2/${name%.*}.out"
			status=1
		fi
	done
	return $status
}

# found_nothing PATTERN FILES EXCEPT: no source of that name has the pattern.
found_nothing()
{
	! grep -E "$2" "$logs/sources" | grep -vE "$3" | xargs -r grep -nE "$1" /dev/null
}

each_source()
{
	local file status=0
	while read -r file; do
		[ ! -e "$file" ] || "${@:2}" "$file" || status=1
	done < <(grep -E "$1" "$logs/sources")
	return $status
}

# Compiles without a warning, bitcode included, and installs.
part_build()
{
	build_plain
	echo "ok - builds without warnings and installs"
}

# The code that needs no server, under ASan and UBSan.
part_unit()
{
	build_plain
	run_unit_make unit SANITIZE=1 -k check
}

# The planner against a model of it in Python.
part_model()
{
	build_plain
	run_test model_test python3 "$tree/test/model/model_test.py"
	run_test compare_models python3 "$tree/test/model/compare_models.py"
	run_unit_make model plan_driver
	run_test compare_plans python3 "$tree/test/model/compare_plans.py" "$work/plain/model/plan_driver"
}

# The servers that tests talk to, against recordings and by raw sockets.
part_servers()
{
	need_files 'test/servers/*_test.py'
	local script
	for script in test/servers/*_test.py; do
		run_test "$script" python3 "$script"
	done
}

# sql/ and expected/.
part_regress()
{
	need_files 'sql/*.sql'
	build_plain
	server_log=$logs/regress.server.log
	run_installcheck ISOLATION= TAP_TESTS=
}

# The SQL tests that are about no provider, on a DynamoDB server.
provider_tests="abort commit connections contradictions delete_partition export handles import import_errors import_limits load partition_key \
pending plan plan_metadata prepare read_only rights store_arguments store_batches store_conflict \
store_etag_argument store_etags store_limits store_metadata \
fdw_analyze fdw_arrays fdw_attribute_names fdw_attributes fdw_changes fdw_children fdw_collations fdw_columns \
fdw_count fdw_cursors fdw_import fdw_joins fdw_limit fdw_long_transaction fdw_lookup fdw_options fdw_partitions \
fdw_pieces fdw_prepared fdw_quals fdw_ranges fdw_read_only fdw_requests fdw_rights fdw_shapes fdw_types fdw_views"

# What an emulator has not, or has otherwise (see test/servers/README.md).
left_out_moto="connections fdw_analyze fdw_attribute_names fdw_long_transaction fdw_lookup fdw_pieces fdw_requests import_limits store_batches store_etags store_limits store_metadata"
left_out_dynoxide=""

part_providers()
{
	build_plain
	cd "$tree"
	rm -rf results
	# It checks every signature, of the keys that need no mapping and of a session's.
	run_test fault_server test/servers/with_server --verify -- \
		bash -c 'test/with_cluster test/on_dynamodb "fault server" "$FAULT_SERVER" "$@"' - $provider_tests
	MAPPING="access_key_id 'ASIAEXAMPLE', secret_access_key 'c2Vzc2lvbi1leGFtcGxlLXNlY3JldA', \
		session_token 'session+token/example=='" \
		run_test session_token test/servers/with_server --verify -- \
		bash -c 'test/with_cluster test/on_dynamodb "session token" "$FAULT_SERVER" "$@"' - $provider_tests
	run_emulator dynoxide "$left_out_dynoxide"
	run_emulator moto "$left_out_moto"
}

# The tests of part providers on an emulator, but for some.
run_emulator()
{
	local name=$1 status=0 test tests=()
	if [ "${EMULATORS:-yes}" = no ]; then
		echo "ok - $name # SKIP EMULATORS=no"
		return
	fi
	test/servers/with_emulator --install "$name" || status=$?
	case $status in
		0) ;;
		3)
			echo "ok - $name # SKIP no Rust that is new enough"
			return ;;
		*)
			echo "not ok - $name could be installed"
			return ;;
	esac
	for test in $provider_tests; do
		case " $2 " in
			*" $test "*) echo "ok - $name: $test # SKIP the emulator cannot" ;;
			*) tests+=("$test") ;;
		esac
	done
	export EMULATOR_LOG=$logs/$name.log
	run_test "$name" test/servers/with_emulator "$name" -- \
		bash -c 'name=$0; test/with_cluster test/on_dynamodb "$name" "$EMULATOR_URL" "$@"' "$name" "${tests[@]}"
}

# test/specs and test/expected: several sessions at once.
part_isolation()
{
	need_files 'test/specs/*.spec'
	build_plain
	server_log=$logs/isolation.server.log
	run_installcheck REGRESS= TAP_TESTS=
}

# test/t: restarts, kills and whatever else SQL cannot do.
part_tap()
{
	need_files 'test/t/*.pl'
	if [[ $("$PG_CONFIG" --configure) != *--enable-tap-tests* ]]; then
		echo "ok - tap # SKIP this PostgreSQL was built without --enable-tap-tests"
		return
	fi
	build_plain
	build_modules
	local file others= status=0
	for file in test/t/*.pl; do
		[[ " $fault_tests " = *" $file "* ]] || others+=" $file"
	done
	run_prove "$logs/tap" "" $others || status=$?
	server_log=$logs/tap.faults.log
	run_faults $fault_tests || status=$?
	[ "$status" = 0 ] || show_deaths "$logs/tap" "$logs/tap.faults"
	return $status
}

# What tests that died said at their end.
show_deaths()
{
	local folder
	for folder in "$@"; do
		grep -h -A 9 -E "^(error running SQL|# Looks like|.* at .* line [0-9]+\.$)" "$folder"/regress_log_* | head -n 60
		echo "(what the tests and their servers said: $folder)"
	done
}

# Recordings of a real Orleans, replayed through SQL.
part_replay()
{
	need_files 'test/replay/*.py'
	local script
	build_plain
	cd "$tree"
	for script in test/replay/*_test.py; do
		run_test "$script" test/servers/with_server -- test/with_cluster python3 "$script"
	done
}

# Random queries on foreign tables and on plain copies of them.
part_differential()
{
	build_plain
	cd "$tree"
	run_test differential_test test/with_cluster python3 test/differential/differential_test.py
	run_test differential_faults test/servers/with_server -- bash -c \
		'test/with_cluster python3 test/differential/differential_test.py 160 faults "$FAULT_SERVER" "$FAULT_CONTROL"'
	if [ "${EMULATORS:-yes}" != no ] && test/servers/with_emulator --install dynoxide; then
		run_test differential_dynoxide test/servers/with_emulator dynoxide -- bash -c \
			'test/with_cluster python3 test/differential/differential_test.py 160 dynoxide "$EMULATOR_URL"'
	fi
}

# The examples of README.md and doc/.
part_docs()
{
	build_plain
	cd "$tree"
	run_test docs_test test/with_cluster python3 test/docs/docs_test.py
}

# The first command of the README.
part_demo()
{
	run_test demo bash test/demo.sh
}

# The SQL and isolation tests, and every fault of a DynamoDB server, with the
# extension under ASan and UBSan.
part_sanitizers()
{
	need_files 'sql/*.sql'
	build_sanitized
	server_log=$logs/sanitizers.server.log
	local asan_first=$work/sanitized/asan_first.so
	gcc -shared -fPIC -O0 -Wl,-z,initfirst -o "$asan_first" test/asan_first.c
	export SERVER_ENV="LD_PRELOAD=$(gcc -print-file-name=libasan.so):$asan_first \
ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
	local status=0
	run_installcheck with_llvm=no TAP_TESTS= || status=$?
	result "no report of a sanitizer" no_reports "$server_log"
	server_log=$logs/sanitizers.faults.log
	SERVER_ENV="${SERVER_ENV/detect_leaks=0/detect_leaks=1} LSAN_OPTIONS=exitcode=0" TXSTORE_SLOWNESS=2 \
		run_faults $fault_tests $scan_tests || status=$?
	result "no report of a sanitizer with faults" no_reports "$server_log"
	result "no memory is lost with faults" test/leak_filter "$server_log"
	return $status
}

no_reports()
{
	[ -s "$1" ] && ! grep -E -A 30 'ERROR: AddressSanitizer|runtime error' "$1"
}

# The code that reads foreign bytes, for a minute.
part_fuzz()
{
	run_fuzzers 60
}

part_long_fuzz()
{
	run_fuzzers "${FUZZ_SECONDS:-1800}"
}

# run_fuzzers SECONDS: each fuzzer gets its share.
run_fuzzers()
{
	local fuzzers fuzzer
	build_plain
	fuzzers=$(run_unit_make fuzz --no-print-directory -pn all | sed -n 's/^FUZZERS = //p')
	set -- "$1" $fuzzers
	for fuzzer in $fuzzers; do
		result "$fuzzer found nothing in $(($1 / ($# - 1))) s" \
			run_unit_make fuzz FUZZERS="$fuzzer" FUZZ_SECONDS=$(($1 / ($# - 1))) fuzz
	done
}

# run_unit_make FOLDER ARGUMENT...: make in test/unit, building in a folder of
# its own, since flags differ.
run_unit_make()
{
	make -C "$tree/test/unit" BUILD="$work/plain/$1" CLANG="$CLANG" "${@:2}"
}

# The SQL tests, and a tenth of the faults, under valgrind: only reports whose stack
# passes through us.  With faults also of memory that nobody has any more.
part_valgrind()
{
	build_plain
	server_log=$logs/valgrind.server.log
	local bindir program=$work/plain/valgrind_postgres
	bindir=$("$PG_CONFIG" --bindir)
	cat >"$program" <<-END
		#!/bin/sh
		exec valgrind --quiet --leak-check=\${LEAK_CHECK:-no} --num-callers=40 --track-origins=yes --trace-children=yes \\
			--error-markers=VALGRINDERROR-BEGIN,VALGRINDERROR-END $bindir/postgres "\$@"
	END
	chmod +x "$program"
	export SERVER_PROGRAM=$program
	local status=0
	run_installcheck ISOLATION= TAP_TESTS= || status=$?
	result "no report of valgrind" test/valgrind_filter "$server_log"
	server_log=$logs/valgrind.faults.log
	SERVER_ENV=LEAK_CHECK=full TXSTORE_FAULT_SHARE=10 TXSTORE_SLOWNESS=10 run_faults $fault_tests || status=$?
	result "no report of valgrind with faults" test/valgrind_filter "$server_log"
	return $status
}

main "$@"
