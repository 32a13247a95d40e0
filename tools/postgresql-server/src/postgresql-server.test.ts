import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresqlServer } from './postgresql-server.js';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postgresql-server-'));
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

it('accepts connections from start to stop, and again after a restart', async () => {
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

it('includes the output of a server that does not start in the error', async () => {
  const server = await createPostgresqlServer({
    folder: join(createFolder(), 'server'),
    settings: { max_connections: 'many' },
  });
  await expect(server.start()).rejects.toThrow(/invalid value for parameter "max_connections"/);
});
