import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type RunningCommand, run, start } from './process.ts';

/** The built command. */
const main = join(import.meta.dirname, '../../../apps/api/dist/main.js');

/** The real service over a new SQLite database. */
export interface Service {
  readonly baseUrl: string;
  readonly token: string;
  /** The variables that every example reads. */
  readonly environment: Readonly<Record<string, string>>;
  /** The lines of its log. */
  log(): Record<string, unknown>[];
  /** All plants in its database, as `plant-store export` writes them: one a line, ordered by id, with exact ids, but without their times. */
  readPlants(): Promise<string[]>;
  /** Runs the command line of the service, and resolves to its standard output. */
  run(...args: readonly string[]): Promise<string>;
  /** Stops it as an operator does. */
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
}

/** Starts the service on a free port of 127.0.0.1, and stops it at the end of the test. */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const folder = await createTemporaryFolder();
  const runPlantStore = async (...args: readonly string[]) => {
    const result = await run([process.execPath, main, ...args], { folder });
    if (result.status !== 0) throw new Error(`plant-store ${args.join(' ')}\n${result.stderr}`);
    return result.stdout;
  };
  const serve = async (port: string): Promise<[RunningCommand, string]> => {
    const environment = { PORT: port, ...settings };
    const command = start([process.execPath, main, 'serve'], { folder, environment });
    const [, url = ''] = await command.waitFor(/"baseUrl":"([^"]+)"/);
    return [command, url];
  };
  const token = (await runPlantStore('token', 'create', '--name', 'examples')).trim();
  let [command, baseUrl] = await serve('0');
  return {
    baseUrl,
    token,
    environment: { PLANT_STORE_URL: baseUrl, PLANT_STORE_TOKEN: token },
    log: () =>
      command
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line)),
    readPlants: async () =>
      (await runPlantStore('export'))
        .replaceAll(/,"addedAt":"[^"]+"(?=\})/g, '')
        .split('\n')
        .slice(0, -1),
    run: runPlantStore,
    async stop() {
      await command.end('SIGTERM');
    },
    async restart() {
      [command] = await serve(new URL(baseUrl).port);
    },
  };
}

/** Creates a folder that is removed at the end of the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-examples-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
