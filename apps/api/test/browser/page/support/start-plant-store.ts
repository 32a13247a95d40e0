import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

/** The built command, as `pnpm start` runs it. */
const main = fileURLToPath(new URL('../../../../dist/main.js', import.meta.url));

/** A stored plant, with its id as text to keep it exact. */
interface StoredPlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

/** `plant-store serve --quickstart` in a temporary folder. It depends on no test runner: scripts use it, too. */
export interface PlantStore {
  readonly folder: string;
  readonly baseUrl: string;
  /** The address that the quickstart prints, with the token in its fragment. */
  readonly address: string;
  /** That of the form for one plant. */
  readonly formAddress: string;
  readonly token: string;
  /** Everything printed so far, by all its processes. */
  readonly output: string;
  /** Reads all committed plants, sorted by id. */
  readPlants(): readonly StoredPlant[];
  /** Runs a command in its folder and returns its output. */
  run(...args: readonly string[]): string;
  /** Ends the process at once with SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with other settings if any are given. */
  start(environment?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts the service on a free port and resolves once it has printed its address.
 *
 * @throws {Error} with its output if it exits before
 */
export async function startPlantStore(settings: Readonly<Record<string, string>> = {}): Promise<PlantStore> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-browser-'));
  const environment = { PATH: process.env['PATH'], DRAIN_DELAY_MS: '0', ...settings };
  let output = '';
  const collect = (text: string) => {
    output += text;
  };
  let running = startProcess({ folder, environment: { PORT: '0', ...environment }, collect });
  const address = await running.address;
  const { origin, port } = new URL(address);
  return {
    folder,
    baseUrl: origin,
    address,
    formAddress: address.replace('/#', '/add#'),
    token: readFileSync(join(folder, 'data/access-token'), 'utf8').trim(),
    get output() {
      return output;
    },
    readPlants: () => readPlants(join(folder, 'data/plant-store.db')),
    run: (...args) =>
      execFileSync(process.execPath, [main, ...args], { cwd: folder, env: environment, encoding: 'utf8' }),
    kill: () => end(running.child, 'SIGKILL'),
    async start(changes = {}) {
      running = startProcess({ folder, environment: { ...environment, PORT: port, ...changes }, collect });
      await running.address;
    },
    async stop() {
      await end(running.child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Start {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  collect(text: string): void;
}

function startProcess({ folder, environment, collect }: Start) {
  const child = spawn(process.execPath, [main, 'serve', '--quickstart'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const address = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        collect(text);
        printed += text;
        const [found] = /http:\/\/[^\s"]+\/#token=\S+(?=\s)/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
    child.once('close', () => reject(new Error(`It exited before it printed its address:\n${printed}`)));
  });
  // Whoever starts it waits for the address; after that its end is no error.
  address.catch(() => undefined);
  return { child, address };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

function readPlants(file: string): readonly StoredPlant[] {
  const database = new Database(file, { readonly: true }).defaultSafeIntegers(true);
  try {
    return database
      .prepare<[], { id: bigint; name: string; tag: string | null }>(
        'SELECT id, name, tag FROM plants ORDER BY id',
      )
      .all()
      .map((plant) => ({ ...plant, id: String(plant.id) }));
  } finally {
    database.close();
  }
}
