import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { beAway, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { composePlantRequest } from '../support/post-plant.js';
import { isRunning } from '../support/process/processes.js';
import { type RunningCommand, startCommand } from '../support/process/run-command.js';
import { startWorkers } from '../support/process/start-workers.js';
import { startLoad } from '../support/process/steady-load.js';
import { sendRaw } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

async function stop(command: RunningCommand): Promise<void> {
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
}

/** The lines of a log that are not of requests. */
function withoutRequests(log: string): string {
  return log.replaceAll(/^.*"msg":"request".*\n/gm, '');
}

it('replaces a worker that is killed, or all at once: their requests break, and nothing acknowledged is lost', async () => {
  const service = await startWorkers();
  const callers = startLoad(service, { retries: false });
  await callers.acknowledgements(50);
  const [killed = 0] = service.workers();
  process.kill(killed, 'SIGKILL');
  await callers.acknowledgements(50);
  await service.command.waitFor(/"worker":\d,"pid":\d+,"msg":"worker started"/);
  expect(service.workers()).toHaveLength(2);
  expect(service.workers()).not.toContain(killed);
  await until(async () => (await service.readReadiness()).status === 200);
  expect(await service.readMetric('plant_store_worker_ends_total')).toBe(1);
  expect(await service.readMetric('plant_store_workers')).toBe(2);
  const ofSecond = 'plant_store_process_cpu_seconds_total{process="2"}';
  expect(await service.readMetric(ofSecond)).toBeGreaterThan(0);
  await callers.end();
  // Each caller had at most one request in flight.
  expect(callers.unexpected.length).toBeLessThanOrEqual(8);

  const all = service.workers();
  for (const pid of all) process.kill(pid, 'SIGKILL');
  await until(() => !all.some(isRunning));
  // While none runs nobody listens.
  const send = () => sendRaw(service.baseUrl, composePlantRequest(service, '{"id":1,"name":"Fern"}'));
  await until(() =>
    send().then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  await stop(service.command);
  const stored = new Set((await service.readPlants()).map(({ id }) => Number(id)));
  expect([...callers.acknowledged.keys()].filter((id) => !stored.has(id))).toEqual([]);
});

it('replaces all workers on SIGHUP without a failed request, and keeps what they counted', async () => {
  const service = await startWorkers();
  const before = service.workers();
  const callers = startLoad(service, { retries: false });
  await callers.acknowledgements(50);
  const counted = await service.readMetric('plant_store_http_requests_total');
  service.command.process.kill('SIGHUP');
  await service.command.waitFor(/"workers":2,"msg":"workers replaced"/);
  await callers.acknowledgements(50);
  await until(() => !before.some(isRunning));
  // The system lists one that has ended until its parent has noticed.
  await until(() => service.workers().length === 2);
  await callers.end();
  expect(callers.unexpected).toEqual([]);
  expect(await service.readMetric('plant_store_http_requests_total')).toBeGreaterThan(counted + 50);
  expect(await service.readMetric('plant_store_worker_ends_total')).toBe(0);
  await stop(service.command);
  expect(await service.readPlants()).toHaveLength(callers.acknowledged.size);
});

it('answers what is in flight at SIGTERM, and ends all workers', async () => {
  const service = await startWorkers();
  const workers = service.workers();
  const callers = startLoad(service, { retries: false });
  await callers.acknowledgements(50);
  const end = service.command.end('SIGTERM');
  await callers.end();
  const { exitCode, stdout } = await end;
  expect(exitCode).toBe(0);
  expect(withoutRequests(stdout)).toMatch(/"inTime":true,"msg":"stopped"/);
  expect(workers.some(isRunning)).toBe(false);
  expect(await service.readPlants()).toHaveLength(callers.acknowledged.size);
});

it('waits for a worker that is starting at SIGTERM', async () => {
  const service = await startWorkers();
  const [killed = 0, other = 0] = service.workers();
  process.kill(killed, 'SIGKILL');
  await until(() => service.workers().some((pid) => pid !== killed && pid !== other));
  const { exitCode, stdout } = await service.command.end('SIGTERM');
  expect(exitCode).toBe(0);
  expect(withoutRequests(stdout)).toMatch(/"inTime":true,"msg":"stopped"/);
});

it('ends a worker that does not stop, and says so', async () => {
  const service = await startWorkers({ SHUTDOWN_TIMEOUT_MS: '100' });
  const workers = service.workers();
  const [hanging = 0] = workers;
  process.kill(hanging, 'SIGSTOP');
  const { exitCode, stdout } = await service.command.end('SIGTERM');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(`"pid":${hanging},"timeoutMs":1100,"msg":"worker did not stop in time"`);
  expect(stdout).toMatch(/"inTime":false,"msg":"stopped"/);
  expect(workers.some(isRunning)).toBe(false);
});

it('leaves signals to the primary process, and ends all workers when that is killed', async () => {
  const service = await startWorkers();
  const pids = service.workers();
  expect(pids).toHaveLength(2);
  for (const pid of pids)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.kill(pid, signal as NodeJS.Signals);
  const callers = startLoad(service, { retries: false });
  await callers.acknowledgements(50);
  expect(service.workers()).toEqual(pids);
  await callers.end();
  expect(callers.unexpected).toEqual([]);
  await service.command.end('SIGKILL');
  await until(() => !pids.some(isRunning));
});

it('limits the requests of all workers together, each to its share', async () => {
  const service = await startWorkers({ RATE_LIMIT_PER_MINUTE: '10', AUTH_FAILURES_PER_MINUTE: '10' });
  const { baseUrl } = service;
  /** Sends 60 requests, each on a connection of its own; returns how many were not limited, all of which have the status. */
  async function countAnswered(token: string, status: number): Promise<number> {
    const requests = Array.from({ length: 60 }, (_, id) => {
      const request = composePlantRequest({ baseUrl, token }, `{"id":${id},"name":"Fern"}`);
      return sendRaw(baseUrl, request);
    });
    const statuses = (await Promise.all(requests)).map((reply) => reply.status);
    expect(new Set(statuses)).toEqual(new Set([status, 429]));
    return statuses.filter((other) => other === status).length;
  }
  // A worker that has got no connection has used nothing of its share.
  const answered = await countAnswered(service.token, 200);
  expect(answered).toBeGreaterThanOrEqual(5);
  expect(answered).toBeLessThanOrEqual(10);
  // Each worker may look up one more at the same time.
  expect(await countAnswered(service.token.replace(/.{4}$/, 'aaaa'), 401)).toBeLessThanOrEqual(12);
  await stop(service.command);
});

it('verifies JSON Web Tokens with one set of keys for each worker, also while the provider is away', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  const { command, baseUrl } = await startWorkers(provider.environment);
  const token = await provider.sign();
  let id = 0;
  /** Each has a connection of its own, which either worker may accept. */
  const send = (sent: string) =>
    sendRaw(baseUrl, composePlantRequest({ baseUrl, token: sent }, `{"id":${id++},"name":"Fern"}`));
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 20 }, () => send(token)))).map(({ status }) => status);
  await until(async () => {
    expect(new Set(await statuses())).toEqual(new Set([200]));
    return provider.requests === 2;
  });
  // Neither worker has seen this one.
  const other = await provider.sign({ sub: 'bob' });
  provider.reply = beAway;
  for (let count = 0; count < 20; count++) expect((await send(other)).status).toBe(200);
  expect(provider.requests).toBe(2);
  await stop(command);
});

it('reports a taken port as without workers', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const command = startCommand(['serve'], {
    folder: temporaryFolder(),
    environment: { WORKERS: '2', PORT: String(port) },
  });
  expect(await command.end()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`The port ${port} on 127.0.0.1 is taken.`),
  });
});

it('rejects to run a worker by hand', async () => {
  const command = startCommand(['worker'], { folder: temporaryFolder() });
  expect(await command.end()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('set WORKERS and run serve instead'),
  });
});
