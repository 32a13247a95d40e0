import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { createClient } from '@plant-store/client';
import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { fillStore, readRows } from '../support/process/fill-store.js';
import { runCommand, startCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/process/temporary-folder.js';

const line = (id: number | bigint, name = `plant ${id}`) => `{"id":${id},"name":${JSON.stringify(name)}}\n`;
const inputOf = (...parts: (string | Buffer)[]) => Readable.from(parts.map((part) => Buffer.from(part)));
const storeIn = (folder: string) => join(folder, 'data/plant-store.db');

/** Ways to be bad, each with what is said of it. */
const kinds: ((id: number) => { text: string | Buffer; reason: string })[] = [
  (id) => ({
    text: `{"id":${id}`,
    reason: `The line is not valid JSON: Expected ',' or '}' but reached end of input at position ${`{"id":${id}`.length}.`,
  }),
  (id) => ({
    text: Buffer.from(`{"id":${id},"name":"caf\xe9"}`, 'latin1'),
    reason: 'The line is not valid JSON: it is not in UTF-8.',
  }),
  (id) => ({
    text: `{"id":"${id}","tag":null}`,
    reason:
      'The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807; name is required; tag must be a string.',
  }),
  () => ({
    text: '{"id":9223372036854775808,"name":"x"}',
    reason: 'The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807.',
  }),
  () => ({
    text: '{"id":1,"name":"another plant"}',
    reason: 'The id 1 belongs to another plant.',
  }),
  (id) => ({ text: line(id, 'x'.repeat(2_000)).trim(), reason: 'The line is longer than 1088 bytes.' }),
  (id) => ({
    text: `{"id":${id},"name":"x","\\u001b[2J\\n":1,"\\u001b[2J\\n":2}`,
    reason: `The line is not valid JSON: Duplicate member '\\u001b[2J\\u000a' with a different value at position ${`{"id":${id},"name":"x","\\u001b[2J\\n":1,`.length}.`,
  }),
];

it('names each of 1,000 bad lines among 100,000, and imports the rest', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'plants.ndjson');
  const lines: (string | Buffer)[] = [];
  const bad: string[] = [];
  for (let number = 1; number <= 100_000; number++) {
    const kind = number % 100 === 0 ? kinds[(number / 100) % kinds.length] : undefined;
    const { text, reason } = kind?.(number) ?? { text: line(number).trim(), reason: '' };
    lines.push(Buffer.concat([Buffer.from(text), Buffer.from('\n')]));
    if (kind !== undefined) bad.push(`line ${number}: ${reason}`);
  }
  writeFileSync(file, Buffer.concat(lines.map((text) => Buffer.from(text))));

  const call = { folder, environment: { BODY_MAX_BYTES: '1024' } };
  const { exitCode, stdout, stderr } = await runCommand(['import', file], call);
  expect(bad).toHaveLength(1_000);
  expect(stderr.split('\n')).toEqual([
    ...bad,
    'plant-store: 1000 lines are bad and changed nothing. Fix them and import the file again: plants already stored are left unchanged.',
    '',
  ]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: '99000 imported, 0 already there, 1000 bad\n',
  });
  const expected = Array.from({ length: 100_000 }, (_, index) => index + 1).filter((id) => id % 100 !== 0);
  expect(readRows(storeIn(folder))).toEqual(expected.map((id) => [BigInt(id), `plant ${id}`, null]));
});

it('imports the same plants twice without a change', async () => {
  const folder = temporaryFolder();
  const text = line(1) + line(2) + line(1);
  expect(await runCommand(['import'], { folder, input: inputOf(text) })).toEqual({
    exitCode: 0,
    stdout: '2 imported, 1 already there, 0 bad\n',
    stderr: '',
  });
  expect((await runCommand(['import'], { folder, input: inputOf(text, line(3)) })).stdout).toBe(
    '1 imported, 3 already there, 0 bad\n',
  );
});

it('takes blank lines, carriage returns, a byte order mark, and a last line without its end', async () => {
  const folder = temporaryFolder();
  const text = `\uFEFF${line(1)}\r\n \n${line(2).trim()}\r\nbad\n${line(3).trim()}`;
  expect(await runCommand(['import'], { folder, input: inputOf(text) })).toMatchObject({
    exitCode: 1,
    stdout: '3 imported, 0 already there, 1 bad\n',
    stderr: expect.stringMatching(/^line 5: The line is not valid JSON: .*\nplant-store: 1 line is bad/),
  });
});

