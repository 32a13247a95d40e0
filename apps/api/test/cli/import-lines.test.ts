import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRows, storePath } from '../support/process/fill-store.js';
import { plantLine, toInput } from '../support/process/plant-lines.js';
import { issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Kinds of bad lines, each with the reported reason. */
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
  (id) => ({ text: plantLine(id, 'x'.repeat(2_000)).trim(), reason: 'The line is longer than 1088 bytes.' }),
  (id) => ({
    text: `{"id":${id},\u001b[2J}`,
    reason: `The line is not valid JSON: Expected a name in double quotes but got '\\u001b' at position ${`{"id":${id},`.length}.`,
  }),
];

it('reports each of 1,000 bad lines among 20,000, and imports the rest', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'plants.ndjson');
  const lines: (string | Buffer)[] = [];
  const bad: string[] = [];
  for (let number = 1; number <= 20_000; number++) {
    const kind = number % 20 === 0 ? kinds[(number / 20) % kinds.length] : undefined;
    const { text, reason } = kind?.(number) ?? { text: plantLine(number).trim(), reason: '' };
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
    stdout: '19000 imported, 0 already there, 1000 bad\n',
  });
  const expected = Array.from({ length: 20_000 }, (_, index) => index + 1).filter((id) => id % 20 !== 0);
  expect(readRows(storePath(folder))).toEqual(expected.map((id) => [BigInt(id), `plant ${id}`, null]));
});

it('accepts blank lines, carriage returns, a byte order mark, and a last line without a line break', async () => {
  const folder = temporaryFolder();
  const text = `\uFEFF${plantLine(1)}\r\n \n${plantLine(2).trim()}\r\nbad\n${plantLine(3).trim()}`;
  expect(await runCommand(['import'], { folder, input: toInput(text) })).toMatchObject({
    exitCode: 1,
    stdout: '3 imported, 0 already there, 1 bad\n',
    stderr: expect.stringMatching(/^line 5: The line is not valid JSON: .*\nplant-store: 1 line is bad/),
  });
});

it('accepts the export of the largest plant that a request can contain', async () => {
  const folder = temporaryFolder();
  const call = { folder, environment: { BODY_MAX_BYTES: '64' } };
  const name = 'x'.repeat(64 - '{"id":9e18,"name":""}'.length);
  const { command, baseUrl } = await startServe(call);
  const token = await issueToken(call);
  const reply = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{"id":9e18,"name":"${name}"}`,
  });
  expect(reply.status).toBe(200);
  await command.end('SIGTERM');

  const { stdout } = await runCommand(['export'], call);
  const other = { ...call, environment: { ...call.environment, DATABASE_URL: 'file:other.db' } };
  expect(await runCommand(['import'], { ...other, input: toInput(stdout) })).toMatchObject({ exitCode: 0 });
  expect(readRows(join(folder, 'other.db'))).toEqual([[9000000000000000000n, name, null]]);
});
