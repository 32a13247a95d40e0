import { rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers, { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { recordLog } from '../../../test/support/database/record-log.js';
import { identifyFiles } from './file-identity.js';
import { checkIntervalMs, createTransact, guardFiles, retryWhileBusy } from './transact.js';

const unavailable = { errorName: 'database_unavailable', headers: { 'Retry-After': '1' } };
const never = () => {
  throw new Error('the log must not be saved');
};

/** Opens a database, and guards its files. */
async function open() {
  const { path } = await openSqliteFile();
  const { log, lines } = recordLog();
  const guard = guardFiles(identifyFiles(path), log, never);
  return { path, lines, guard, transact: createTransact(guard, log) };
}

it.each([
  ['took long', () => sleep(2 * checkIntervalMs)],
  ['failed', () => Promise.reject(new Error('disk I/O error'))],
])('acknowledges nothing if the file is deleted during the commit, which %s', async (_, end) => {
  const { path, transact } = await open();
  expect(await transact(async () => 'stored')).toBe('stored');
  const storing = transact(async () => {
    rmSync(path);
    await end();
  });
  await expect(storing).rejects.toMatchObject(unavailable);
});

it('passes on any other error unchanged', async () => {
  const { lines, transact } = await open();
  await expect(transact(async () => never())).rejects.toThrow('must not be saved');
  expect(lines).toEqual([]);
});

it('retries more often after a long wait, and gives up at the timeout', async () => {
  const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  let now = 0;
  const attempts: number[] = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  // This also updates named imports of the built-in module.
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms = 0) => {
    now += ms;
    return undefined as never;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const retried = retryWhileBusy(() => {
    attempts.push(now);
    return Promise.reject(busy);
  }, 800);
  await expect(retried).rejects.toBe(busy);
  const delays = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
  expect(delays).toEqual([...Array(20).fill(10), ...Array(300).fill(2)]);
});
