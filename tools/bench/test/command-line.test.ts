import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

// Its processes are found in /proc.
it.runIf(process.platform === 'linux')('leaves no process and no folder when it is interrupted', async () => {
  const options = '--postgresql --only plant-store --connections 1 --warmup 0.1 --seconds 0.1'.split(' ');
  const bench = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void bench.kill('SIGKILL'));
  // It logs the first load, when PostgreSQL and the targets run.
  await once(bench.stderr, 'data');
  const children = readFileSync(`/proc/${bench.pid}/task/${bench.pid}/children`, 'utf8').trim().split(' ');
  const commands = children.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const [, folder = ''] = /-D\0([^\0]+)\/postgresql\/data/.exec(commands.join('\n')) ?? [];
  expect(existsSync(folder)).toBe(true);

  bench.kill('SIGINT');
  expect(await once(bench, 'exit')).toEqual([130, null]);
  expect(existsSync(folder)).toBe(false);
  for (const pid of children) {
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false);
  }
});
