import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startNode } from '../support/process/run-command.js';
import { root } from '../support/read-markdown.js';
import { until } from '../support/until.js';

/** Starts a program under `.ci/limit-silence.ts`. */
function start(minutes: string, program: string) {
  const limitSilence = ['--experimental-strip-types', join(root, '.ci/limit-silence.ts')];
  return startNode([...limitSilence, minutes, process.execPath, '-e', program]);
}

it('a command prints what it prints without a limit on silence, and has the same exit status', async () => {
  const { end } = start('10', 'console.log("a"); console.error("b"); process.exitCode = 3');
  expect(await end()).toEqual({ exitCode: 3, stdout: 'a\n', stderr: 'b\n' });
});

it('ends a command that prints nothing any more, with the processes that it has started, and names them', async () => {
  // Its own child never gives way to a signal that could be handled.
  const program = `
    const { spawn } = require('node:child_process');
    console.log(spawn(process.execPath, ['-e', 'for (;;);']).pid);
    setInterval(() => undefined, 1_000);`;
  const { exitCode, stdout, stderr } = await start('0.05', program).end();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Nothing was printed for 0\.05 minutes, so this ends:\n.*\n.*-e for \(;;\);\n$/s);
  const isRunning = () => {
    try {
      return process.kill(Number(stdout), 0);
    } catch {
      return false;
    }
  };
  await until(() => !isRunning());
});
