import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workFolder } from '../src/paths.js';
import { processEnd, startProcess } from '../src/processes/start-process.js';
import { isNightly } from './support/is-nightly.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Starts the bench, and returns its process and its folder. */
async function startBench() {
  mkdirSync(workFolder, { recursive: true });
  const before = readdirSync(workFolder);
  const child = startProcess(process.execPath, [main, 'postgresql'], { stdout: 'pipe', stderr: 'pipe' });
  const findFolder = () => readdirSync(workFolder).find((name) => !before.includes(name));
  await until(() => findFolder() !== undefined);
  const folder = join(workFolder, findFolder() ?? '');
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return { child, folder };
}

/** Waits until something holds, and fails if it never does. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('It did not happen in time');
    await delay(10);
  }
}

/** The processes that have a folder on their command line. */
function processesOf(folder: string): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(folder));
}

const data = (folder: string) => join(folder, 'postgresql/data');
const isCreating = (folder: string) => existsSync(data(folder));
const isRunning = (folder: string) => existsSync(join(folder, 'plant-store/plant-store.log'));

const signals = [
  { signal: 'SIGTERM', status: 143, when: 'the database is being created', holds: isCreating },
  { signal: 'SIGINT', status: 130, when: 'a target is under load', holds: isRunning },
] as const;
/** Each signal and each instant is above, and each test starts a server: so this is only tested in the mode `nightly`. */
const signalInCreation = {
  signal: 'SIGINT',
  status: 130,
  when: 'the database is being created',
  holds: isCreating,
} as const;

describe('bench postgresql leaves no process and no folder', () => {
  it.each(isNightly ? [...signals, signalInCreation] : signals)(
    'when $signal comes while $when',
    async ({ signal, status, holds }) => {
      const { child, folder } = await startBench();
      await until(() => holds(folder));
      child.kill(signal);
      await processEnd(child, 20_000);
      expect(child.exitCode).toBe(status);
      expect(existsSync(folder)).toBe(false);
      // Removing its folder is the last thing that the server does, but not yet its end.
      await until(() => processesOf(folder).length === 0);
    },
  );

  it('when the server is killed', async () => {
    const { child, folder } = await startBench();
    await until(() => isRunning(folder));
    const [pid] = readFileSync(join(data(folder), 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await processEnd(child, 30_000);
    expect(child.exitCode).toBe(1);
    expect(existsSync(folder)).toBe(false);
    // Removing its folder is the last thing that the server does, but not yet its end.
    await until(() => processesOf(folder).length === 0);
  });

  it('except for the log when the bench itself is killed', async () => {
    const { child, folder } = await startBench();
    await until(() => existsSync(join(data(folder), 'postmaster.pid')));
    child.kill('SIGKILL');
    await until(() => processesOf(folder).length === 0);
    expect(existsSync(data(folder))).toBe(false);
  });
});
