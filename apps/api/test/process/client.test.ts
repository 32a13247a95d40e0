import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readPackage } from '../../src/package-folder.js';
import { getFile } from '../support/get-file.js';
import { startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const tarball = `plant-store-client-${readPackage().version}.tgz`;

async function serve(environment: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const { command, baseUrl } = await startServe({ folder, environment }, ['--quickstart']);
  onTestFinished(async () => void (await command.end('SIGTERM')));
  return { baseUrl, token: readFileSync(join(folder, 'data/access-token'), 'utf8').trim() };
}

it('serves the packed client with its file name and integrity, and 304 to whoever has it', async () => {
  const { baseUrl } = await serve();
  const { status, headers, content } = await getFile(baseUrl, '/client.tgz');
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'no-cache',
    'content-disposition': `attachment; filename="${tarball}"`,
    'repr-digest': `sha-512=:${createHash('sha512').update(content).digest('base64')}:`,
  });
  const head = await getFile(baseUrl, '/client.tgz', {}, 'HEAD');
  expect([head.status, head.content.length]).toEqual([200, 0]);
  const { 'x-request-id': _id, date: _date, ...same } = headers;
  expect(head.headers).toMatchObject(same);
  expect(head.headers['content-length']).toBe(`${content.length}`);
  for (const method of ['GET', 'HEAD']) {
    const ifNoneMatch = { 'If-None-Match': `${headers['etag']}` };
    const again = await getFile(baseUrl, '/client.tgz', ifNoneMatch, method);
    expect([again.status, again.content.length], method).toEqual([304, 0]);
    const other = await getFile(baseUrl, '/client.tgz', { 'If-None-Match': '"another"' }, method);
    expect(other.status, method).toBe(200);
  }
  expect((await fetch(`${baseUrl}/client.tgz`, { method: 'POST' })).status).toBe(405);
});

it('is installed by npm from its file alone, and stores a plant', async () => {
  const { baseUrl, token } = await serve();
  const { headers, content } = await getFile(baseUrl, '/client.tgz');
  const project = temporaryFolder();
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
  const offline = ['--registry=http://127.0.0.1:9', '--fetch-retries=0', '--no-audit'];
  const cache = `--cache=${join(project, 'cache')}`;
  writeFileSync(join(project, tarball), content);
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
  expect(documentation).toContain(`<a href="/client.tgz">${tarball}</a>`);
  expect(documentation).toContain(`<code>${integrity}</code>`);
});

it('is left out by CLIENT=off', async () => {
  const { baseUrl } = await serve({ CLIENT: 'off' });
  expect((await fetch(`${baseUrl}/client.tgz`)).status).toBe(404);
  expect(await (await fetch(`${baseUrl}/docs`)).text()).not.toContain('client.tgz');
});
