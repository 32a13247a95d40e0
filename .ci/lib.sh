# What run and nightly share; to be sourced by bash, in the root of the repository.
set -euo pipefail

pinned_pnpm=$(node -p 'require("./package.json").packageManager')
pnpm() { npx -y "$pinned_pnpm" "$@"; }

# Runs a program for a limited time, and names it when that is over: within <limit> <program> [argument…]
within() {
  local limit=$1 status=0 foreground=()
  shift
  # Otherwise Ctrl+C would not reach it.
  [ ! -t 0 ] || foreground=(--foreground)
  timeout "${foreground[@]}" --kill-after=60 "$limit" "$@" || status=$?
  case $status in 124 | 137) echo "$*: ended, since it took longer than $limit" >&2 ;; esac
  return "$status"
}

# Fails when a file has a warning of an installation or of Node.js: without_warnings <file>
without_warnings() {
  if grep -nE '^ ?WARN | WARN |npm warn|[Dd]eprecat|(Deprecation|Experimental)Warning' "$1" >&2; then
    echo 'These lines are warnings, which no command may print.' >&2
    return 1
  fi
}

# Waits for the others that run in this repository until the end of the shell.
take_turn() {
  exec 9<.ci/lib.sh
  flock 9
}

# Installs Debian's packages, without starting the services in them: they would take ports that the tests need.
install() (
  take_turn
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

need_proxies() {
  [ -x /usr/sbin/haproxy ] && [ -x /usr/sbin/nginx ] && [ -x /usr/bin/caddy ] && [ -x /usr/sbin/apache2 ] ||
    install haproxy nginx-light caddy apache2
}

need_other_browsers() {
  [ -x /usr/bin/firefox-esr ] && [ -x /usr/bin/WebKitWebDriver ] && [ -x /usr/bin/xvfb-run ] && [ -x /usr/bin/xauth ] ||
    install firefox-esr webkit2gtk-driver xvfb xauth
}

# What the followers of examples/ need besides Python.
need_followers() {
  [ -x /usr/bin/python3 ] && [ -x /usr/bin/go ] && [ -x /usr/bin/javac ] && [ -e /usr/share/java/jackson-databind.jar ] ||
    install python3 golang-go default-jdk-headless libjackson2-databind-java
}

need_chromium() { need "${CHROMIUM_PATH:-/usr/bin/chromium}" chromium fonts-liberation; }

# The programs that a script starts count from its start, too.
export started_at=${started_at:-$EPOCHSECONDS}

# Prints a heading with the time since the start.
step() {
  local seconds=$((EPOCHSECONDS - started_at))
  printf '\n=== %s (%d:%02d)\n' "$1" $((seconds / 60)) $((seconds % 60))
}
