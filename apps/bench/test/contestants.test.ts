import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { allContestants } from '../src/contestants/all-contestants.js';
import { runContest } from '../src/run-contest.js';
import { startContestant } from '../src/start-contestant.js';
import { killProcesses } from '../src/start-process.js';

/** Two ends of the range from which the load takes its ids, and one id from elsewhere. */
const ids = [10 ** 15, Number.MAX_SAFE_INTEGER, 7];

afterAll(killProcesses);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function post(baseUrl: string, token: string | undefined, body: string) {
  const response = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, text };
}

describe.each(allContestants.filter(({ stores }) => stores))('$title', (contestant) => {
  it('stores what it acknowledges, and refuses what the others refuse', async () => {
    const { baseUrl, token, databasePath, readPeakMemory, stop } = await startContestant(
      contestant,
      temporaryFolder(),
    );

    for (const id of ids) {
      const { status, text } = await post(
        baseUrl,
        token,
        JSON.stringify({ id, name: `plant ${id}`, tag: 'tree' }),
      );
      expect({ status, body: JSON.parse(text) }).toEqual({
        status: 200,
        body: { name: `plant ${id}`, tag: 'tree' },
      });
    }
    const untagged = await post(baseUrl, token, '{"id":8,"name":"untagged"}');
    expect({ ...untagged, text: JSON.parse(untagged.text) }).toEqual({
      status: 200,
      text: { name: 'untagged' },
    });

    for (const body of [
      '{',
      '{}',
      '{"id":"9","name":"a"}',
      '{"id":9.5,"name":"a"}',
      '{"id":9,"name":"a","tag":1}',
    ]) {
      expect(await post(baseUrl, token, body), body).toMatchObject({ status: 400 });
    }
    for (const wrongToken of [undefined, 'wrong', `${token}x`]) {
      expect(await post(baseUrl, wrongToken, '{"id":9,"name":"a"}')).toMatchObject({ status: 401 });
    }

    expect(await readPeakMemory()).toBeGreaterThan(2 ** 20);
    await stop();
    const database = new Database(databasePath);
    expect(database.prepare('SELECT id, name, tag FROM plants ORDER BY id').all()).toEqual([
      { id: 7, name: 'plant 7', tag: 'tree' },
      { id: 8, name: 'untagged', tag: null },
      { id: ids[0], name: `plant ${ids[0]}`, tag: 'tree' },
      { id: ids[1], name: `plant ${ids[1]}`, tag: 'tree' },
    ]);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    database.close();
  });
});

describe('a contest', () => {
  it('drives every contestant, counts what is stored, and leaves no file', async () => {
    const folder = temporaryFolder();
    const runs = await runContest(
      allContestants,
      { rounds: 1, seconds: 0.3, warmupSeconds: 0.1, connections: [2] },
      { folder, remark: () => undefined },
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(runs.map(({ contestant }) => contestant)).toEqual(allContestants.map(({ name }) => name));
    for (const run of runs) {
      expect(run).toMatchObject({ valid: true, errors: 0, errorCounts: {} });
      expect(run.acknowledged).toBeGreaterThan(0);
      expect(run.requestsPerSecond).toBeGreaterThan(0);
      if (run.contestant !== 'floor') expect(run.storedPlants).toBeGreaterThanOrEqual(run.acknowledged);
    }
  });
});
