import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './run.js';

/** The folder of the service, which has been built. */
export const builtService = resolve(import.meta.dirname, '../../../../apps/api');

/** The built service, in a process of its own. */
export interface RunningService {
  readonly baseUrl: string;
  readonly token: string;
  /** What is stored, each plant as a line of JSON. */
  exportPlants(): string[];
  stop(): Promise<void>;
}

/**
 * Starts the built service on a free port, and returns once it listens.
 *
 * @param folder the folder in which it keeps its data
 * @param service the folder of the service
 */
export async function startService(folder: string, service = builtService): Promise<RunningService> {
  const main = join(service, 'dist/main.js');
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
