#!/bin/bash
#
# Run both commands of the README on fresh Debian systems, as a newcomer would.
#
#   bash test/versions.sh [SUITE]...     default: bookworm trixie sid, which have
#                                        PostgreSQL 15, 17 and 18
#
# Each suite gets a folder with nothing in it but bash, git and apt, and a clone of
# this repository's last commit.  There run, one after another:
#   demo    test/demo.sh, which installs what it needs: under 180 s
#   again   test/demo.sh once more: under 20 s
#   check   test/check.sh
#   user    both as a user who is not root, from a path with a space, with a foreign
#           locale, a home that cannot be written and nothing readable for others
#
# Needs root, debootstrap and 4 GB of disk.  apt's settings, mirror and proxies are
# this machine's.  Processes and mounts live in namespaces of their own, so they
# end with the step that made them, and the folder can be removed at any moment.
# Prints the time of each step with the load of this machine, and at the end the
# line "N passed, N failed"; exits 1 if anything failed.  Logs are in
# build/logs/versions.
#
# Environment:
#   STEPS      what to run (default: "demo again check user")
#   CACHE      a folder to keep the bare systems in for the next run (default: none)
#   MIRROR     where debootstrap gets packages (default: where this machine does)
#   TMPDIR     where the systems are made (default: /var/tmp)

set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

logs=$PWD/build/logs/versions
parent=${TMPDIR:-/var/tmp}
steps=${STEPS:-demo again check user}
root=
child=
passed=0
failed=0

demo_limit=180
again_limit=20
# Nothing takes this long unless it hangs.
step_bound=3600

