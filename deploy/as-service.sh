#!/bin/sh
# Runs a command of Plant Store with the user, settings and password of plant-store.service, whether that runs or not, as root:
#   sh /opt/plant-store/deploy/as-service.sh check
# Files are named by absolute paths; standard input and output are those of this command, and so is the exit status.
set -eu

case ${1-} in
  # They read neither settings nor data, so anybody may run them.
  complete | completion | -h | --help | -V | --version)
    exec /usr/bin/node /opt/plant-store/dist/main.js "$@"
    ;;
esac
if [ "$(id -u)" -ne 0 ]; then
  echo 'plant-store: run it as root, such as by sudo: it runs as the user of the service, with its settings.' >&2
  exit 1
fi
unit=plant-store-command-$$
password=/etc/plant-store/database-password
set -- /usr/bin/node /opt/plant-store/dist/main.js "$@"
if [ -e "$password" ]; then
  # As in plant-store.service.d/postgresql.conf.
  set -- --property=LoadCredential=database-password:$password \
    --setenv=DATABASE_PASSWORD_FILE=/run/credentials/$unit.service/database-password "$@"
fi
# Like the unit; /etc/plant-store/environment replaces what is set here.
exec systemd-run --unit=$unit --quiet --collect --pipe --wait \
  --uid=plant-store --gid=plant-store \
  --setenv=NODE_ENV=production \
  --setenv=DATABASE_URL=file:/var/lib/plant-store/plant-store.db \
  --setenv=ADMIN_HOST=127.0.0.1 --setenv=ADMIN_PORT=3001 \
  --property=EnvironmentFile=-/etc/plant-store/environment \
  --property=StateDirectory=plant-store --property=StateDirectoryMode=0700 \
  --property=WorkingDirectory=/var/lib/plant-store \
  --property=LimitNOFILE=65536 \
  --property=UMask=0077 \
  "$@"
