import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { toInput } from '../support/process/plant-lines.js';
import { startServe } from '../support/process/run-command.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('moves tokens to PostgreSQL, where they keep working or stay revoked', async () => {
  const folder = temporaryFolder();
  const issue = async (name: string) =>
    (await runInProcess(['token', 'create', '--name', name], { folder })).stdout.trim();
  const tokens = [await issue('kept'), await issue('revoked')];
  await runInProcess(['token', 'revoke', '2'], { folder });
  const exported = await runInProcess(['token', 'export'], { folder });
  expect(exported.stderr).toBe('2 tokens exported.\n');
  for (const token of tokens) expect(exported.stdout).not.toContain(token);
  writeFileSync(join(folder, 'tokens.ndjson'), exported.stdout);

  const environment = { DATABASE_URL: await createDatabase(inject('postgresqlUrl')) };
  const target = { folder, environment };
  for (const stdout of ['2 imported, 0 already there\n', '0 imported, 2 already there\n']) {
    expect(await runInProcess(['token', 'import', 'tokens.ndjson'], target)).toMatchObject({
      exitCode: 0,
      stdout,
    });
  }
  expect((await runInProcess(['token', 'export'], target)).stdout).toBe(exported.stdout);

  const { command, baseUrl } = await startServe(target);
  const create = async (token: string | undefined) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body: '{"id":1,"name":"Fern"}' }))
      .status;
  };
  expect([await create(tokens[0]), await create(tokens[1])]).toEqual([200, 401]);
  await command.end('SIGTERM');
});

it('imports nothing from a file with bad lines, and reports each', async () => {
  const folder = temporaryFolder();
  const good = {
    name: 'shop',
    hash: 'a'.repeat(64),
    createdAt: '2026-01-02T03:04:05.678Z',
    expiresAt: null,
    revokedAt: null,
  };
  const lines = [good, { ...good, hash: 'A' }, { ...good, createdAt: 'soon' }, { ...good, text: 'pst_x' }];
  const content = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n{`;
  writeFileSync(join(folder, 'tokens.ndjson'), content);
  const { exitCode, stdout, stderr } = await runInProcess(['token', 'import', 'tokens.ndjson'], { folder });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('line 2: hash: must be a SHA-256 in hexadecimal');
  for (const issue of ['line 3: createdAt: ', 'line 4: ', 'line 6: ']) expect(stderr).toContain(issue);
  expect(stderr).not.toContain('line 1:');
  const list = await runInProcess(['token', 'list'], { folder });
  expect(list.stdout).toBe('');
});

it('ends early, with a short message, for a file that is something else', async () => {
  const folder = temporaryFolder();
  const importing = async (...lines: string[]) => {
    const input = toInput(...lines);
    const { exitCode, stdout, stderr } = await runInProcess(['token', 'import'], { folder, input });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.length).toBeLessThan(2_000);
    return { stderr, isRead: input.readableEnded };
  };
  expect(await importing('x'.repeat(2 ** 21))).toMatchObject({ stderr: expect.stringContaining('line 1: ') });
  expect(await importing(JSON.stringify({ [`\u001b${'x'.repeat(10_000)}`]: 1 }))).toMatchObject({
    stderr: expect.stringMatching(/line 1: .*\\u001bx+…$/m),
  });
  const many = await importing(...Array.from({ length: 100 }, () => 'x\n'));
  expect(many.stderr.match(/line \d+/g)).toHaveLength(20);
  expect(many.isRead).toBe(false);
});

it('reports a missing file', async () => {
  const { exitCode, stderr } = await runInProcess(['token', 'import', 'nowhere'], {
    folder: temporaryFolder(),
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('The tokens cannot be read: ENOENT');
});

it('limits tokens that an earlier version exported to what they could do', async () => {
  const folder = temporaryFolder();
  const token = {
    name: 'shop',
    hash: 'a'.repeat(64),
    createdAt: new Date(),
    expiresAt: null,
    revokedAt: null,
  };
  const importing = (tokens: readonly object[]) => {
    writeFileSync(join(folder, 'tokens.ndjson'), tokens.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return runInProcess(['token', 'import', 'tokens.ndjson'], { folder });
  };
  for (const scopes of [[], ['write'], 'read'])
    expect(await importing([{ ...token, scopes }])).toMatchObject({ exitCode: 1 });
  const imported = await importing([token, { ...token, hash: 'b'.repeat(64), scopes: ['read'] }]);
  expect(imported).toMatchObject({ exitCode: 0 });
  const { stdout } = await runInProcess(['token', 'list'], { folder });
  expect(stdout.match(/\S+$/gm)).toEqual(['create', 'read']);
});
