import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { run, start } from './process.ts';

const main = join(import.meta.dirname, '../../../apps/api/dist/main.js');

/** The real service over a new SQLite database. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts the service on a free port of 127.0.0.1, and stops it at the end of the test. */
export async function startService(settings: Readonly<Record<string, string>> = {}) {
  const folder = await createTemporaryFolder();
  const runPlantStore = async (...args: readonly string[]) => {
    const result = await run([process.execPath, main, ...args], { folder });
    if (result.status !== 0) throw new Error(`plant-store ${args.join(' ')}\n${result.stderr}`);
    return result.stdout;
  };
  const serve = async (port: string) => {
    const environment = { PORT: port, ...settings };
    const command = start([process.execPath, main, 'serve'], { folder, environment });
    return { command, baseUrl: await command.waitFor(/(?<="baseUrl":")[^"]+/) };
  };
  const token = (await runPlantStore('token', 'create', '--name', 'examples')).trim();
  let { command, baseUrl } = await serve('0');
  return {
    baseUrl,
    token,
    /** The variables that every example reads. */
    environment: { PLANT_STORE_URL: baseUrl, PLANT_STORE_TOKEN: token },
    /** The lines of its log. */
    log: (): Record<string, unknown>[] =>
      command
        .output()
        .split('\n')
        .flatMap((line) => (/^\{.*\}$/.test(line) ? [JSON.parse(line)] : [])),
    /** All plants, as `plant-store export` writes them: one a line, ordered by id, with exact ids, but without their times. */
    readPlants: async () =>
      (await runPlantStore('export'))
        .replaceAll(/,"addedAt":"[^"]+"(?=\})/g, '')
        .split('\n')
        .slice(0, -1),
    /** Runs the command line of the service, and resolves to its standard output. */
    run: runPlantStore,
    /** Stops it as an operator does. */
    stop: () => command.end('SIGTERM'),
    /** Starts it again at the same address. */
    async restart() {
      ({ command } = await serve(new URL(baseUrl).port));
    },
  };
}

/** Creates a folder that is removed at the end of the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-examples-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
