# Sourced by demo.sh, check.sh and with_cluster: what has to be installed.
#
#   find_postgres         sets and exports PG_CONFIG, or fails
#   need_packages GROUP   the same, and installs or names what is missing
#                         GROUP: demo, check (tests, too), all (slow ones, too)
#
# As root on Debian and Ubuntu what is missing is installed with apt-get;
# elsewhere it is named, with the command to run.  When nothing is missing, this
# only looks whether files are there, so it costs next to nothing.

# The versions that the extension supports, best first.
supported_versions="18 17 16 15"

# Is this pg_config that of a supported server with all that building needs?
usable_pg_config()
{
	local facts bindir pgxs headers version
	facts=$("$1" --bindir --pgxs --includedir-server --version 2>/dev/null) || return 1
	{ read -r bindir; read -r pgxs; read -r headers; read -r version; } <<<"$facts"
	version=${version#PostgreSQL }
	version=${version%%[!0-9]*}
	case " $supported_versions " in
		*" $version "*) ;;
		*) return 1 ;;
	esac
	[ -x "$bindir/postgres" ] && [ -e "$pgxs" ] && [ -e "$headers/postgres.h" ]
}

# Set PG_CONFIG: what the caller has set, else the one in PATH, else the newest
# in the places where packages put it.
find_postgres()
{
	local candidate version
	if [ -n "${PG_CONFIG:-}" ]; then
		PG_CONFIG=$(command -v "$PG_CONFIG") && usable_pg_config "$PG_CONFIG" || return 1
		export PG_CONFIG
		return 0
	fi
	set -- pg_config
	for version in $supported_versions; do
		set -- "$@" "/usr/lib/postgresql/$version/bin/pg_config" "/usr/pgsql-$version/bin/pg_config"
	done
	set -- "$@" /usr/local/pgsql/bin/pg_config
	for candidate in "$@"; do
		candidate=$(command -v "$candidate") || continue
		if usable_pg_config "$candidate"; then
			export PG_CONFIG=$candidate
			return 0
		fi
	done
	return 1
}

# Set CLANG: a clang that can build fuzzers, or fail.
find_clang()
{
	local candidate runtime
	for candidate in ${CLANG:-} clang $(ls -vr /usr/bin/clang-[0-9]* 2>/dev/null); do
		candidate=$(command -v "$candidate") || continue
		runtime=$("$candidate" -print-file-name="libclang_rt.fuzzer-$(uname -m).a")
		[ -e "$runtime" ] || runtime=$("$candidate" -print-file-name=libclang_rt.fuzzer.a)
		if [ -e "$runtime" ]; then
			export CLANG=$candidate
			return 0
		fi
	done
	return 1
}

# Put into the array missing the packages that a group lacks, by Debian's names;
# "postgresql" and "libclang-rt" get their version number later.
find_missing()
{
	missing=()
	find_postgres || missing+=(postgresql)
	command -v make >/dev/null || missing+=(make)
	# gcc alone comes without the headers of the C library.
	echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1 || missing+=(gcc libc6-dev)
	echo '#include <curl/curl.h>' | gcc -E - >/dev/null 2>&1 || missing+=(libcurl4-openssl-dev)
	echo '#include <openssl/evp.h>' | gcc -E - >/dev/null 2>&1 || missing+=(libssl-dev)
	echo '#include <zlib.h>' | gcc -E - >/dev/null 2>&1 || missing+=(zlib1g-dev)
	[ "$1" != demo ] || return 0

	perl -MTest::More -e 1 2>/dev/null || missing+=(perl)
	perl -MIPC::Run -e 1 2>/dev/null || missing+=(libipc-run-perl)
	command -v python3 >/dev/null || missing+=(python3)
	[ "${EMULATORS:-yes}" = no ] || python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
	command -v openssl >/dev/null || missing+=(openssl)
	find_clang || missing+=(libclang-rt)
	[ "$1" = all ] || return 0

	command -v valgrind >/dev/null || missing+=(valgrind)
	[ ! -e /etc/debian_version ] || [ -d /usr/lib/debug/.build-id ] || missing+=(libc6-dbg)
}

