#!/bin/sh
# The call of the client by curl, with the same repetitions and times:
#
#   PLANT_STORE_TOKEN=pst_… sh curl-equivalent.sh '{"id": 9223372036854775807, "name": "Rose"}'
#
# The token comes by a pipe, so that no list of processes shows it.
printf 'Authorization: Bearer %s' "$PLANT_STORE_TOKEN" |
  curl "${PLANT_STORE_URL:-http://127.0.0.1:3000}/plants" \
    --header @- \
    --header 'Accept: application/json' \
    --header 'Content-Type: application/json' \
    --data-raw "$1" \
    --retry 2 --retry-connrefused --retry-max-time 30 --max-time 10 \
    --silent --show-error --fail-with-body
