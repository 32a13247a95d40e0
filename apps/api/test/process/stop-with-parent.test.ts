import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { forbidOpening } from '../support/process/processes.js';
import { main, watchCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/**
 * A process that starts the next one, waits for it, and passes no signal on; at a SIGTERM it ends, as npx and shells do. The
 * one that starts the service prints its process id.
 */
const startNext = `
const { spawn } = require('node:child_process');
const [file, ...args] = process.argv.slice(2);
const { pid } = spawn(file, args, { stdio: 'inherit' });
if (args[1] === 'serve') console.log('started ' + pid);
process.on('SIGTERM', () => process.exit(143));
`;

/**
 * Starts the service as the last of processes of which each one starts the next one. Each is a script of the name, run by
 * Node.js. Resolves once it listens, with the outermost one.
 */
async function startThrough(names: readonly string[], args = ['--stop-with-parent']) {
  const folder = temporaryFolder();
  for (const name of names) writeFileSync(join(folder, name), startNext);
  const starters = names.flatMap((name) => [process.execPath, join(folder, name)]);
  const [file = '', ...rest] = [...starters, process.execPath, main, 'serve', ...args];
  const env = { PATH: process.env['PATH'], PORT: '0', DRAIN_DELAY_MS: '0' };
  const command = watchCommand(spawn(file, rest, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  const [output] = await command.waitFor(/^[\s\S]*"msg":"listening"/);
  const pid = Number(/started (\d+)\n/.exec(output)?.[1]);
  onTestFinished(() => endIfRunning(pid));
  return { command, pid };
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

it.each([
  ['pnpm', ['pnpm.cjs']],
  ['npx, which started pnpm, also while it can open no files', ['npx', 'pnpm.cjs']],
  ['an installed pnpm, which started the pinned one', ['pnpm', 'pnpm.cjs']],
  ['any other process', ['task.js']],
])('stops gracefully once the process that started it has ended: %s', async (started, names) => {
  const { command, pid } = await startThrough(names);
  if (started.includes('no files')) {
    const permitOpening = forbidOpening(pid);
    // It looks twice by then, can read nothing, and keeps running.
    await delay(1_250);
    permitOpening();
  }
  command.process.kill('SIGTERM');
  // Its output ends only with the last process that has it.
  const { stdout } = await command.end();
  expect(stdout).toMatch(/"parentEnded":true,.*"msg":"stopping"/);
  expect(stdout).toContain('"inTime":true,"msg":"stopped"');
});

it.each([
  ['another ancestor ends, such as a shell', ['shell.js', 'pnpm.cjs'], ['--stop-with-parent']],
  ['it does not have the option', ['pnpm.cjs'], []],
])('keeps running if %s', async (_, names, args) => {
  const { command, pid } = await startThrough(names, args);
  command.process.kill('SIGKILL');
  // It would have noticed twice by then, and stopped for that.
  await delay(1_250);
  process.kill(pid, 'SIGINT');
  const { stdout } = await command.end();
  expect(stdout).toMatch(/"signal":"SIGINT",.*"msg":"stopping"/);
  expect(stdout).not.toContain('parentEnded');
});