need_packages()
{
	local missing packages
	if [ -n "${PG_CONFIG:-}" ] && ! find_postgres; then
		echo "PG_CONFIG does not name the pg_config of a PostgreSQL 15-18 with server, headers and PGXS." >&2
		return 1
	fi
	find_missing "$1"
	[ "${missing[*]}" ] || return 0

	if ! command -v apt-get >/dev/null; then
		echo "Please install: ${missing[*]}" >&2
		echo "(by Debian's names; postgresql stands for a server of version 15 to 18 with its headers and pg_config)" >&2
		return 1
	fi
	if [ "$(id -u)" = 0 ]; then
		update_package_lists || return 1
	fi
	packages=$(debian_packages)
	if [ "$(id -u)" != 0 ]; then
		echo "Missing: ${missing[*]}.  To install, run as root:" >&2
		echo "    apt-get update && apt-get install -y --no-install-recommends $packages" >&2
		echo "or this script once as root: it installs the same, but keeps Debian's package from" >&2
		echo "starting a server." >&2
		return 1
	fi
	install_packages $packages || return 1

	find_missing "$1"
	if [ "${missing[*]}" ]; then
		echo "Still missing after the installation: ${missing[*]}" >&2
		return 1
	fi
}

# The packages for the names in missing, with version numbers; where apt has no
# lists, those that stand for the distribution's default.
debian_packages()
{
	local name version clang names=()
	version=$(debian_postgres_version)
	for name in "${missing[@]}"; do
		case $name in
			postgresql)
				if [ "$version" ]; then
					names+=("postgresql-$version" "postgresql-server-dev-$version")
				else
					names+=(postgresql postgresql-server-dev-all)
				fi ;;
			libclang-rt)
				clang=$(debian_clang_version "$version")
				if [ "$clang" ]; then
					names+=("libclang-rt-$clang-dev")
				else
					names+=(clang libclang-rt-dev)
				fi ;;
			*)
				names+=("$name") ;;
		esac
	done
	echo "${names[*]}"
}

# A server that is there already decides, else the newest that apt offers; empty
# if it offers none.
debian_postgres_version()
{
	local version offered
	offered=$(apt-cache search --names-only '^postgresql-server-dev-[0-9]+$')
	for version in $supported_versions; do
		if [ -x "/usr/lib/postgresql/$version/bin/postgres" ] && [[ $offered = *"-dev-$version "* ]]; then
			echo "$version"
			return
		fi
	done
	for version in $supported_versions; do
		if [[ $offered = *"-dev-$version "* ]]; then
			echo "$version"
			return
		fi
	done
}

# The clang that comes with the server's development package, so that a machine
# gets one clang only; empty if that is unknown.
debian_clang_version()
{
	local version
	version=$(ls -vr /usr/bin/clang-[0-9]* 2>/dev/null | sed -n '1s/.*clang-//p')
	[ "$version" ] || version=$(apt-cache depends "postgresql-server-dev-$1" 2>/dev/null |
		sed -n 's/.* clang-\([0-9]*\)$/\1/p')
	echo "$version"
}

update_package_lists()
{
	run_quietly apt-get -o DPkg::Lock::Timeout=300 update
}

install_packages()
{
	local status=0
	echo "Installing with apt-get: $*"
	export DEBIAN_FRONTEND=noninteractive
	case " $* " in
		*" postgresql-"*) ;;
		*) apt_install "$@"; return ;;
	esac

	# The package would make a cluster and start a server on port 5432, which
	# nobody asked for.  A setting prevents it; it is put back afterwards.
	apt_install postgresql-common || return 1
	forbid_main_cluster
	trap 'allow_main_cluster; exit 130' INT TERM
	apt_install "$@" || status=1
	allow_main_cluster
	trap - INT TERM
	return $status
}

createcluster_conf=/etc/postgresql-common/createcluster.conf

forbid_main_cluster()
{
	[ ! -e $createcluster_conf ] || cp -p $createcluster_conf $createcluster_conf.saved
	echo "create_main_cluster = false" >>$createcluster_conf
}

allow_main_cluster()
{
	rm -f $createcluster_conf
	[ ! -e $createcluster_conf.saved ] || mv $createcluster_conf.saved $createcluster_conf
}

apt_install()
{
	run_quietly apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}

# Run a command with no input; show its output only if it fails.
run_quietly()
{
	local log status=0
	log=$(mktemp)
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if [ "$status" != 0 ]; then
		cat "$log" >&2
		echo "failed: $*" >&2
	fi
	rm -f "$log"
	return "$status"
}
