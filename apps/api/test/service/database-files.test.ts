import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { readReadiness } from '../support/admin-port.js';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { findLines } from '../support/read-log.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
let path: string;
beforeEach(async () => {
  service = await startTestService({ ADMIN_PORT: '0' });
  path = fileURLToPath(service.database.url);
  expect(await post(1)).toMatchObject({ status: 200 });
});

const post = (id: number) => postPlant(service, { id, name: 'Fern' }).then((reply) => reply);
const unavailable = { status: 503, body: { status: 'unavailable', reason: 'database_unavailable' } };
const readLosses = () => findLines(service, 'a database file is missing');

/** Longer than the results of comparing the files and of readiness checks are cached. */
const cacheMs = 600;
const gone = /plant-store\.db was deleted or moved away/;

function replace(): void {
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
}

it.each<[what: string, lose: () => void, message: RegExp]>([
  ['the file is deleted', () => rmSync(path), gone],
  ['its folder is deleted', () => rmSync(dirname(path), { recursive: true }), gone],
  ['the file is replaced', replace, /plant-store\.db was replaced by another file/],
  ['the write-ahead log is deleted', () => rmSync(`${path}-wal`), /-wal was (deleted|replaced)/],
  ['the index of that log is deleted', () => rmSync(`${path}-shm`), /-shm was deleted or moved away/],
])(
  'once %s acknowledges neither new plants nor retries, is not ready, and logs the loss once',
  async (_, lose, message) => {
    lose();
    await sleep(cacheMs);
    const again = /^The database is not responding\. Try again in 1 second\.$/;
    for (const id of [2, 1, 3]) expectError(await post(id), 'database_unavailable', again);
    expect(await readReadiness(service)).toEqual(unavailable);
    expect(readLosses()).toMatchObject([{ level: 50, err: { message: expect.stringMatching(message) } }]);
  },
);

it('notices in a readiness check that the file is gone, and stores plants again once its folder is moved back', async () => {
  renameSync(dirname(path), `${dirname(path)}-away`);
  await sleep(cacheMs);
  expect(await readReadiness(service)).toEqual(unavailable);
  expect(readLosses()).toHaveLength(1);
  expect(await post(2)).toMatchObject({ status: 503 });
  renameSync(`${dirname(path)}-away`, dirname(path));
  expect(await post(2)).toMatchObject({ status: 200 });
  expect((await post(1)).headers).toHaveProperty('idempotent-replayed');
  // A checkpoint that failed meanwhile is a warning until the next one.
  await expect.poll(() => readReadiness(service)).toEqual({ status: 200, body: { status: 'ready' } });
});
