import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, expect, inject, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { createRoot } from '../support/release/create-root.js';
import type {} from '../support/release/global-setup.js';
import { dockerfile, readImage } from '../support/release/read-image.js';
import { runInRoot, startInRoot } from '../support/release/start-in-root.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const image = readImage();

let root: string;
/** What containers get as the volume: a copy of the folder in the image, with its owner and mode. */
let volume: string;
beforeAll(() => {
  root = createRoot();
  const built = temporaryFolder();
  mkdirSync(join(built, 'volumes/data'), { recursive: true });
  const [, mode = ''] = /install -d -m (\d+) \/volumes\/data$/m.exec(dockerfile) ?? [];
  chmodSync(join(built, 'volumes/data'), mode);
  // What the first stage leaves to be copied.
  const sources = new Map(
    Object.entries({ '/opt/plant-store': inject('release').folder, '/volumes/': join(built, 'volumes') }),
  );
  for (const { source, target, owner = '0:0' } of image.copies) {
    const from = sources.get(source);
    if (from === undefined) throw new Error(`The tests do not know what the Dockerfile builds as ${source}`);
    mkdirSync(join(root, target), { recursive: true });
    for (const name of readdirSync(from)) {
      execFileSync('cp', ['-a', join(from, name), join(root, target)]);
      execFileSync('chown', ['-R', owner, join(root, target, name)]);
    }
  }
  volume = join(built, 'volume');
  execFileSync('cp', ['-a', join(root, image.volumes[0] ?? ''), volume]);
});

/** Containers share the network of the test, so they get free ports. */
function confine(ports: Readonly<Record<string, string>>) {
  const volumes = Object.fromEntries(image.volumes.map((path) => [path, volume]));
  return { ...image, root, volumes, environment: { ...image.environment, ...ports } };
}

it('serves, reports its health, stops with 0 on its signal, and has its plants after a restart', async () => {
  const [PORT, ADMIN_PORT] = [String(await findFreePort()), String(await findFreePort())];
  const container = confine({ PORT, ADMIN_PORT, DRAIN_DELAY_MS: '0' });
  const checkHealth = () => runInRoot(container, image.healthCheck);
  const issued = await runInRoot(container, [...image.entryPoint, 'token', 'create', '--name', 'test']);
  expect(issued).toMatchObject({ exitCode: 0 });
  const target = { baseUrl: `http://127.0.0.1:${PORT}`, token: issued.stdout.trim() };
  const noReply = { exitCode: 1, stderr: expect.stringContaining(`:${ADMIN_PORT}/readyz is not responding`) };
  expect(await checkHealth()).toMatchObject(noReply);

  for (const replayed of [undefined, 'true']) {
    const service = startInRoot(container, [...image.entryPoint, ...image.command]);
    await service.waitFor(/"msg":"listening"/);
    await until(async () => (await checkHealth()).stdout === 'ready\n');
    const { status, headers } = await postPlant(target, { id: 1, name: 'Monstera' });
    expect([status, headers['idempotent-replayed']]).toEqual([200, replayed]);
    const { exitCode, stdout } = await service.end(image.stopSignal as NodeJS.Signals);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"msg":"stopped"');
    expect(await checkHealth()).toMatchObject(noReply);
  }
});

it('listens on all addresses, on the ports that it exposes, and keeps its database in a volume of its user', () => {
  const { HOST, PORT = '3000', ADMIN_PORT, DATABASE_URL } = image.environment;
  expect(HOST).toBe('0.0.0.0');
  expect(image.ports.map(String)).toEqual([PORT, ADMIN_PORT]);
  expect(image.volumes).toEqual(['/data']);
  expect(DATABASE_URL).toMatch(/^file:\/data\//);
  const { uid, gid, mode } = statSync(join(root, 'data'));
  expect({ uid, gid, mode: mode % 0o1000 }).toEqual({ ...image.user, mode: 0o700 });
  expect(image.user.uid).toBeGreaterThan(0);
});
