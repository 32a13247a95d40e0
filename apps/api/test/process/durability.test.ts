import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRow, readRows, storePath } from '../support/process/fill-store.js';
import { startStore } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('loses no acknowledged plant when it is killed repeatedly under load', async () => {
  const folder = temporaryFolder();
  const acknowledged: number[] = [];
  let nextId = 1;
  for (let round = 0; round < 2; round++) {
    const { command, client } = await startStore({ LOG_LEVEL: 'info' }, folder);
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
  expect(readRow(storePath(folder), 'PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  const stored = new Map(readRows(storePath(folder)).map(([id, name]) => [Number(id), name]));
  expect(acknowledged.filter((id) => stored.get(id) !== `plant ${id}`)).toEqual([]);
});

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'keeps every acknowledged plant if the write-ahead log is deleted and it exits by %s',
  async (signal) => {
    const { folder, command, client } = await startStore();
    const acknowledged: bigint[] = [];
    const create = async (id: bigint) => {
      const { status } = await client.createPlant({ body: { id, name: 'Fern' } });
      if (status === 200) acknowledged.push(id);
      return status;
    };
    expect(await create(0n)).toBe(200);
    rmSync(`${storePath(folder)}-wal`);
    for (let id = 1n; (await create(id)) === 200; id++);
    await command.end(signal);
    const ids = readRows(storePath(folder)).map(([id]) => id);
    expect(ids).toEqual(expect.arrayContaining(acknowledged));
  },
);
