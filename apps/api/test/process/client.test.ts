import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { getFile } from '../support/get-file.js';
import { startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);

async function serve(environment: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const { command, baseUrl } = await startServe({ folder, environment }, ['--quickstart']);
  onTestFinished(async () => void (await command.end('SIGTERM')));
  return { baseUrl, token: readFileSync(join(folder, 'data/access-token'), 'utf8').trim() };
}

it('serves the packed client with its integrity, and 304 to whoever has it', async () => {
  const { baseUrl } = await serve();
  const { status, headers, content } = await getFile(baseUrl, '/client.tgz');
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'no-cache',
    'repr-digest': `sha-512=:${createHash('sha512').update(content).digest('base64')}:`,
  });
  const again = await getFile(baseUrl, '/client.tgz', { 'If-None-Match': `${headers['etag']}` });
  expect([again.status, again.content.length]).toEqual([304, 0]);
  expect((await fetch(`${baseUrl}/client.tgz`, { method: 'POST' })).status).toBe(405);
});

it('is installed by npm from the service alone, and stores a plant', async () => {
  const { baseUrl, token } = await serve();
  const project = temporaryFolder();
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
  const offline = ['--registry', 'http://127.0.0.1:9', '--cache', join(project, 'cache'), '--no-audit'];
  await run('npm', ['install', `${baseUrl}/client.tgz`, ...offline], { cwd: project });
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
  const { headers } = await getFile(baseUrl, '/client.tgz');
  const { integrity } = lock.packages['node_modules/@plant-store/client'];
  expect(headers['repr-digest']).toBe(`sha-512=:${integrity.replace('sha512-', '')}:`);
  expect(await (await fetch(`${baseUrl}/docs`)).text()).toContain(`<code>${integrity}</code>`);
});

it('is left out by CLIENT=off', async () => {
  const { baseUrl } = await serve({ CLIENT: 'off' });
  expect((await fetch(`${baseUrl}/client.tgz`)).status).toBe(404);
  expect(await (await fetch(`${baseUrl}/docs`)).text()).not.toContain('client.tgz');
});