it('takes every line that a request may hold, written in full', async () => {
  const folder = temporaryFolder();
  const call = { folder, environment: { BODY_MAX_BYTES: '64' } };
  const name = 'x'.repeat(64 - '{"id":9e18,"name":""}'.length);
  const { command, baseUrl } = await startServe(call);
  const token = (await runCommand(['token', 'create', '--name', 'test'], call)).stdout.trim();
  const reply = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{"id":9e18,"name":"${name}"}`,
  });
  expect(reply.status).toBe(200);
  await command.end('SIGTERM');

  const { stdout } = await runCommand(['export'], call);
  const other = { ...call, environment: { ...call.environment, DATABASE_URL: 'file:other.db' } };
  expect(await runCommand(['import'], { ...other, input: inputOf(stdout) })).toMatchObject({ exitCode: 0 });
  expect(readRows(join(folder, 'other.db'))).toEqual([[9000000000000000000n, name, null]]);
});

it('says why a file cannot be read, and creates no store for it', async () => {
  const folder = temporaryFolder();
  expect(await runCommand(['import', 'nowhere.ndjson'], { folder })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^plant-store: The plants cannot be read: ENOENT.*nowhere\.ndjson'\n$/),
  });
  expect(await runCommand(['import', '.'], { folder })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('plant-store: The plants cannot be read: EISDIR'),
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'finishes what is under way on %s, and goes on where it says',
  async (signal) => {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 5_000 }, (_, index) => line(index + 1));
    const input = new PassThrough();
    // The last line is cut off: it must not be taken for a bad one.
    input.write(lines.slice(0, 4_500).join('') + lines[4_500]?.slice(0, 5));
    const command = startCommand(['import'], { folder, input });
    await vi.waitUntil(() => countPlants(folder) >= 1_000, { timeout: 30_000 });
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
      input: inputOf(lines.join('')),
    });
    expect(rest).toMatchObject({ exitCode: 0, stdout: `${5_000 - done} imported, 0 already there, 0 bad\n` });
    expect(countPlants(folder)).toBe(5_000);
  },
);

it('completes an import that was killed when it is run again', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'plants.ndjson');
  writeFileSync(file, Array.from({ length: 50_000 }, (_, index) => line(index + 1)).join(''));
  const command = startCommand(['import', file], { folder });
  await vi.waitUntil(() => countPlants(folder) >= 1_000, { timeout: 30_000, interval: 1 });
  await command.end('SIGKILL');
  const before = countPlants(folder);
  expect(await runCommand(['import', file], { folder })).toMatchObject({
    exitCode: 0,
    stdout: `${50_000 - before} imported, ${before} already there, 0 bad\n`,
  });
  expect(countPlants(folder)).toBe(50_000);
});

it('waits for a database that another program holds', async () => {
  const folder = temporaryFolder();
  const path = await fillStore(folder, []);
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  const importing = runCommand(['import'], { folder, input: inputOf(line(1)) });
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
  const token = (await runCommand(['token', 'create', '--name', 'test'], { folder })).stdout.trim();
  const client = createClient({ baseUrl, token });
  let importing = true;
  let nextId = -1;
  const acknowledged: number[] = [];
  const createAllTheWhile = async () => {
    while (importing) {
      const id = nextId--;
      expect((await client.createPlant({ body: { id, name: `plant ${id}` } })).status).toBe(200);
      acknowledged.push(id);
    }
  };
  const creating = Promise.all(Array.from({ length: 4 }, createAllTheWhile));
  const file = join(folder, 'plants.ndjson');
  writeFileSync(file, Array.from({ length: 20_000 }, (_, index) => line(index + 1)).join(''));
  const imported = await runCommand(['import', file], { folder });
  importing = false;
  await creating;
  await command.end('SIGTERM');

  expect(imported).toEqual({ exitCode: 0, stdout: '20000 imported, 0 already there, 0 bad\n', stderr: '' });
  const ids = Array.from({ length: 20_000 }, (_, index) => index + 1);
  expect(readRows(storeIn(folder))).toEqual(
    [...acknowledged.toSorted((a, b) => a - b), ...ids].map((id) => [BigInt(id), `plant ${id}`, null]),
  );
});

function countPlants(folder: string): number {
  try {
    const database = new Database(storeIn(folder), { readonly: true });
    const count = database.prepare<[], number>('SELECT count(*) FROM plants').pluck().get();
    database.close();
    return count ?? 0;
  } catch {
    // It is not created yet.
    return 0;
  }
}
