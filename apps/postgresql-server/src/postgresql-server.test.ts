import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresqlServer } from './postgresql-server.js';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postgresql-server-'));
  // As root the server runs as another user, who must get there.
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether the server accepts a connection. */
async function accepts(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const [outcome] = await Promise.race([
    once(socket, 'connect').then(() => ['connect']),
    once(socket, 'close').then(() => ['close']),
  ]).catch(() => ['error']);
  socket.destroy();
  return outcome === 'connect';
}

it('takes connections from its start to its stop, and again after another start', async () => {
  const server = await createPostgresqlServer({ folder: join(createFolder(), 'server') });
  onTestFinished(() => server.stop());
  expect(await accepts(server.url)).toBe(false);
  for (let round = 1; round <= 2; round++) {
    await server.start();
    expect(await accepts(server.url)).toBe(true);
    await server.stop();
    expect(await accepts(server.url)).toBe(false);
  }
});

it('shows what the server printed when it does not start', async () => {
  const server = await createPostgresqlServer({
    folder: join(createFolder(), 'server'),
    settings: { max_connections: 'many' },
  });
  await expect(server.start()).rejects.toThrow(/invalid value for parameter "max_connections"/);
});
