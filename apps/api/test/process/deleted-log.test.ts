import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'keeps every acknowledged plant if the write-ahead log is deleted and it exits by %s',
  async (signal) => {
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const { command, baseUrl } = await startServe({ folder });
    const acknowledged: number[] = [];
    const post = async (id: number) => {
      const { status } = await postPlant({ baseUrl, token }, { id, name: 'Fern' });
      if (status === 200) acknowledged.push(id);
      return status;
    };
    expect(await post(0)).toBe(200);
    rmSync(join(folder, 'data/plant-store.db-wal'));
    let id = 0;
    while ((await post(++id)) === 200);
    await command.end(signal);

    const { stdout } = await runCommand(['export'], { folder });
    const ids = stdout
      .trim()
      .split('\n')
      .map((line): number => JSON.parse(line).id);
    expect(ids).toEqual(expect.arrayContaining(acknowledged));
  },
);
