import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { issueToken, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('loses no acknowledged plant when it is killed repeatedly under load', async () => {
  const folder = temporaryFolder();
  const token = await issueToken({ folder });
  const acknowledged: number[] = [];
  let nextId = 1;

  for (let round = 0; round < 3; round++) {
    const { command, baseUrl } = await startServe({ folder, environment: { LOG_LEVEL: 'info' } });
    const client = createClient({ baseUrl, token });
    const enough = acknowledged.length + 100;

    const createUntilKilled = async () => {
      for (;;) {
        const id = nextId++;
        const reply = await client.createPlant({ body: { id, name: `plant ${id}` } }).catch(() => undefined);
        if (reply?.status !== 200) return;
        acknowledged.push(id);
        if (acknowledged.length === enough) command.process.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 8 }, createUntilKilled));
    expect((await command.end()).exitCode).toBeNull();
    expect(acknowledged.length).toBeGreaterThanOrEqual(enough);
  }

  const { command } = await startServe({ folder });
  await command.end('SIGTERM');
  const database = new Database(join(folder, 'data/plant-store.db'), { readonly: true });
  const stored = new Map(database.prepare<[], [number, string]>('SELECT id, name FROM plants').raw().all());
  expect(acknowledged.filter((id) => stored.get(id) !== `plant ${id}`)).toEqual([]);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});
