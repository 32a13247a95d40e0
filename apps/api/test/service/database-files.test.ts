import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import supertest from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import type { LogLine } from '../support/read-log.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

let service: TestService;
let path: string;
beforeEach(async () => {
  service = await startTestService({ ADMIN_PORT: '0' });
  path = fileURLToPath(service.database.url);
  expect((await postPlant(service, stored)).status).toBe(200);
});
afterEach(() => service.stop());

const stored = { id: 1, name: 'Fern' };
/** Longer than the results of comparing the files and of readiness checks are cached. */
const cacheMs = 600;

const readReadiness = () => supertest(service.adminUrl ?? '').get('/readyz');
const readLosses = () =>
  service.logLines
    .map((line): LogLine => JSON.parse(line))
    .filter(({ msg }) => msg === 'a file of the database is gone');

describe.each<[what: string, lose: () => void, message: RegExp]>([
  ['the file is deleted', () => rmSync(path), /plant-store\.db was deleted or moved away/],
  [
    'its folder is deleted',
    () => rmSync(dirname(path), { recursive: true }),
    /plant-store\.db was deleted or moved away/,
  ],
  ['the file is replaced', replaceFile, /plant-store\.db was replaced by another file/],
  ['the write-ahead log is deleted', () => rmSync(`${path}-wal`), /-wal was (deleted|replaced)/],
  ['the index of that log is deleted', () => rmSync(`${path}-shm`), /-shm was deleted or moved away/],
])('once %s', (_, lose, message) => {
  it('acknowledges neither new plants nor retries, is not ready, and logs the loss once', async () => {
    lose();
    await sleep(cacheMs);
    for (const plant of [{ id: 2, name: 'Monstera' }, stored, { id: 3, name: 'Monstera' }]) {
      const reply = await postPlant(service, plant);
      expectError(reply, 'database_unavailable', /^The database does not answer\. Try again in 1 second\.$/);
    }
    const readiness = await readReadiness();
    expect(readiness.status).toBe(503);
    expect(readiness.body).toEqual({ status: 'unavailable', reason: 'database_unavailable' });
    expect(readLosses()).toMatchObject([{ level: 50, err: { message: expect.stringMatching(message) } }]);
  });
});

it('notices in a readiness check that the file is gone', async () => {
  rmSync(path);
  await sleep(cacheMs);
  expect((await readReadiness()).status).toBe(503);
  expect(readLosses()).toHaveLength(1);
});

it('stores plants again once the same folder is moved back', async () => {
  renameSync(dirname(path), `${dirname(path)}-away`);
  await sleep(cacheMs);
  expect((await postPlant(service, { id: 2, name: 'Monstera' })).status).toBe(503);
  expect((await readReadiness()).status).toBe(503);
  renameSync(`${dirname(path)}-away`, dirname(path));
  expect((await postPlant(service, { id: 2, name: 'Monstera' })).status).toBe(200);
  expect((await postPlant(service, stored)).headers).toHaveProperty('idempotent-replayed');
  // A checkpoint that failed meanwhile is a warning until the next one.
  await until(async () => isDeepStrictEqual((await readReadiness()).body, { status: 'ready' }));
});

function replaceFile(): void {
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
}
