#!/usr/bin/env bash
# Builds Citus from its source, starts a coordinator and two workers, and runs a command, or the suites, on them.
#
#   scripts/citus.sh PATH-TO-CITUS [COMMAND …]
#
# It needs PostgreSQL 15 with its headers and a C compiler (on Debian: postgresql-15 postgresql-server-dev-15 libkrb5-dev
# liblz4-dev libzstd-dev flex). Nothing is installed: Citus goes into a copy of PostgreSQL, and the source stays as it is.
# Everything goes away in the end, but what was built if CITUS_BUILD names a directory to keep it in.
#
# The command finds the coordinator in OPENTILL_TEST_POSTGRES, and the workers, with commas between, in
# OPENTILL_TEST_CITUS; the tests make their databases on all of them. A node that ends is started again ten seconds later.
# With CITUS_TLS the nodes speak to each other as they do where nobody has set it otherwise: encrypted.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 1; }

source=$(realpath "$1"); shift
cd "$(dirname "$0")/.."
place=$(mktemp -d "${TMPDIR:-/tmp}/opentill-citus-XXXXXX")
build=${CITUS_BUILD:-$place/build}
# PostgreSQL refuses root.
as=(); [ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
nodes=()

end() {
  touch "$place/ending"
  for node in "${nodes[@]}"; do kill -QUIT "$(head -1 "$place/$node/postmaster.pid")" 2>/dev/null || true; done
  wait
  rm -rf "$place"
}
trap end EXIT
trap 'exit 1' INT TERM

make_citus() {
  mkdir -p "$build/source" "$build/objects" "$build/root/usr/lib/postgresql" "$build/root/usr/share/postgresql"
  cp -R "$source/." "$build/source"
  # The copy has new times, and with a configure that seems older than its source make would look for autoconf.
  touch "$build/source/configure"
  # PostgreSQL 15.20 and later have a function that Citus 13.2 defines for all of 15.
  if grep -q have_createdb_privilege /usr/include/postgresql/15/server/commands/dbcommands.h; then
    sed -i -e 's/^have_createdb_privilege(void)$/citus_&/' \
      -e 's|^#include "catalog/pg_authid.h"|&\n#include "commands/dbcommands.h"|' \
      "$build/source/src/include/pg_version_compat.h"
  fi
  # Programs of PostgreSQL look for their files beside themselves, so a copy of them finds what is added to the copy.
  cp -R /usr/lib/postgresql/15 "$build/root/usr/lib/postgresql/"
  cp -RL /usr/share/postgresql/15 "$build/root/usr/share/postgresql/"
  (
    cd "$build/objects"
    PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config ../source/configure --quiet --without-libcurl
    make -s -j"$(nproc)" with_llvm=no
    make -s with_llvm=no install DESTDIR="$build/root"
  )
  chmod -R go+rX "$build"
}

start_node() { # name
  local data=$place/$1
  nodes+=("$1")
  install -d -m 700 "$data"
  [ ${#as[@]} = 0 ] || chown 65534:65534 "$data"
  HOME=$data "${as[@]}" "$programs/initdb" -D "$data" -U postgres -A trust --locale=C -E UTF8 --no-sync >/dev/null
  "${as[@]}" tee -a "$data/postgresql.conf" >/dev/null <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
${CITUS_TLS:+#}citus.node_conninfo = 'sslmode=disable'
max_connections = 500
max_worker_processes = 64
citus.background_task_queue_interval = 1s
max_prepared_transactions = 200
wal_level = logical
max_wal_senders = 64
max_replication_slots = 64
fsync = off
full_page_writes = off
CONF
  while [ ! -e "$place/ending" ]; do
    # Another port each time until one was free, below those that systems give to whoever asks for any: there it is still
    # free when the node is started again.
    port=$(cat "$data/port" 2>/dev/null || echo $((20000 + RANDOM % 12000)))
    (cd "$data" && HOME=$data exec "${as[@]}" "$programs/postgres" -D "$data" -p "$port" >>"$data/log" 2>&1) || true
    sleep 0.1
    if [ -e "$data/port" ]; then for _ in {1..100}; do [ -e "$place/ending" ] || sleep 0.1; done; fi
  done &
  for _ in {1..300}; do
    # The server confirms that it is ours: the port may belong to a node of somebody else.
    if [ "$(sed -n 8p "$data/postmaster.pid" 2>/dev/null)" = 'ready   ' ]; then
      sed -n 4p "$data/postmaster.pid" >"$data/port"
      return
    fi
    sleep 0.1
  done
  tail "$data/log" >&2; exit 1
}

mkdir -p "$build"
# The lock lets the second of two concurrent runs find what the first has built.
(
  flock 9
  [ -e "$build/root/usr/lib/postgresql/15/lib/citus.so" ] || make_citus
) 9>"$build/lock"
chmod 711 "$place"
programs=$build/root/usr/lib/postgresql/15/bin
for node in coordinator worker-1 worker-2; do start_node "$node"; done

address() { echo "postgres://postgres@127.0.0.1:$(cat "$place/$1/port")/postgres"; }
export OPENTILL_TEST_POSTGRES; OPENTILL_TEST_POSTGRES=$(address coordinator)
export OPENTILL_TEST_CITUS; OPENTILL_TEST_CITUS=$(address worker-1),$(address worker-2)
if [ $# -gt 0 ]; then "$@"; exit; fi
export OPENTILL_TEST_DATABASE=postgres
status=0
node --test --test-concurrency=2 test/store/postgres.test.ts 'test/api/**/*.test.ts' \
  test/cluster/{races,refund-races,killed,stopped,work,hints,event-stream,failing-receivers}.test.ts || status=1
# Each by itself, for some take nodes away.
node --test --test-concurrency=1 test/citus/*.ts || status=1
exit "$status"
