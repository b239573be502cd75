# Sourced by demo.sh and check.sh: builds the extension without touching the
# checkout or the PostgreSQL installation.
#
#   find_work_folder       sets work
#   lock NAME              waits until no other process holds the lock of that name
#   build_variant NAME LOG [make argument]...
#                          builds the checkout with these arguments and sets
#                          tree: the copy of the sources that was built
#                          PG_CONFIG: a private PostgreSQL that has it installed
#
# Each variant has sources, objects and a PostgreSQL of its own, so a build with
# sanitizers never mixes with a plain one.  A later run only builds what changed.
#
# Why a private PostgreSQL can be made in a moment: the server finds its library
# and share folders relative to its program.  So the programs are copied to
# $work/NAME/pg/usr/lib/postgresql/15/bin (or whatever the path is), everything
# else is linked, and `make install` writes into that tree through its pg_config.
# No root is needed, and the installation that is being tested stays as it is.

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Under the checkout; but in /var/tmp if that cannot be written, is hidden from
# user postgres (under /root), or has in its path what make cannot bear (spaces).
find_work_folder()
{
	umask 022
	work=$checkout/build
	if [[ $checkout = *[!A-Za-z0-9/._+-]* ]] || ! mkdir -p "$work" 2>/dev/null || [ ! -w "$work" ] ||
		[ ! -O "$work" ] || hidden_from_server "$work"; then
		rmdir "$work" 2>/dev/null || true
		work=/var/tmp/txstore-build-$(id -u)-$(cksum <<<"$checkout" | cut -d ' ' -f 1)
		mkdir -p "$work"
	fi
	# A folder in /var/tmp could be somebody else's trap.
	if [ ! -O "$work" ] || [ ! -w "$work" ]; then
		echo "$work is not ours; please remove it" >&2
		return 1
	fi
}

hidden_from_server()
{
	[ "$(id -u)" = 0 ] && ! runuser -u "${SERVER_USER:-postgres}" -- test -x "$1" 2>/dev/null
}

# Held until this process ends; what it starts in the background closes 9.
lock()
{
	command -v flock >/dev/null || return 0
	exec 9>"$work/$1.lock"
	flock --nonblock 9 || {
		echo "Waiting for another run in this checkout ($1)." >&2
		flock 9
	}
}

build_variant()
{
	local name=$1 log=$2 system stamp
	shift 2
	system=${system_pg_config:=$PG_CONFIG}
	stamp="$system $("$system" --version) $*"
	if [ "$(cat "$work/$name/stamp" 2>/dev/null)" != "$stamp" ]; then
		rm -rf "${work:?}/$name"
		mkdir -p "$work/$name"
	fi
	tree=$work/$name/tree
	copy_sources "$tree"
	make_private_postgres "$system" "$work/$name/pg"
	echo "$stamp" >"$work/$name/stamp"
	make -C "$tree" -j "$(nproc)" PG_CONFIG="$PG_CONFIG" "$@" all >"$log" 2>&1 &&
		make -C "$tree" PG_CONFIG="$PG_CONFIG" "$@" install >>"$log" 2>&1
}

# Bring the copy up to date; files keep their times, so make sees what changed.
copy_sources()
{
	mkdir -p "$1"
	(
		cd "$checkout"
		list_sources >"$1.new"
		# The server's user must be able to read the copy.
		tar --null --files-from="$1.new" --mode=a+rX --create --file=- | tar -C "$1" --extract --file=-
		if [ -e "$1.list" ]; then
			cd "$1"
			sort -z "$1.list" "$1.new" "$1.new" | uniq -z -u | xargs -0 -r rm -f
		fi
		mv "$1.new" "$1.list"
	)
}

# Tracked and new files, without deleted and ignored ones.  Where there is no
# git (a release archive), everything but the work folder.
list_sources()
{
	if [ -e .git ] && command -v git >/dev/null; then
		local git=(git -c safe.directory='*')
		{
			"${git[@]}" ls-files --cached --others --exclude-standard --exclude=/build/ -z | sort -z -u
			"${git[@]}" ls-files --deleted -z
		} | sort -z | uniq -z -u
	else
		find . -path ./build -prune -o ! -type d -printf '%P\0' | sort -z
	fi
}

# Make or refresh the private PostgreSQL of pg_config $1 in folder $2 and let
# PG_CONFIG name its pg_config.
make_private_postgres()
{
	local bindir libdir sharedir folder
	bindir=$("$1" --bindir)
	libdir=$("$1" --pkglibdir)
	sharedir=$("$1" --sharedir)
	if ! cmp -s "$bindir/postgres" "$2$bindir/postgres"; then
		rm -rf "$2"
		mkdir -p "$2$bindir" "$2$libdir/bitcode" "$2$sharedir/extension"
		cp "$bindir"/* "$2$bindir/"
		for folder in "$sharedir/extension" "$sharedir" "$libdir" "$("$1" --libdir)" \
			"$("$1" --includedir-server)" "$("$1" --includedir)"; do
			link_folder "$folder" "$2$folder"
		done
		# An installed txstore must not be mistaken for the one under test.
		rm -f "$2$libdir"/txstore.so "$2$sharedir"/extension/txstore*
	fi
	PG_CONFIG=$2$bindir/pg_config
	export PG_CONFIG
}

# Make folder $2 show what is in folder $1, keeping what it has itself.
link_folder()
{
	if [ ! -e "$2" ]; then
		mkdir -p "$(dirname "$2")"
		ln -s "$1" "$2"
		return
	fi
	local entry links=()
	for entry in "$1"/*; do
		[ -e "$2/${entry##*/}" ] || links+=("$entry")
	done
	[ ${#links[@]} = 0 ] || ln -s -t "$2" "${links[@]}"
}
