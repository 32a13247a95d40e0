import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readMetric } from '../support/admin-port.js';
import { createTestDatabase } from '../support/database/create-test-database.js';
import { composePlantRequest } from '../support/post-plant.js';
import { failed, issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** The limit of each process. */
const openFiles = 200;

/** Opens connections as fast as the service closes them, each with a request, until the returned function is called. */
function occupy(baseUrl: string): () => void {
  const { hostname, port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  const opening = setInterval(() => {
    for (let count = 0; count < 20 && sockets.size < 2_000; count++) {
      const socket = connect(Number(port), hostname);
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.resume().write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    }
  }, 10);
  const stop = () => {
    clearInterval(opening);
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(stop);
  return stop;
}

it.each([
  // Each reserves 64 for itself, a single process 64 for the admin port, and with PostgreSQL 20 for the pool.
  { engine: 'sqlite', workers: 1, allowed: 72 },
  { engine: 'sqlite', workers: 2, allowed: 136 },
  { engine: 'postgresql', workers: 1, allowed: 52 },
] as const)(
  'keeps the admin port and the database working while a stranger holds all connections: $engine, $workers',
  async ({ engine, workers, allowed }) => {
    const folder = temporaryFolder();
    const database = await createTestDatabase(engine);
    onTestFinished(() => database.remove());
    const settings = { ADMIN_PORT: '0', WORKERS: String(workers), DATABASE_POOL_SIZE: '20' };
    const environment = { ...settings, DATABASE_URL: database.url };
    const token = await issueToken({ folder, environment });
    const { command, baseUrl, adminUrl } = await startServe({ folder, openFiles, environment });
    const countConnections = () => readMetric({ adminUrl }, 'plant_store_http_connections');
    const own = await openConnection(baseUrl);
    const send = async (request: string | Buffer) => {
      own.write(request);
      return (await own.readReply()).status;
    };
    const get = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const stop = occupy(baseUrl);
    await until(async () => (await countConnections()) >= workers * allowed);
    const logged = `"level":40,.+"rejected":\\d+,"allowed":${allowed},"msg":"connections are closed`;
    await command.waitFor(new RegExp(logged));

    for (let id = 1; id <= 3; id++)
      expect(await send(composePlantRequest({ baseUrl, token }, `{"id":${id},"name":"Fern"}`))).toBe(200);
    expect(await readPlants({ database })).toHaveLength(3);
    expect(await send(get)).toBe(200);
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect((await fetch(`${adminUrl}${path}`)).status, path).toBe(200);
    if (engine === 'sqlite')
      expect(await runCommand(['backup'], { folder, environment })).toMatchObject({ exitCode: 0 });
    expect(await countConnections()).toBeLessThanOrEqual(workers * allowed);
    const rejected = 'plant_store_http_connections_rejected_total';
    expect(await readMetric({ adminUrl }, rejected)).toBeGreaterThan(0);

    stop();
    await until(async () => (await fetch(`${baseUrl}/openapi.json`).catch(() => undefined))?.ok);
    own.destroy();
    expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
  },
);

it.each([1, 2])(
  'does not start with a limit that leaves no room for connections, with %i processes',
  async (workers) => {
    const call = { folder: temporaryFolder(), openFiles: 70, environment: { WORKERS: String(workers) } };
    const rejected = failed(/can open 70 files but needs at least 80:/, /.*/);
    expect(await runCommand(['serve'], call)).toEqual(rejected);
  },
);
