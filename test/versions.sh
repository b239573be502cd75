#!/bin/bash
#
# Run demo.sh (twice) and check.sh on fresh Debian systems, as a newcomer would:
# each in a folder of its own with nothing in it but bash, git and apt.
#
#   test/versions.sh [SUITE]...     (default: bookworm stable sid,
#                                    which have PostgreSQL 15, 17 and 18)
#
# Needs root, debootstrap and some 3 GB for each suite while it runs.  Takes
# apt's settings and proxies from this machine.  Prints a table at the end; exits
# 1 if anything failed.
#
# Environment:
#   CACHE      where the bare systems and the logs are kept
#              (default: /var/tmp/txstore-versions)
#   MIRROR     where debootstrap gets packages from (default: its own)
#   STEPS      what to run (default: "demo again check"; also "user": the demo
#              as a user who is not root)
#   WORKTREE=1 test the files as they are, not the last commit
#   KEEP=1     keep the folders

set -euo pipefail
cd "$(dirname "$0")/.."

cache=${CACHE:-/var/tmp/txstore-versions}
steps=${STEPS:-demo again check}
root=
failed=0
mkdir -p "$cache"

main()
{
	local suite
	if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		echo "$0: needs root, and debootstrap (apt-get install debootstrap)" >&2
		exit 1
	fi
	trap remove_root EXIT
	trap 'exit 130' INT TERM HUP
	: >"$cache/table"
	[ $# -gt 0 ] || set -- bookworm stable sid
	for suite in "$@"; do
		make_root "$suite"
		copy_repository
		for step in $steps; do
			run_step "$suite" "$step"
		done
		remove_root
	done
	echo
	printf '%-10s %-6s %-8s %9s  %s\n' suite step result seconds "last line"
	cat "$cache/table"
	return $failed
}

# A fresh system in $root, from the cache if it is there.
make_root()
{
	local suite=$1 file
	echo "== $suite: making a bare system"
	root=$(mktemp -d /var/tmp/txstore-root.XXXXXX)
	chmod 755 "$root"
	if [ ! -e "$cache/$suite.tar" ]; then
		if ! debootstrap --variant=minbase "$suite" "$root" ${MIRROR:-} >"$cache/$suite.debootstrap.log" 2>&1; then
			tail -n 20 "$cache/$suite.debootstrap.log"
			exit 1
		fi
		tar -C "$root" --one-file-system -cf "$cache/$suite.tar.new" .
		mv "$cache/$suite.tar.new" "$cache/$suite.tar"
	else
		tar -C "$root" -xf "$cache/$suite.tar"
	fi
	mount -t proc proc "$root/proc"
	# Name resolution, and apt's settings unless the system has its own.
	for file in /etc/resolv.conf /etc/hosts; do
		cp "$file" "$root$file"
	done
	for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
		if [ -f "$file" ] && [ ! -e "$root$file" ] && ! grep -q '/usr/' "$file"; then
			cp "$file" "$root$file"
		fi
	done
	in_root 'apt-get -q update && apt-get install -y --no-install-recommends git' \
		>"$cache/$suite.git.log" 2>&1 || {
		tail -n 20 "$cache/$suite.git.log"
		exit 1
	}
}

# Run shell commands in $root with little more than a bare environment.
in_root()
{
	env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$root" bash -c "$1" </dev/null
}

# A clone, as a newcomer would make one, in a folder that only root can read.
copy_repository()
{
	if [ "${WORKTREE:-}" ]; then
		source test/build.sh
		mkdir -p "$root/root/txstore"
		list_sources | tar --null --files-from=- -cf - | tar -C "$root/root/txstore" --no-same-owner -xf -
		in_root 'cd /root/txstore && git init -q -b main && git add . &&
			git -c user.name=test -c user.email=test@localhost commit -q -m "The files as they are"'
	else
		git clone -q --no-local . "$root/root/txstore"
	fi
}

run_step()
{
	local suite=$1 step=$2 log=$cache/$1.$2.log start=$SECONDS result=passed command
	case $step in
		demo | again) command='cd /root/txstore && bash test/demo.sh' ;;
		check) command='cd /root/txstore && bash test/check.sh' ;;
		user) command='useradd --create-home newcomer && git clone -q /root/txstore /home/newcomer/txstore &&
			chown -R newcomer: /home/newcomer/txstore &&
			runuser -u newcomer -- env HOME=/home/newcomer bash -c "cd ~/txstore && bash test/demo.sh"' ;;
		*) command=$step ;;
	esac
	echo "== $suite: $step"
	in_root "$command" >"$log" 2>&1 || { result=failed failed=1; tail -n 30 "$log"; }
	printf '%-10s %-6s %-8s %9d  %s\n' "$suite" "$step" "$result" $((SECONDS - start)) "$(tail -n 1 "$log")" |
		tee -a "$cache/table"
	# Nothing may be left running.
	if [ "$(processes_of_root)" ]; then
		echo "$suite $step left processes: $(processes_of_root)" | tee -a "$cache/table"
		failed=1
	fi
}

processes_of_root()
{
	local process
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/root")" != "$root" ] || echo -n "${process#/proc/} "
	done
}

remove_root()
{
	[ "$root" ] && [ -d "$root" ] || return 0
	local processes
	processes=$(processes_of_root)
	[ ! "$processes" ] || kill -9 $processes 2>/dev/null || true
	! mountpoint -q "$root/proc" || umount "$root/proc" || umount -l "$root/proc"
	if [ "${KEEP:-}" ]; then
		echo "kept: $root (its /proc is not mounted)"
	elif ! mountpoint -q "$root/proc"; then
		rm -rf --one-file-system "$root"
	fi
	root=
}

main "$@"
