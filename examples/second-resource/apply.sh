#!/usr/bin/env bash
# Adds gardens to a checkout of this repository that has its dependencies: what people write, then what is printed from that.
#   bash examples/second-resource/apply.sh <checkout>
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?Name the folder of a checkout}"
pinned_pnpm=$(node -p 'require("./package.json").packageManager')

cp -r "$here/files/." .
git apply "$here/gardens.patch"
for script in contract:print-types contract:print-openapi client:print-client; do
  npx -y "$pinned_pnpm" --silent --filter "@plant-store/${script%:*}" run "${script#*:}"
done
