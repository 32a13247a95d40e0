import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
export type PlantStore = Awaited<ReturnType<typeof startPlantStore>>;

/**
 * Starts the service on a free port and resolves once it has printed its address.
 *
 * @throws {Error} with its output if it exits before
 */
export async function startPlantStore(settings: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-browser-'));
  const data = join(folder, 'data');
  let output = '';
  let child: ChildProcess | undefined;

  async function start(port: string): Promise<string> {
    const env = { PATH: process.env['PATH'], DRAIN_DELAY_MS: '0', PORT: port, ...settings };
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const started = spawn(process.execPath, [main, 'serve', '--quickstart'], { cwd: folder, env, stdio });
    child = started;
    const from = output.length;
    return new Promise((resolve, reject) => {
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          const [found] = /http:\/\/[^\s"]+\/#token=\S+(?=\s)/.exec(output.slice(from)) ?? [];
          if (found !== undefined) resolve(found);
        });
      }
      // After it has printed its address its end is no error.
      started.once('close', () => reject(new Error(`It exited before it printed its address:\n${output}`)));
    });
  }
  /** Ends the process at once with SIGKILL, as a crash would. */
  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** What the quickstart prints, with the token in its fragment. */
  const address = await start('0');
  const { origin, port } = new URL(address);
  const token = readFileSync(join(data, 'access-token'), 'utf8').trim();
  return {
    data,
    baseUrl: origin,
    address,
    /** That of the form for one plant. */
    formAddress: address.replace('/#', '/add#'),
    token,
    /** Everything printed so far, by all its processes. */
    get output() {
      return output;
    },
    /** All committed plants, sorted by id. */
    readPlants: () => readPlants(join(data, 'plant-store.db')),
    /** Sends a request past the page: with what becomes the body in JSON a `POST`, with a condition a `PUT`, else a `GET`. */
    send(path: string, content?: object, condition?: Readonly<Record<string, string>>): Promise<Response> {
      const body = content === undefined ? null : JSON.stringify(content);
      const method = body === null ? 'GET' : condition === undefined ? 'POST' : 'PUT';
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...condition };
      return fetch(origin + path, { method, headers, body });
    },
    /** Issues a token with these scopes by the command line. */
    async issueToken(scopes: string): Promise<string> {
      const args = [main, 'token', 'create', '--name', 'page', '--can', scopes];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
      return stdout.trim();
    },
    kill,
    /** Starts it again on the same port. */
    start: () => start(port),
    /** Ends it and removes its folder. */
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readPlants(file: string): readonly StoredPlant[] {
  const database = new Database(file, { readonly: true });
  try {
    const sql = 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants ORDER BY plants.id';
    return database.prepare<[], StoredPlant>(sql).all();
  } finally {
    database.close();
  }
}
