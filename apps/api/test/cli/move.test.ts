import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import type {} from '../support/postgresql/global-setup.js';
import { useCommands } from '../support/process/run-in-process.js';
import { startTestService } from '../support/start-test-service.js';

it('moves tokens to PostgreSQL, where they keep working or stay revoked', async () => {
  const { folder, run } = useCommands();
  const issue = async (name: string) => (await run(`token create --name ${name}`)).stdout.trim();
  const tokens = [await issue('kept'), await issue('revoked')];
  await run('token revoke 2');
  const exported = await run('token export');
  expect(exported.stderr).toBe('2 tokens exported.\n');
  for (const token of tokens) expect(exported.stdout).not.toContain(token);
  writeFileSync(join(folder, 'tokens.ndjson'), exported.stdout);

  const environment = { DATABASE_URL: await createDatabase(inject('postgresqlUrl')) };
  const target = useCommands(environment, folder);
  for (const stderr of ['2 imported, 0 already there\n', '0 imported, 2 already there\n'])
    expect(await target.run('token import tokens.ndjson')).toMatchObject({ exitCode: 0, stderr });
  expect((await target.run('token export')).stdout).toBe(exported.stdout);

  const service = await startTestService(environment);
  const replies = tokens.map((token) => postPlant({ ...service, token }, { id: 1, name: 'Fern' }));
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 401]);
});

const token = { name: 'shop', hash: 'a'.repeat(64), createdAt: new Date(), expiresAt: null, revokedAt: null };
const toLines = (...tokens: readonly object[]) => tokens.map((line) => `${JSON.stringify(line)}\n`).join('');

it('imports nothing from a file with bad lines, and reports each', async () => {
  const { run } = useCommands();
  const bad = [{ hash: 'A' }, { createdAt: 'soon' }, { text: 'x' }].map((field) => ({ ...token, ...field }));
  const { exitCode, stdout, stderr } = await run('token import', `${toLines(token, ...bad)}\n{`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  for (const issue of [
    'line 2: hash: must be a hexadecimal SHA-256',
    'line 3: createdAt: ',
    'line 4: ',
    'line 6: ',
  ])
    expect(stderr).toContain(issue);
  expect(stderr).not.toContain('line 1:');
  expect((await run('token list')).stdout).toBe('');
});

it('ends early, with a short message, for a file that is something else', async () => {
  function* endless() {
    for (;;) yield Buffer.from('x\n');
  }
  for (const [input, message] of [
    ['x'.repeat(2 ** 21), /line 1: /],
    [toLines({ [`\u001b${'x'.repeat(10_000)}`]: 1 }), /line 1: .*\\u001bx+…$/m],
    [Readable.from(endless()), /( {2}line \d+: .*\n?){20}/],
  ] as const) {
    const { exitCode, stderr } = await useCommands().run('token import', input);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) });
    expect(stderr.length).toBeLessThan(2_000);
  }
});

it('limits tokens that an earlier version exported to what they could do', async () => {
  const { run } = useCommands();
  for (const scopes of [[], ['write'], 'read'])
    expect(await run('token import', toLines({ ...token, scopes }))).toMatchObject({ exitCode: 1 });
  const other = { ...token, hash: 'b'.repeat(64), scopes: ['read'] };
  expect(await run('token import', toLines(token, other))).toMatchObject({ exitCode: 0 });
  expect((await run('token list')).stdout.match(/\S+$/gm)).toEqual(['SCOPES', 'create', 'read']);
});
