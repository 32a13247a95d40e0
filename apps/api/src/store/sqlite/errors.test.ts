import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { requireDatabaseFile } from './database-file.js';
import { explainFailure, retryWhileBusy } from './errors.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'closed/data/plant-store.db');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function denied(file: fs.PathLike): never {
  throw Object.assign(new Error(`EACCES: permission denied, '${file}'`), { code: 'EACCES' });
}

/** Simulates a user who may not enter the folder `closed`, since root may enter any folder. */
function closeFolder(): void {
  const closed = join(folder, 'closed');
  const { accessSync, statSync } = fs;
  vi.spyOn(fs, 'mkdirSync').mockImplementation(denied);
  vi.spyOn(fs, 'accessSync').mockImplementation((file, mode) =>
    String(file).startsWith(closed) ? denied(file) : accessSync(file, mode),
  );
  vi.spyOn(fs, 'statSync').mockImplementation((file) =>
    String(file).startsWith(closed) ? denied(file) : statSync(file),
  );
  syncBuiltinESMExports();
}

it.each<[string, () => unknown]>([
  ['open', () => openSqlite(path)],
  ['read', async () => requireDatabaseFile(path)],
])('names the folder that this user must enter, but may not, to %s a database', async (_, open) => {
  closeFolder();
  await expect(open()).rejects.toMatchObject({
    name: 'OperatorError',
    exitCode: 1,
    message: expect.stringMatching(
      /^The database .+plant-store\.db cannot be opened: this user may not enter the folder \S+\/closed\.\nRun the command as/,
    ),
  });
});

it.each([
  [
    'ERR_DLOPEN_FAILED',
    "The module '/app/better_sqlite3.node' was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.",
  ],
  ['MODULE_NOT_FOUND', "Cannot find module '/app/better_sqlite3.node'\nRequire stack:\n- /app/binding.js"],
])('says what to do when the driver fails to load: %s', (code, message) => {
  const text = explainFailure(Object.assign(new Error(message), { code }), path);
  expect(text.split('\n')).toEqual([
    expect.stringMatching(
      /^The driver of SQLite, better-sqlite3, fails to load in Node\.js v\d+.+better_sqlite3/,
    ),
    'It was installed for another Node.js or another machine: remove node_modules, install again with this one, and build.',
  ]);
});

it('quotes any other reason', () => {
  expect(explainFailure(new Error('EROFS: read-only file system'), path)).toMatch(
    /cannot be opened: EROFS: read-only file system\nSet DATABASE_URL to/,
  );
});

it('retries more often once it has waited for long, and gives up at the timeout', async () => {
  const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  const startedAt = performance.now();
  const attempts: number[] = [];
  const retried = retryWhileBusy(() => {
    attempts.push(performance.now() - startedAt);
    return Promise.reject(busy);
  }, 800);
  await expect(retried).rejects.toBe(busy);
  const delays = attempts.slice(1).map((at, index) => ({ at, delayMs: at - (attempts[index] ?? 0) }));
  // A slow machine makes some longer, and none shorter. A timer may be a moment early.
  const shortest = (from: number, to: number) =>
    Math.min(...delays.filter(({ at }) => at > from && at < to).map(({ delayMs }) => delayMs));
  expect(shortest(0, 190)).toBeGreaterThan(8);
  expect(shortest(250, 800)).toBeLessThan(8);
  expect(Math.max(...attempts)).toBeLessThan(810);
});
