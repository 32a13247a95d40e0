# What run and nightly share; to be sourced by bash, in the root of the repository.
set -euo pipefail

pinned_pnpm=$(node -p 'require("./package.json").packageManager')
pnpm() { npx -y "$pinned_pnpm" "$@"; }

# Installs Debian's packages, without starting the services in them: they would take ports that the tests need.
install() (
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
)

# Installs what is missing: need <path of a program> <package…>
need() {
  local program=$1
  shift
  [ -x "$program" ] || install "$@"
}

need_postgresql() {
  [ -x /usr/bin/patroni ] && [ -x /usr/bin/etcd ] && compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null ||
    install postgresql patroni etcd-server
}

need_proxies() { [ -x /usr/sbin/haproxy ] && [ -x /usr/sbin/nginx ] || install haproxy nginx-light; }

need_chromium() { need "${CHROMIUM_PATH:-/usr/bin/chromium}" chromium fonts-liberation; }

# Prints a heading with the time since the start.
step() { printf '\n=== %s (%d:%02d)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

# Runs parts by `run_part`, two at a time, since most of them wait more than they work. What a part prints is shown once it has
# ended. One that fails does not keep the others from running; all that failed are named at the end, and the status is 1.
run_in_pairs() {
  local part logs failed=()
  local -A running=()
  logs=$(mktemp -d)
  # Bash lets what runs in the background ignore an interrupt.
  trap 'trap - INT TERM; rm -rf "$logs"; kill 0' INT TERM
  for part in "$@"; do
    [ ${#running[@]} -lt 2 ] || await_part
    printf '%s begins (%d:%02d)\n' "$part" $((SECONDS / 60)) $((SECONDS % 60))
    (run_part "$part") >"$logs/$part" 2>&1 &
    running[$!]=$part
  done
  while [ ${#running[@]} -gt 0 ]; do await_part; done
  trap - INT TERM
  rm -rf "$logs"
  [ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; return 1; }
}

# Waits for the end of a part of run_in_pairs, whose variables it uses.
await_part() {
  local pid status=0
  wait -n -p pid || status=$?
  step "${running[$pid]}: status $status"
  cat "$logs/${running[$pid]}"
  [ "$status" -eq 0 ] || failed+=("${running[$pid]}")
  unset "running[$pid]"
}