main()
{
	local suite step
	if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		echo "$0: needs root, and debootstrap (apt-get install debootstrap)" >&2
		exit 1
	fi
	if [ "$(df --output=avail -k "$parent" | tail -n 1)" -lt 4000000 ]; then
		echo "$0: needs 4 GB in $parent (or set TMPDIR)" >&2
		exit 1
	fi
	mkdir -p "$logs"
	# Where the summary goes, wherever an interruption finds this.
	exec 3>&1
	trap finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	[ $# -gt 0 ] || set -- bookworm trixie sid
	for suite in "$@"; do
		run_suite "$suite"
	done
	summary
}

run_suite()
{
	local suite=$1 step start=$SECONDS
	make_root || exit 1
	if ! make_system "$suite" >"$logs/$suite.system.log" 2>&1; then
		report "$suite" system failed $((SECONDS - start)) "could not be made, see $logs/$suite.system.log"
		tail -n 20 "$logs/$suite.system.log" | sed 's/^/    | /'
	else
		for step in $steps; do
			run_step "$suite" "$step"
		done
	fi
	remove_root
}

# report SUITE STEP RESULT SECONDS TEXT
report()
{
	printf '%-9s %-7s %-7s %5d s   %s\n' "$@"
	if [ "$3" = passed ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

summary()
{
	echo
	echo "$passed passed, $failed failed"
	trap cleanup EXIT
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

# The last line is the same however this ends.
finish()
{
	failed=$((failed + 1))
	cleanup
	printf '\n%s\n' "$passed passed, $failed failed" >&3
}

cleanup()
{
	[ ! "$child" ] || kill -KILL "$child" 2>/dev/null || true
	remove_root
}

# ------------------------------------------------------------------- the systems

make_root()
{
	root=$(mktemp -d "$parent/txstore-root.XXXXXX")
	chmod 755 "$root"
}

remove_root()
{
	[ "$root" ] || return 0
	# What was killed a moment ago may still be writing.
	rm -rf --one-file-system "$root" 2>/dev/null ||
		{ sleep 2; rm -rf --one-file-system "$root"; } || true
	root=
}

# Run a command in namespaces of its own, and wait for it; a signal to this
# script ends it.
in_namespaces()
{
	local status=0
	# With job control the job can be interrupted like one in the foreground.
	set -m
	unshare --mount --pid --fork --kill-child "$@" 3>&- &
	child=$!
	set +m
	wait "$child" || status=$?
	child=
	return $status
}

# Called as a condition: errors are handled here, not by set -e.
make_system()
{
	local suite=$1 cached=${CACHE:+$CACHE/$1.tar}
	if [ "$cached" ] && [ -e "$cached" ]; then
		tar -C "$root" -xf "$cached" || return 1
	else
		in_namespaces timeout -k 10 1800 debootstrap --variant=minbase "$suite" "$root" $(mirror) || return 1
		if [ "$cached" ]; then
			mkdir -p "$CACHE" &&
				tar -C "$root" -cf "$cached.new" . &&
				mv "$cached.new" "$cached" || return 1
		fi
	fi
	copy_settings || return 1
	run_inside 1800 'apt-get -q update && apt-get install -y --no-install-recommends git' || return 1
	git clone -q --no-local . "$root/root/txstore"
}

# Where this machine gets Debian's own packages.
mirror()
{
	if [ "${MIRROR:-}" ]; then
		echo "$MIRROR"
	else
		apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
			sed -n 's/^Debian \(.*\)/\1/p' | head -n 1
	fi
}

# Name resolution, apt's ways to the mirror, and whom it trusts there.
copy_settings()
{
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/" &&
		apt-config dump Acquire | grep -v '^Acquire::IndexTargets' >"$root/etc/apt/apt.conf.d/90host" || return 1
	if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
		mkdir -p "$root/etc/ssl/certs"
		cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" || return 1
	fi
	[ ! -d /etc/apt/auth.conf.d ] || cp -R /etc/apt/auth.conf.d "$root/etc/apt/"
}

# run_inside SECONDS COMMANDS: in the system, with a bare environment.
run_inside()
{
	in_namespaces bash -c '
		mount -t proc proc "$1/proc" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" || exit 1
		shift
		"$@"
		exit $?' inside "$root" \
		env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		timeout -k 10 "$1" chroot "$root" bash -c "$2"
}

# --------------------------------------------------------------------- the steps

run_step()
{
	local suite=$1 step=$2 log=$logs/$1.$2.log start=$SECONDS status=0 limit=$step_bound text seconds load
	case $step in
		demo) limit=$demo_limit ;;
		again) limit=$again_limit ;;
	esac
	run_inside "$step_bound" "$(step_commands "$step")
		status=\$?
		$left_behind
		exit \$status" >"$log" 2>&1 || status=$?
	seconds=$((SECONDS - start))
	read -r load _ </proc/loadavg
	text=$(sed -n 's/^Building txstore for //p; /^[0-9]* passed, /p; /^left behind: /p' "$log" | tail -n 2 | paste -s -d ' ')
	text+="   (load $load)"
	if [ "$status" = 0 ] && [ "$seconds" -gt "$limit" ]; then
		report "$suite" "$step" failed "$seconds" "took more than $limit s; $text"
	elif [ "$status" = 0 ] && ! grep -q '^left behind: ' "$log"; then
		report "$suite" "$step" passed "$seconds" "$text"
	else
		report "$suite" "$step" failed "$seconds" "exit status $status; $text"
		tail -n 60 "$log" | sed 's/^/    | /'
		echo "    (all of it: $log)"
	fi
}

# No server may be left running, no folder of one be left lying about.  Besides
# the shells that run this there is only timeout.
left_behind='
	for process in /proc/[0-9]*; do
		read -r name <"$process/comm" || continue
		case $name in
			bash | timeout) ;;
			*) echo "left behind: process $name" ;;
		esac
	done 2>/dev/null
	for file in /tmp/* /dev/shm/*; do
		[ ! -e "$file" ] || echo "left behind: $file"
	done'

step_commands()
{
	case $1 in
		demo | again) echo 'cd /root/txstore && bash test/demo.sh' ;;
		check) echo 'EMULATORS=no bash /root/txstore/test/check.sh' ;;
		user) echo '
			home=/home/newcomer
			useradd --create-home newcomer &&
			mkdir "$home/my clones" && chown newcomer: "$home/my clones" &&
			git clone -q /root/txstore "$home/my clones/txstore" &&
			chown -R newcomer: "$home/my clones" &&
			chown root: "$home" && chmod 755 "$home" &&
			runuser -u newcomer -- env HOME="$home" LANG=de_DE.UTF-8 LANGUAGE=de \
				bash -c "umask 077 && cd / && bash ~/my\ clones/txstore/test/demo.sh &&
					EMULATORS=no bash ~/my\ clones/txstore/test/check.sh"' ;;
		*) echo "$1" ;;
	esac
}

main "$@"
