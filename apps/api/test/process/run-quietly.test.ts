import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startNode } from '../support/process/run-command.js';
import { root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const program = join(root, '.ci/run-quietly.ts');
const quietly = ['--experimental-strip-types', program, 'Building', process.execPath, '-e'];
/** What makes standard error a terminal. */
const terminal = '--import=data:text/javascript,process.stderr.isTTY=true';

/** Starts `.ci/run-quietly.ts` by pnpm, started by npx; prints the exit status. Both have the output of the test. */
function startByNpx(script: string) {
  const folder = temporaryFolder();
  // It ends at a SIGTERM, and passes it on to nobody.
  const npx = `
    const { spawn } = require('node:child_process');
    const env = { ...process.env, NPX_PID: process.pid };
    spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit', env });
    process.on('SIGTERM', () => process.exit(0));`;
  const pnpm = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' })
      .on('exit', (status) => console.log('exit status ' + status));`;
  writeFileSync(join(folder, 'npx'), npx);
  writeFileSync(join(folder, 'pnpm.cjs'), pnpm);
  return startNode([join(folder, 'npx'), join(folder, 'pnpm.cjs'), terminal, ...quietly, script]);
}

it('prints nothing of a command that succeeds', async () => {
  const { end } = startNode([...quietly, 'console.log("banner"); console.error("warning")']);
  expect(await end()).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

it('prints all output of a command that fails on standard error, and has its exit status', async () => {
  const script = 'console.log("TS2322"); console.error("ELIFECYCLE"); process.exitCode = 3';
  const { exitCode, stdout, stderr } = await startNode([...quietly, script]).end();
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr.split('\n').toSorted()).toEqual(['', 'ELIFECYCLE', 'TS2322']);
});

const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'shows that something is in progress, and fails at %s even if the command then succeeds',
  async (signal) => {
    const script = `process.on('${signal}', () => process.exit(0)); setInterval(() => undefined, 1_000)`;
    // Standard error shows that it runs only once it is on a terminal.
    const { process: child, end } = startNode([terminal, ...quietly, script]);
    child.stderr?.once('data', () => child.kill(signal));
    const { exitCode, stderr } = await end();
    expect(exitCode).toBe(statuses[signal]);
    const [, shown, ...rest] = stderr.split('\r\x1b[K');
    expect(shown).toMatch(/^Building … \d+ s$/);
    expect(rest.at(-1)).toBe('');
  },
);

it('ends the command, and fails, once the npx that it was started with has ended', async () => {
  // It ends by itself if nobody else ends it, so that nothing is left running when this test fails.
  const { process: child, end } = startByNpx('setTimeout(() => undefined, 60_000)');
  child.stderr?.once('data', () => child.kill('SIGTERM'));
  expect((await end()).stdout).toBe('exit status 143\n');
});

it('fails if that npx ends right before the command succeeds', async () => {
  const { end } = startByNpx(`
    const npx = Number(process.env.NPX_PID);
    process.kill(npx, 'SIGTERM');
    setInterval(() => {
      try {
        process.kill(npx, 0);
      } catch {
        process.exit(0);
      }
    }, 1);`);
  expect((await end()).stdout).toBe('exit status 143\n');
});

it('builds quietly before each command of the root that runs a build', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['start', 'plant-store', 'bench', 'package'])
    expect.soft(scripts[name]).toMatch(/^node \.ci\/run-quietly\.ts Building turbo run build.*&& /);
});
