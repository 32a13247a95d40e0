import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { createDatabase } from '@plant-store/postgresql-server';
import { describe, expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { plantLine, toInput } from '../support/process/plant-lines.js';
import { issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe.each(['SQLite', 'PostgreSQL'])('on %s', (engine) => {
  /** A store with the plants 1 to 3, and how to run commands on it. */
  async function createStore() {
    const folder = temporaryFolder();
    const url = engine === 'SQLite' ? 'file:plants.db' : await createDatabase(inject('postgresqlUrl'));
    const call = { folder, environment: { DATABASE_URL: url } };
    const run = (args: readonly string[], text = '') => runInProcess(args, { ...call, input: toInput(text) });
    await run(['import'], plantLine(1) + plantLine(2) + plantLine(3));
    return { folder, run, exportAll: async () => (await run(['export'])).stdout };
  }

  it('deletes plants by their ids, which stay taken, and does nothing when it is repeated', async () => {
    const { run, exportAll } = await createStore();
    expect(await run(['delete', '1', '3'])).toEqual({
      exitCode: 0,
      stdout: '2 deleted, 0 deleted before, 0 never existed, 0 bad\n',
      stderr: '',
    });
    const exported = await exportAll();
    expect(exported.replace(/,"addedAt":"[^"]+"/, '')).toBe(
      `{"id":1,"deleted":true}\n${plantLine(2)}{"id":3,"deleted":true}\n`,
    );
    expect(await run(['delete', '3', '1', '1'])).toEqual({
      exitCode: 0,
      stdout: '0 deleted, 3 deleted before, 0 never existed, 0 bad\n',
      stderr: '',
    });
    expect((await run(['import'], plantLine(1))).stderr).toMatch(/^line 1: The id 1 was that of a plant/);
    expect(await exportAll()).toBe(exported);
  });

  it('reports ids that no plant ever had, which stay free', async () => {
    const { run, exportAll } = await createStore();
    expect(await run(['delete', '-9223372036854775808', '2', '4'])).toEqual({
      exitCode: 1,
      stdout: '1 deleted, 0 deleted before, 2 never existed, 0 bad\n',
      stderr: [
        'argument 1: No plant has ever had the id -9223372036854775808.',
        'argument 3: No plant has ever had the id 4.',
        'plant-store: 2 arguments name no plant and changed nothing. The plants of all others are deleted.',
        '',
      ].join('\n'),
    });
    expect(await exportAll()).not.toContain('"id":4');
    expect((await run(['import'], plantLine(4))).stdout).toBe('1 imported, 0 already there, 0 bad\n');
  });

  it('deletes those of a file or of standard input, and reports lines that have no id', async () => {
    const { folder, run, exportAll } = await createStore();
    const text = '\uFEFF3\r\n\n"1"\n 1e0 \n1.5\n9223372036854775808\nid\n[2]\n3\n7';
    const bad =
      'The line is neither an id, from -9223372036854775808 to 9223372036854775807, nor a JSON object with one.';
    const expected = {
      exitCode: 1,
      stdout: '2 deleted, 1 deleted before, 1 never existed, 5 bad\n',
      stderr: [
        ...[3, 5, 6, 7, 8].map((number) => `line ${number}: ${bad}`),
        'line 10: No plant has ever had the id 7.',
        'plant-store: 6 lines name no plant and changed nothing. The plants of all others are deleted.',
        '',
      ].join('\n'),
    };
    writeFileSync(join(folder, 'ids.txt'), text);
    expect(await run(['delete', '--from', 'ids.txt'])).toEqual(expected);
    expect((await exportAll()).match(/"id":\d+,"name"/g)).toEqual(['"id":2,"name"']);
    expect(await run(['delete', '--from', '-', '--from-line', '9'], text)).toMatchObject({
      exitCode: 1,
      stdout: '0 deleted, 1 deleted before, 1 never existed, 0 bad\n',
    });
  });

  it('deletes the plants of an export, in several batches', async () => {
    const { run, exportAll } = await createStore();
    await run(['delete', '2']);
    const lines = Array.from({ length: 2_500 }, (_, index) => plantLine(index + 10));
    await run(['import'], lines.join(''));
    const exported = await exportAll();
    expect(await run(['delete', '--from', '-'], exported)).toEqual({
      exitCode: 0,
      stdout: '2502 deleted, 1 deleted before, 0 never existed, 0 bad\n',
      stderr: '',
    });
    expect((await run(['list'])).stdout).not.toContain('plant');
    expect((await exportAll()).match(/"deleted":true/g)).toHaveLength(2_503);
  });
});

it('reports why a file cannot be read', async () => {
  const folder = temporaryFolder();
  await runInProcess(['import'], { folder, input: toInput(plantLine(1)) });
  expect(await runInProcess(['delete', '--from', 'nowhere'], { folder })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^plant-store: The plants cannot be read: ENOENT/),
  });
  expect(await runInProcess(['delete', '--from', '.'], { folder })).toMatchObject({
    exitCode: 1,
    stdout: '0 deleted, 0 deleted before, 0 never existed, 0 bad\n',
    stderr: expect.stringMatching(
      /^Not deleted to the end\. Go on with: --from-line 1\nplant-store: The plants cannot be read: EISDIR/,
    ),
  });
});

it('deletes while a service uses the same file, which knows of it at once', async () => {
  const folder = temporaryFolder();
  const { command, baseUrl } = await startServe({ folder });
  const client = createClient({ baseUrl, token: await issueToken({ folder }) });
  await client.createPlant({ body: { id: 1, name: 'Fern' } });
  await client.createPlant({ body: { id: 2, name: 'Rose' } });
  expect(await runCommand(['delete', '1'], { folder })).toEqual({
    exitCode: 0,
    stdout: '1 deleted, 0 deleted before, 0 never existed, 0 bad\n',
    stderr: '',
  });
  expect((await client.getPlant({ params: { id: 1 } })).status).toBe(404);
  expect((await client.createPlant({ body: { id: 1, name: 'Fern' } })).status).toBe(400);
  expect((await client.getPlant({ params: { id: 2 } })).status).toBe(200);
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
});
