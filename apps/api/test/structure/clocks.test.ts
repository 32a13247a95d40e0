import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../..');

/** Where the clock of the machine is read, which people and programs set, and for what. Everything else measures by `performance.now()`. */
const readers = {
  'the times of plants': [
    'apps/api/src/cli/import.ts',
    'apps/api/src/resources.ts',
    'apps/api/src/store/postgresql/postgresql-store.ts',
    'apps/api/src/store/sqlite/sqlite-store.ts',
    'packages/client/src/testing/create-fake-plant-store.ts',
  ],
  'when tokens are created, expire, are revoked, and were used': [
    'apps/api/src/auth/accept-jwts.ts',
    'apps/api/src/auth/last-use-recorder.ts',
    'packages/records/src/tokens.ts',
    'apps/api/src/auth/token-service.ts',
    'apps/api/src/check/tokens.ts',
    'apps/api/src/cli/program.ts',
    'apps/api/src/cli/token.ts',
    'apps/api/src/http/middleware/bearer-auth.ts',
    'apps/api/src/observe/metrics.ts',
    'apps/api/src/service.ts',
    'apps/api/src/store/token-store.ts',
    'apps/web/src/token/renewals.ts',
    'apps/web/src/token/sign-in.ts',
    'apps/web/src/tokens/tokens-sheet.tsx',
    'packages/client/src/testing/tokens.ts',
    'packages/contract/src/schemas.ts',
  ],
  'the names, times, and ages of backups and migrations': [
    'apps/api/src/check/sqlite.ts',
    'apps/api/src/cli/backup.ts',
    'apps/api/src/cli/restore.ts',
    'apps/api/src/store/migrations.ts',
    'apps/api/src/store/sqlite/database-files.ts',
  ],
  'the header Date, and a date in Retry-After': [
    'apps/api/src/http/server.ts',
    'packages/client/src/backoff.ts',
  ],
  'times that are shown or logged': [
    'apps/web/src/add/added/use-add-plant.ts',
    'apps/web/src/import/worker/run.ts',
    'apps/web/src/plants/format-time.ts',
    'apps/web/src/plants/print.tsx',
  ],
};

it('reads the clock of the machine for dates only, since it may jump', () => {
  const files = globSync('{apps,packages}/*/src/**/*.{ts,tsx,js}', { cwd: root });
  const reading = files.filter(
    (file) =>
      !/\.test(-d)?\.tsx?$|\/generated\//.test(file) &&
      /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(reading.toSorted()).toEqual(Object.values(readers).flat().toSorted());
});
