import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createClient } from '@plant-store/client';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { countPlants, fillStore, readRows, storePath } from '../support/process/fill-store.js';
import { plantLine, toInput } from '../support/process/plant-lines.js';
import { issueToken, runCommand, startCommand, startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

it('skips plants that are already stored', async () => {
  const folder = temporaryFolder();
  const text = plantLine(1) + plantLine(2) + plantLine(1);
  expect(await runInProcess(['import'], { folder, input: toInput(text) })).toEqual({
    exitCode: 0,
    stdout: '2 imported, 1 already there, 0 bad\n',
    stderr: '',
  });
  expect((await runInProcess(['import'], { folder, input: toInput(text, plantLine(3)) })).stdout).toBe(
    '1 imported, 3 already there, 0 bad\n',
  );
});

it('deletes the plants of its lines, whose ids stay taken, and exports them again', async () => {
  const folder = temporaryFolder();
  const lines = [
    plantLine(1),
    plantLine(2),
    '{"id":1,"deleted":true}\n',
    '{"id":3,"deleted":true}\n',
    '{"id":4,"name":"kept","deleted":true}\n',
  ];
  const imported = await runInProcess(['import'], { folder, input: toInput(...lines) });
  expect(imported).toEqual({ exitCode: 0, stdout: '5 imported, 0 already there, 0 bad\n', stderr: '' });
  const { stdout: exported, stderr } = await runInProcess(['export'], { folder });
  expect(stderr).toBe('2 plants exported.\n');
  expect(exported.match(/.*deleted.*/g)).toEqual(['{"id":1,"deleted":true}', '{"id":3,"deleted":true}']);
  expect((await runInProcess(['export', '--format', 'csv'], { folder })).stdout.match(/^\d+/gm)).toEqual([
    '2',
    '4',
  ]);
  expect((await runInProcess(['list'], { folder })).stdout.match(/^\d+/gm)).toEqual(['2', '4']);

  const other = temporaryFolder();
  await runInProcess(['import'], { folder: other, input: toInput(exported) });
  expect((await runInProcess(['export'], { folder: other })).stdout).toBe(exported);
  const late = toInput(plantLine(1), '{"id":1,"deleted":true}\n', '{"id":"5","deleted":true}\n');
  expect(await runInProcess(['import'], { folder: other, input: late })).toMatchObject({
    exitCode: 1,
    stdout: '0 imported, 1 already there, 2 bad\n',
    stderr: expect.stringMatching(
      /^line 1: The id 1 was that of a plant that was deleted.*\nline 3: .*id must be/,
    ),
  });
});

it('reports why a file cannot be read, and creates no store if it does not exist', async () => {
  const folder = temporaryFolder();
  expect(await runInProcess(['import', 'nowhere.ndjson'], { folder })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^plant-store: The plants cannot be read: ENOENT.*nowhere\.ndjson'\n$/),
  });
  expect(existsSync(storePath(folder))).toBe(false);
  expect(await runInProcess(['import', '.'], { folder })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('plant-store: The plants cannot be read: EISDIR'),
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'finishes the lines in flight on %s, and can continue from the line that it reports',
  async (signal) => {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 5_000 }, (_, index) => plantLine(index + 1));
    const input = new PassThrough();
    // The last line is incomplete, which must not be reported as bad.
    input.write(lines.slice(0, 4_500).join('') + lines[4_500]?.slice(0, 5));
    const command = startCommand(['import'], { folder, input });
    await until(() => countPlants(folder) >= 1_000);
    const stopped = await command.end(signal);
    expect(stopped).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `^Not imported to the end\\. Go on with: --from-line \\d+\\nplant-store: Stopped by ${signal}\\.\\n$`,
        ),
      ),
    });
    const [fromLine = ''] = /\d+/.exec(stopped.stderr) ?? [];
    const done = Number(fromLine) - 1;
    expect(stopped.stdout).toBe(`${done} imported, 0 already there, 0 bad\n`);
    expect(countPlants(folder)).toBe(done);

    const rest = await runCommand(['import', '--from-line', fromLine], {
      folder,
      input: toInput(lines.join('')),
    });
    expect(rest).toMatchObject({ exitCode: 0, stdout: `${5_000 - done} imported, 0 already there, 0 bad\n` });
    expect(countPlants(folder)).toBe(5_000);
  },
);

it('completes a killed import when it is run again', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'plants.ndjson');
  writeFileSync(file, Array.from({ length: 50_000 }, (_, index) => plantLine(index + 1)).join(''));
  const command = startCommand(['import', file], { folder });
  await until(() => countPlants(folder) >= 1_000, 1);
  await command.end('SIGKILL');
  const before = countPlants(folder);
  expect(await runCommand(['import', file], { folder })).toMatchObject({
    exitCode: 0,
    stdout: `${50_000 - before} imported, ${before} already there, 0 bad\n`,
  });
  expect(countPlants(folder)).toBe(50_000);
});

it('waits for a database that another program has locked', async () => {
  const folder = temporaryFolder();
  const path = await fillStore(folder, []);
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  const importing = runCommand(['import'], { folder, input: toInput(plantLine(1)) });
  // Longer than a single insert waits.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  other.exec('ROLLBACK');
  other.close();
  expect(await importing).toEqual({
    exitCode: 0,
    stdout: '1 imported, 0 already there, 0 bad\n',
    stderr: '',
  });
});

it('imports while a service stores plants in the same file', async () => {
  const folder = temporaryFolder();
  const { command, baseUrl } = await startServe({ folder });
  const token = await issueToken({ folder });
  // The import may lock the file for longer than a create waits, on a slow machine often.
  const client = createClient({ baseUrl, token, retries: 100, timeoutMs: 120_000 });
  let importing = true;
  let nextId = -1;
  const acknowledged: number[] = [];
  const createContinuously = async () => {
    while (importing) {
      const id = nextId--;
      expect((await client.createPlant({ body: { id, name: `plant ${id}` } })).status).toBe(200);
      acknowledged.push(id);
    }
  };
  const creating = Promise.all(Array.from({ length: 4 }, createContinuously));
  const file = join(folder, 'plants.ndjson');
  writeFileSync(file, Array.from({ length: 20_000 }, (_, index) => plantLine(index + 1)).join(''));
  const imported = await runCommand(['import', file], { folder });
  importing = false;
  await creating;
  await command.end('SIGTERM');

  expect(imported).toEqual({ exitCode: 0, stdout: '20000 imported, 0 already there, 0 bad\n', stderr: '' });
  const ids = Array.from({ length: 20_000 }, (_, index) => index + 1);
  expect(readRows(storePath(folder))).toEqual(
    [...acknowledged.toSorted((a, b) => a - b), ...ids].map((id) => [BigInt(id), `plant ${id}`, null]),
  );
});
