import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fieldsOf } from '@plant-store/contract/fields';
import type { DatabaseFolder } from '../../databases/with-databases.js';
import { issueToken, runCommand } from '../../service/run-command.js';
import { startService } from '../../service/start-service.js';
import { composeRequest, type Observation, observe, type Request, type Target } from './target.js';

/** How often in a row a token must be rejected, so that every worker has rejected it. */
const rejectionsInRow = 8;
/** The service promises 5 seconds; a machine may be busy. */
const rejectionTimeoutMs = 120_000;
const pollMs = 50;

/** The built service on a new database. */
export async function startServiceTarget(
  name: string,
  { folder, server }: DatabaseFolder,
  settings: Readonly<Record<string, string>>,
): Promise<Target> {
  const database = await server.createDatabase();
  const environment = { ...settings, DATABASE_URL: database.url };
  const tokens = new Map([['main', await issueToken(environment)]]);
  const options = {
    databaseUrl: database.url,
    logFile: join(folder, `${name}.log`),
    settings: { AUTH_FAILURES_PER_MINUTE: '0', LOG_REQUESTS: 'errors', ...settings },
  };
  let service = await startService(options);

  async function send(request: Request, token: string | undefined): Promise<Observation> {
    const text = token === undefined ? undefined : (tokens.get(token) ?? 'unknown');
    const { headers, ...init } = composeRequest(request, text);
    // A connection of its own, so that requests reach all workers.
    const own = { ...headers, connection: 'close' };
    return observe(await fetch(`${service.baseUrl}${request.path}`, { ...init, headers: own }));
  }

  async function restart(signal: NodeJS.Signals): Promise<void> {
    await service.kill(signal);
    service = await startService(options);
  }

  /** Waits until a token is rejected; the bodies store nothing. */
  async function rejection(token: string): Promise<number> {
    const startedAt = performance.now();
    for (let inRow = 0; inRow < rejectionsInRow; ) {
      const { status } = await send({ method: 'POST', path: '/plants', body: '' }, token);
      inRow = status === 401 ? inRow + 1 : 0;
      const ms = performance.now() - startedAt;
      if (ms > rejectionTimeoutMs) throw new Error(`${name}: the token ${token} is still accepted`);
      if (inRow === 0) await delay(pollMs);
    }
    return performance.now() - startedAt;
  }

  const readRows = async (areDeleted: boolean) =>
    (await database.readRows()).filter(({ deleted }) => deleted === areDeleted);

  return {
    name,
    send,
    async interrupt(request, { signal, delayMs }) {
      const reply = send(request, 'main').catch(() => undefined);
      await delay(delayMs);
      await restart(signal);
      const seen = await reply;
      return seen?.status === 503 ? undefined : seen;
    },
    restart,
    async issueToken(token) {
      tokens.set(token, await issueToken(environment, { name: token }));
    },
    async revokeToken(token) {
      const list = await runCommand(['token', 'list'], environment);
      const [id = ''] = list.stdout.split('\n').flatMap((line) => {
        const [first = '', second] = line.split('\t');
        return second === token ? [first] : [];
      });
      const { exitCode, stderr } = await runCommand(['token', 'revoke', id], environment);
      if (exitCode !== 0) throw new Error(`${name}: token revoke ${id} ended with ${exitCode}: ${stderr}`);
      return rejection(token);
    },
    async expireToken(token) {
      tokens.set(token, await issueToken(environment, { name: token, expires: '1s' }));
      await rejection(token);
    },
    readPlants: async () => new Map((await readRows(false)).map((row) => [row.id, fieldsOf(row)])),
    readRetired: async () => new Set((await readRows(true)).map(({ id }) => id)),
    async stop() {
      await service.kill('SIGTERM');
    },
  };
}
