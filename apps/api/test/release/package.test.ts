import { execFileSync, spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { writePackage } from '../../scripts/release/write-package.js';
import { readPackage } from '../../src/package-folder.js';
import { postPlant } from '../support/post-plant.js';
import { watchCommand } from '../support/process/run-command.js';
import type {} from '../support/release/global-setup.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('npx runs the packed service without a registry, in an empty folder', async () => {
  const folder = temporaryFolder();
  const release = join(folder, basename(inject('release').folder));
  cpSync(inject('release').folder, release, { recursive: true });
  const { tarball } = writePackage(release);
  const entries = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
  expect(entries).toEqual(
    expect.arrayContaining([
      'package/dist/main.js',
      'package/node_modules/better-sqlite3/prebuilds/darwin-arm64.node',
      'package/node_modules/better-sqlite3/prebuilds/linux-x64.node',
    ]),
  );

  const child = spawn('npx', ['-y', `./${basename(tarball)}`, 'serve', '--quickstart'], {
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      PORT: '0',
      npm_config_cache: join(folder, 'cache'),
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_offline: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const command = watchCommand(child);
  const [, baseUrl = ''] = await command.waitFor(/"baseUrl":"([^"]+)"/);
  const token = readFileSync(join(folder, 'data/access-token'), 'utf8').trim();
  await postPlant({ baseUrl, token }, '{"id":9223372036854775807,"name":"Monstera"}').expect(200);
  for (const path of ['/', '/docs', '/openapi.json', '/client.tgz'])
    expect((await fetch(`${baseUrl}${path}`)).status, path).toBe(200);
  const { headers } = await fetch(`${baseUrl}/client.tgz`, { method: 'HEAD' });
  const { version } = readPackage();
  expect(headers.get('content-disposition')).toBe(`attachment; filename="plant-store-client-${version}.tgz"`);
  const { stdout } = await command.end('SIGTERM');
  expect(stdout).toContain('"msg":"stopped"');
});
