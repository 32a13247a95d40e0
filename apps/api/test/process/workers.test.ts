import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { beAway, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { composePlantRequest } from '../support/post-plant.js';
import { type RunningCommand, startCommand } from '../support/process/run-command.js';
import { isRunning, startCallers, startWorkers } from '../support/process/start-workers.js';
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

it('replaces a worker that is killed: its requests break, nothing acknowledged is lost, and connections opened while none runs wait for one', async () => {
  const service = await startWorkers();
  const callers = startCallers(service);
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
  expect(callers.failures.length).toBeLessThanOrEqual(8);

  const all = service.workers();
  for (const pid of all) process.kill(pid, 'SIGKILL');
  await until(() => !all.some(isRunning));
  // On a connection of its own, unlike a client, which has open ones that were reset.
  expect(
    await sendRaw(service.baseUrl, composePlantRequest(service, '{"id":1,"name":"Fern"}')),
  ).toMatchObject({ status: 200 });
  await stop(service.command);
  const stored = new Set((await service.readPlants()).map(({ id }) => BigInt(id)));
  expect([...callers.acknowledged].filter((id) => !stored.has(id))).toEqual([]);
});

it('replaces all workers on SIGHUP without a failed request, and keeps what they counted', async () => {
  const service = await startWorkers();
  const before = service.workers();
  const callers = startCallers(service);
  await callers.acknowledgements(50);
  const counted = await service.readMetric('plant_store_http_requests_total');
  service.command.process.kill('SIGHUP');
  await service.command.waitFor(/"workers":2,"msg":"workers replaced"/);
  await callers.acknowledgements(50);
  await until(() => !before.some(isRunning));
  // The system lists one that has ended until its parent has noticed.
  await until(() => service.workers().length === 2);
  await callers.end();
  expect(callers.failures).toEqual([]);
  expect(await service.readMetric('plant_store_http_requests_total')).toBeGreaterThan(counted + 50);
  expect(await service.readMetric('plant_store_worker_ends_total')).toBe(0);
  await stop(service.command);
  expect(await service.readPlants()).toHaveLength(callers.acknowledged.size);
});

it('answers what is in flight at SIGTERM, and ends all workers', async () => {
  const service = await startWorkers();
  const workers = service.workers();
  const callers = startCallers(service);
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
  const callers = startCallers(service);
  await callers.acknowledgements(50);
  expect(service.workers()).toEqual(pids);
  await callers.end();
  expect(callers.failures).toEqual([]);
  await service.command.end('SIGKILL');
  await until(() => !pids.some(isRunning));
});

it('counts requests of all workers', async () => {
  const environment = { RATE_LIMIT_PER_MINUTE: '10', AUTH_FAILURES_PER_MINUTE: '10' };
  const service = await startWorkers(environment);
  const { baseUrl } = service;
  const post = (path: string, token: string, body: object) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        // Each has a connection of its own, which either worker may accept.
        connection: 'close',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const send = async (token: string, id: number) =>
    (await post('/plants', token, { id, name: 'Fern' })).status;
  /** Sends a batch of so many plants; returns the status, and what is left. */
  async function sendBatch(length: number): Promise<unknown[]> {
    const plants = Array.from({ length }, (_, id) => ({ id, name: 'Fern' }));
    const { status, headers } = await post('/plants/batch', service.token, { plants });
    return [status, /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]];
  }
  /** Sends 40 requests at the same time; returns how many were not limited, all of which have the status. */
  async function countAnswered(token: string, status: number): Promise<number> {
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, id) => send(token, id)));
    expect(new Set(statuses)).toEqual(new Set([status, 429]));
    return statuses.filter((other) => other === status).length;
  }
  expect(await sendBatch(4)).toEqual([200, '6']);
  expect(await sendBatch(7)).toEqual([429, '5']);
  expect(await sendBatch(11)).toEqual([400, '4']);
  expect(await countAnswered(service.token, 200)).toBe(4);
  // The right token is limited exactly, look-ups of wrong ones at the same time by no more than is allowed.
  expect(await countAnswered(service.token.replace(/.{4}$/, 'aaaa'), 401)).toBeLessThanOrEqual(11);
  await stop(service.command);
});

it('verifies JSON Web Tokens with one set of keys for all workers, also while the provider is away', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  const { command, baseUrl } = await startWorkers(provider.environment);
  const token = await provider.sign();
  const statuses = () =>
    Promise.all(
      Array.from({ length: 20 }, async (_, id) => {
        // Each has a connection of its own, which either worker may accept.
        const { status } = await sendRaw(
          baseUrl,
          composePlantRequest({ baseUrl, token }, `{"id":${id},"name":"Fern"}`),
        );
        return status;
      }),
    );
  expect(new Set(await statuses())).toEqual(new Set([200]));
  expect(provider.requests).toBe(1);
  // Neither worker has seen this one.
  const other = await provider.sign({ sub: 'bob' });
  provider.reply = beAway;
  for (let id = 20; id < 40; id++)
    expect(
      (await sendRaw(baseUrl, composePlantRequest({ baseUrl, token: other }, `{"id":${id},"name":"Fern"}`)))
        .status,
    ).toBe(200);
  expect(provider.requests).toBe(1);
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
