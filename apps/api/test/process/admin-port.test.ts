import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('is logged, and closes with the service', async () => {
  const folder = temporaryFolder();
  const { command } = await startServe({ folder, environment: { ADMIN_PORT: '0' } });
  const [, adminUrl] = await command.waitFor(/"adminUrl":"([^"]+)"/);
  const reply = await fetch(`${adminUrl}/readyz`);
  expect(await reply.json()).toEqual({ status: 'ready' });
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
});

it('is not logged when disabled', async () => {
  const { command } = await startServe({ folder: temporaryFolder() });
  const { stdout } = await command.end('SIGTERM');
  expect(stdout).toContain('"msg":"listening"');
  expect(stdout).not.toContain('adminUrl');
});

it('prints what to do if it is taken, and exits', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const environment = { PORT: '0', ADMIN_PORT: port };
  const result = await runCommand(['serve'], { folder: temporaryFolder(), environment });
  expect(result).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `plant-store: The port ${port} on 127.0.0.1 is taken. Stop the program that has it, or set ADMIN_PORT to another one.\n`,
  });
});
