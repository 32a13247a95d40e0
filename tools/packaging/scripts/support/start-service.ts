import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './run.js';

const main = resolve(import.meta.dirname, '../../../../apps/api/dist/main.js');

/** The built service, in a process of its own. */
export interface RunningService {
  readonly baseUrl: string;
  readonly token: string;
  /** What is stored, each plant as a line of JSON. */
  exportPlants(): string[];
  stop(): Promise<void>;
}

/** Starts the built service on a free port, with its data in a folder, and returns once it listens. */
export async function startService(folder: string): Promise<RunningService> {
  const child = spawn(process.execPath, [main, 'serve', '--quickstart'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const baseUrl = /^\{.*"baseUrl":"([^"]+)"/.exec(line)?.[1];
    if (baseUrl === undefined) continue;
    child.stdout.resume();
    return {
      baseUrl,
      token: readFileSync(join(folder, 'data/access-token'), 'utf8').trim(),
      exportPlants: () => run(folder, process.execPath, main, 'export').trim().split('\n'),
      async stop() {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error('The service did not start');
}
