import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findFreePort } from '@plant-store/postgresql-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeRelease } from '../../scripts/release/write-release.js';
import { createRoot } from '../support/release/create-root.js';
import { readImage } from '../support/release/read-image.js';
import { runInRoot, startInRoot } from '../support/release/start-in-root.js';
import { until } from '../support/until.js';

const image = readImage();
/** What the first stage leaves to be copied: the release and an empty folder that only its owner may enter. */
const built = { release: '/opt/plant-store', data: '/data' };

let root: string;
/** A volume, which gets content, owner and mode of the folder in the image. */
let volume: string;
beforeAll(async () => {
  root = createRoot();
  const build = mkdtempSync(join(tmpdir(), 'plant-store-build-'));
  const { folder } = await writeRelease({ parent: build, commit: 'unknown', time: undefined });
  volume = join(build, 'data');
  mkdirSync(volume, { mode: 0o700 });
  for (const { source, target, owner } of image.copies) {
    const from = { [built.release]: folder, [built.data]: volume }[source];
    if (from === undefined) throw new Error(`The tests do not know what the Dockerfile builds as ${source}`);
    mkdirSync(dirname(join(root, target)), { recursive: true });
    cpSync(from, join(root, target), { recursive: true, preserveTimestamps: true });
    const [uid = 0, gid = 0] = owner?.split(':').map(Number) ?? [];
    chownSync(join(root, target), uid, gid);
    if (source === built.data) {
      chownSync(volume, uid, gid);
      chmodSync(join(root, target), 0o700);
    }
  }
});
afterAll(() => {
  for (const folder of [root, dirname(volume)]) rmSync(folder, { recursive: true, force: true });
});

/** Starts a container, with the entry point if it is not replaced, on free ports, since it shares the network of the test. */
function confine(ports: Readonly<Record<string, string>>) {
  const { workingFolder, user, environment } = image;
  const volumes = Object.fromEntries(image.volumes.map((path) => [path, volume]));
  return { root, volumes, workingFolder, user, environment: { ...environment, ...ports } };
}

it('serves, reports its health, stops with 0 on its signal, and has its plants after a restart', async () => {
  const ports = {
    PORT: String(await findFreePort()),
    ADMIN_PORT: String(await findFreePort()),
    DRAIN_DELAY_MS: '0',
  };
  const container = confine(ports);
  const checkHealth = () => runInRoot(container, image.healthCheck);
  const issued = await runInRoot(container, [...image.entryPoint, 'token', 'create', '--name', 'test']);
  expect(issued).toMatchObject({ exitCode: 0 });
  const create = () =>
    fetch(`http://127.0.0.1:${ports.PORT}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${issued.stdout.trim()}`, 'Content-Type': 'application/json' },
      body: '{"id":1,"name":"Monstera"}',
    });
  expect((await checkHealth()).exitCode).toBe(1);

  for (const replayed of [null, 'true']) {
    const service = startInRoot(container, [...image.entryPoint, ...image.command]);
    await service.waitFor(/"msg":"listening"/);
    await until(async () => (await checkHealth()).exitCode === 0);
    const reply = await create();
    expect([reply.status, reply.headers.get('Idempotent-Replayed')]).toEqual([200, replayed]);
    const { exitCode, stdout } = await service.end(image.stopSignal as NodeJS.Signals);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"msg":"stopped"');
    expect((await checkHealth()).exitCode).toBe(1);
  }
});

it('listens on all addresses, on the ports that it exposes', async () => {
  const { HOST, PORT = '3000', ADMIN_PORT } = image.environment;
  expect(HOST).toBe('0.0.0.0');
  expect(image.ports.map(String)).toEqual([PORT, ADMIN_PORT]);
});

it('keeps its database in the volume, which only its user may read', () => {
  expect(image.volumes).toEqual(['/data']);
  expect(image.environment['DATABASE_URL']).toMatch(/^file:\/data\//);
  expect(image.copies).toContainEqual({
    source: '/data',
    target: '/data',
    owner: `${image.user.uid}:${image.user.gid}`,
  });
  expect(image.user.uid).toBeGreaterThan(0);
});
