import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { measureCallers } from '../src/callers/callers.js';
import { killProcesses } from '../src/processes/start-process.js';
import { isNightly } from './support/is-nightly.js';
import { temporaryFolder } from './support/temporary-folder.js';

afterAll(killProcesses);

/** By default one attack, since each takes many seconds; in the mode `nightly` one of each manner. */
const measured = isNightly ? ['abandoned-lists', 'unread-pages', 'slow-bodies', 'gets', 'deletes'] : ['gets'];

it('measures other callers without and with an attack, and leaves no file but its results', async () => {
  const folder = temporaryFolder();
  const json = join(temporaryFolder(), 'callers.json');
  const printed: string[] = [];
  const settings = { database: 'sqlite', plants: 600, rounds: 1, seconds: 1, json } as const;
  const runs = await measureCallers(
    { ...settings, attacks: measured },
    { folder, print: (text) => printed.push(text), log: () => undefined },
  );
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(json) && JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    settings: { plants: 600 },
    runs,
  });
  expect(runs.map(({ attack }) => attack)).toEqual(measured);
  for (const { attack, without } of runs) {
    expect(without.creates.failures, attack).toEqual({});
    expect(without.creates.perSecond, attack).toBeGreaterThan(0);
    expect(without, attack).toMatchObject({ survived: true, notReady: 0 });
    expect(without.maxMemoryBytes, attack).toBeGreaterThan(1e7);
    expect(printed.join(), attack).toContain(`| ${attack} `);
  }
  const outcomesOf = (name: string) => runs.find(({ attack }) => attack === name)?.with.outcomes;
  expect(outcomesOf('gets')).toEqual({ 200: expect.any(Number) });
  if (!isNightly) return;
  expect(outcomesOf('abandoned-lists')).toMatchObject({ closed: expect.any(Number) });
  expect(outcomesOf('unread-pages')).not.toHaveProperty('200');
  expect(outcomesOf('slow-bodies')).not.toHaveProperty('200');
  expect(outcomesOf('deletes')).toEqual({ 204: expect.any(Number) });
});
