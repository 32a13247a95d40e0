#!/bin/sh
# The same request as the client's, by curl, with the same retries and timeouts:
#
#   PLANT_STORE_TOKEN=pst_… sh curl-equivalent.sh '{"id": 9223372036854775807, "name": "Rose"}'
#
# The token is passed through a pipe, so that no process list shows it.
printf 'Authorization: Bearer %s' "$PLANT_STORE_TOKEN" |
  curl "${PLANT_STORE_URL:-http://127.0.0.1:3000}/plants" \
    --header @- \
    --header 'Accept: application/json' \
    --header 'Content-Type: application/json' \
    --data-raw "$1" \
    --retry 2 --retry-connrefused --retry-max-time 30 --max-time 10 \
    --silent --show-error --fail-with-body
