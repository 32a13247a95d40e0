import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readPackage } from '../../src/package-folder.js';
import { getFile } from '../support/get-file.js';
import { startStore } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const tarball = `plant-store-client-${readPackage().version}.tgz`;

it('serves the packed client, which npm installs from its file alone, and which stores a plant', async () => {
  const { command, baseUrl, token } = await startStore();
  const { status, headers, content } = await getFile(baseUrl, '/client.tgz');
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'no-cache',
    'content-disposition': `attachment; filename="${tarball}"`,
    'repr-digest': `sha-512=:${createHash('sha512').update(content).digest('base64')}:`,
  });
  const { 'x-request-id': _id, date: _date, ...same } = headers;
  for (const method of ['GET', 'HEAD']) {
    const ask = (etag: string) => getFile(baseUrl, '/client.tgz', { 'If-None-Match': etag }, method);
    const other = await ask('"another"');
    expect([other.status, other.content.length]).toEqual([200, method === 'HEAD' ? 0 : content.length]);
    expect(other.headers).toMatchObject(same);
    const again = await ask(`${headers['etag']}`);
    expect([again.status, again.content.length], method).toEqual([304, 0]);
  }
  expect((await fetch(`${baseUrl}/client.tgz`, { method: 'POST' })).status).toBe(405);

  const project = temporaryFolder();
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
  writeFileSync(join(project, tarball), content);
  const offline = ['--registry=http://127.0.0.1:9', '--fetch-retries=0', '--no-audit'];
  const cache = `--cache=${join(project, 'cache')}`;
  await run('npm', ['install', `./${tarball}`, ...offline, cache], { cwd: project });
  const program = `
    import { createClient } from '@plant-store/client';
    const client = createClient({ baseUrl: '${baseUrl}', token: process.env.TOKEN });
    const { status } = await client.createPlant({ body: { id: 9223372036854775807n, name: 'Monstera' } });
    const read = await client.getPlant({ params: { id: 9223372036854775807n } });
    console.log(status, read.body.id);`;
  writeFileSync(join(project, 'program.js'), program);
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: project, env: { TOKEN: token } });
  expect(stdout).toBe('200 9223372036854775807n\n');
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const { integrity } = lock.packages['node_modules/@plant-store/client'];
  expect(headers['repr-digest']).toBe(`sha-512=:${integrity.replace('sha512-', '')}:`);
  const documentation = await (await fetch(`${baseUrl}/docs`)).text();
  expect(documentation).toContain(`<a href="client.tgz">${tarball}</a>`);
  expect(documentation).toContain(`<code>${integrity}</code>`);
  await command.end('SIGTERM');
});
