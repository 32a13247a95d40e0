import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './processes.ts';
import { until } from './wait.ts';

/** The built command. */
const main = join(import.meta.dirname, '../../apps/api/dist/main.js');

/** A running Plant Store. */
export interface Service {
  readonly baseUrl: string;
  readonly token: string;
  readonly pid: number | undefined;
  /** Exports the names of all plants, by id; `null` for one that was deleted. */
  exportPlants(): Map<number, string | null>;
}

/** Starts Plant Store on a database, with a new token, and resolves once it listens. */
export async function startService(options: {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  /** Called if it ends without having been killed; it should abort the signal. */
  readonly onFailure: (error: Error) => void;
}): Promise<Service> {
  const { folder, databaseUrl, signal, onFailure } = options;
  const environment = { DATABASE_URL: databaseUrl, PORT: '0', LOG_REQUESTS: 'errors' };
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [main, ...args], {
      env: { PATH: process.env['PATH'], ...environment },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      timeout: 300_000,
    });
  const token = run('token', 'create', '--name', 'trial').trim();
  const service = start([process.execPath, main, 'serve'], {
    name: 'plant-store',
    folder,
    environment,
    onFailure,
  });
  let baseUrl = '';
  function hasStarted(): boolean {
    baseUrl = /"baseUrl":"([^"]+)"/.exec(readFileSync(join(folder, 'plant-store.log'), 'utf8'))?.[1] ?? '';
    return baseUrl !== '';
  }
  await until('Plant Store listening', hasStarted, { timeoutMs: 120_000, signal });
  return {
    baseUrl,
    token,
    pid: service.pid,
    exportPlants() {
      const lines = run('export').split('\n').slice(0, -1);
      return new Map(
        lines.map((line): [number, string | null] => {
          const { id, name }: { id: number; name?: string } = JSON.parse(line);
          return [id, name ?? null];
        }),
      );
    },
  };
}
