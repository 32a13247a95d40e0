import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';
import { startCommand } from './run-command.js';

it('rejects a wait for what a command has not printed before a signal ended it', async () => {
  const command = startCommand(['serve'], { folder: temporaryFolder(), environment: { PORT: '0' } });
  await command.waitFor(/listening/);
  const waiting = command.waitFor(/nothing of this kind/);
  command.process.kill('SIGKILL');
  await expect(waiting).rejects.toThrow('It exited before it printed /nothing of this kind/');
});
