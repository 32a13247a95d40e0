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
