#!/usr/bin/env bash
# Adds gardens to a copy of the last commit, and tests the copy.
#   bash examples/second-resource/check.sh           the types, and the tests that gardens add or change
#   bash examples/second-resource/check.sh all       also all tests of the packages, workers, and a short proof
#   bash examples/second-resource/check.sh hunks     that nothing people wrote can be left out
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git clone --quiet . "$copy"
here=$copy/examples/second-resource
cd "$copy"
pinned_pnpm=$(node -p 'require("./package.json").packageManager')
pnpm() { npx -y "$pinned_pnpm" "$@"; }
test_in() { (cd "$1" && shift && pnpm exec vitest run --reporter=dot "$@"); }

pnpm install --offline --frozen-lockfile --reporter=silent
pnpm exec turbo run generate --output-logs=errors-only
bash "$here/apply.sh" "$copy"
pnpm exec turbo run build --output-logs=errors-only --filter=@plant-store/postgresql-server
if [ "${1:-}" = hunks ]; then
  pnpm exec node "$here/prove-hunks.ts" "$copy"
  exit
fi

pnpm exec biome check --error-on-warnings packages/contract/src packages/client/src apps/api/test/{cli,http}
filters=(--filter=@plant-store/{contract,records,client,api,web,proof})
pnpm exec turbo run typecheck --output-logs=errors-only --concurrency=2 "${filters[@]}"
test_in packages/contract
test_in packages/client src/gardens
test_in apps/api conformance/several-resources test/http/{gardens,operation-cases,scopes} test/cli/gardens
[ "${1:-}" = all ] || exit 0

pnpm exec turbo run build --output-logs=errors-only --concurrency=2 "${filters[@]}"
for package in records client; do test_in "packages/$package"; done
test_in apps/api src/store/conformance
test_in apps/api --mode full test/http/gardens --project '*-workers'
pnpm exec node tools/proof/dist/main.js --only crash-sqlite,crash-postgresql,model --amount short
