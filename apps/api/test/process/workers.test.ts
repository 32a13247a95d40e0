import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readMetric, readReadiness } from '../support/admin-port.js';
import { comparedSettings, compareReplies } from '../support/compare-replies.js';
import { createTestDatabase } from '../support/database/create-test-database.js';
import { beAway, startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { onFinished } from '../support/on-finished.js';
import { composePlantRequest } from '../support/post-plant.js';
import { childrenOf, isRunning } from '../support/process/processes.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { startLoad } from '../support/process/steady-load.js';
import { readPlants } from '../support/read-plants.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService } from '../support/start-test-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** A service with two workers on SQLite, and what tests do with it. */
async function startWorkers(environment: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const database = await createTestDatabase('sqlite');
  onFinished(() => database.remove());
  const settings = { WORKERS: '2', ADMIN_PORT: '0', DRAIN_DELAY_MS: '0', DATABASE_URL: database.url };
  const token = await issueToken({ folder, environment: settings });
  const service = await startServe({ folder, environment: { ...settings, ...environment } });
  const pid = service.command.process.pid ?? 0;
  return {
    ...service,
    token,
    pid,
    readPlants: () => readPlants({ database }),
    workers: () => childrenOf(pid),
    readMetric: (name: string) => readMetric(service, name),
    readReadiness: () => readReadiness(service),
  };
}

type Service = Awaited<ReturnType<typeof startWorkers>>;

/** Creates a plant on a connection of its own, which either worker may accept. */
function create(service: Pick<Service, 'baseUrl' | 'token'>, id: number) {
  return sendRaw(service.baseUrl, composePlantRequest(service, `{"id":${id},"name":"Fern"}`));
}

async function stop({ command }: Service): Promise<void> {
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
}

describe('a service with two workers', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startWorkers();
  });
  afterAll(() => service.command.end('SIGKILL'));

  /** What was acknowledged to the callers of all tests. */
  const acknowledged: number[] = [];

  /** Runs an action while callers create plants. */
  async function underLoad(action: (callers: ReturnType<typeof startLoad>) => Promise<void>) {
    const callers = startLoad(service, { retries: false });
    await callers.acknowledgements(50);
    await action(callers);
    await callers.end();
    acknowledged.push(...callers.acknowledged.keys());
    return callers.unexpected;
  }

  const readWorkerEnds = () => service.readMetric('plant_store_worker_ends_total');
  const ready = { status: 200, body: { status: 'ready' } };
  const untilReady = () => expect.poll(service.readReadiness).toEqual(ready);

  it('leaves signals to the primary process', async () => {
    const pids = service.workers();
    expect(pids).toHaveLength(2);
    for (const pid of pids)
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal);
    expect(await underLoad(async () => expect(service.workers()).toEqual(pids))).toEqual([]);
  });

  it('replaces all workers on SIGHUP without a failed request, and keeps what they counted', async () => {
    const before = service.workers();
    const readRequests = () => service.readMetric('plant_store_http_requests_total');
    let counted = Number.POSITIVE_INFINITY;
    const failures = await underLoad(async (callers) => {
      counted = await readRequests();
      service.command.process.kill('SIGHUP');
      await service.command.waitFor(/"workers":2,"msg":"workers replaced"/);
      await callers.acknowledgements(50);
      await until(() => !before.some(isRunning));
      // The system lists one that has ended until its parent has noticed.
      await until(() => service.workers().length === 2);
    });
    expect(failures).toEqual([]);
    expect(await readRequests()).toBeGreaterThan(counted + 50);
    expect(await readWorkerEnds()).toBe(0);
  });

  it('replaces a worker that is killed, or all at once: only their requests break', async () => {
    const failures = await underLoad(async (callers) => {
      const before = service.workers();
      process.kill(before[0] ?? 0, 'SIGKILL');
      await callers.acknowledgements(50);
      const next = await until(() => service.workers().find((pid) => !before.includes(pid)));
      await service.command.waitFor(new RegExp(`"worker":\\d,"pid":${next},"msg":"worker started"`));
      await until(() => service.workers().length === 2);
      await untilReady();
      expect(await readWorkerEnds()).toBe(1);
      expect(await service.readMetric('plant_store_workers')).toBe(2);
      const ofSecond = 'plant_store_process_cpu_seconds_total{process="2"}';
      expect(await service.readMetric(ofSecond)).toBeGreaterThan(0);
    });
    // Each caller had at most one request in flight.
    expect(failures.length).toBeLessThanOrEqual(8);

    const all = service.workers();
    for (const pid of all) process.kill(pid, 'SIGKILL');
    await until(() => !all.some(isRunning));
    // While none runs nobody listens.
    await until(async () => (await create(service, 1).catch(() => undefined))?.status === 200);
    await until(() => service.workers().length === 2);
    await untilReady();
  });

  it('goes on while a stranger opens and closes connections, of which the primary process has none', async () => {
    // Opens connections and closes them at once, many at a time.
    const churn = `
      const { connect } = require('node:net');
      let left = 2_000;
      function open() {
        if (left-- <= 0) return;
        connect(Number(process.argv[1]), '127.0.0.1', function () { this.destroy(); }).on('error', () => {}).on('close', open);
      }
      for (let i = 0; i < 512; i++) open();`;
    const workers = service.workers();
    const countDescriptors = () => readdirSync(`/proc/${service.pid}/fd`).length;
    const before = countDescriptors();
    let most = 0;
    const looking = setInterval(() => {
      most = Math.max(most, countDescriptors());
    }, 10);
    onTestFinished(() => clearInterval(looking));
    const failures = await underLoad(async (callers) => {
      const strangers = [1, 2].map(() => {
        const stranger = spawn(process.execPath, ['-e', churn, new URL(service.baseUrl).port]);
        onTestFinished(() => void stranger.kill('SIGKILL'));
        return once(stranger, 'exit');
      });
      await callers.acknowledgements(100);
      for (const ended of strangers) expect(await ended).toEqual([0, null]);
      await callers.acknowledgements(50);
    });
    expect(failures).toEqual([]);
    expect(most).toBeLessThan(before + 20);
    expect(service.workers()).toEqual(workers);
  });

  /** Stops a worker until it is continued, or killed; resolves once that is noticed. */
  async function hang(index: number): Promise<number> {
    const hanging = service.workers()[index] ?? 0;
    process.kill(hanging, 'SIGSTOP');
    onTestFinished(() => void (isRunning(hanging) && process.kill(hanging, 'SIGKILL')));
    await service.command.waitFor(new RegExp(`"pid":${hanging},"msg":"worker is not responding"`));
    return hanging;
  }
  const countUnresponsive = () => service.readMetric('plant_store_workers_unresponsive');

  it('shows that a worker which hung responds again', async () => {
    // At once, since one that hangs for long is replaced.
    process.kill(await hang(0), 'SIGCONT');
    await service.command.waitFor(/"msg":"worker responds again"/);
    await until(async () => (await countUnresponsive()) === 0);
    await untilReady();
  });

  it('shows at once that a worker hangs; the others accept all connections', async () => {
    const hanging = await hang(1);
    // On a slow machine the other one, too, may answer late at first.
    await until(async () => (await countUnresponsive()) === 1);
    const warnings = ['1 of 2 workers is not running, not responding, or unable to store records.'];
    await expect.poll(service.readReadiness).toEqual({ status: 200, body: { status: 'ready', warnings } });
    for (let id = 100; id < 120; id++) expect(await create(service, id)).toMatchObject({ status: 200 });
    if (isRunning(hanging)) process.kill(hanging, 'SIGKILL');
    await until(() => !isRunning(hanging));
    await untilReady();
  });

  it('answers what is in flight at SIGTERM, ends all workers, and has lost nothing', async () => {
    const workers = service.workers();
    const callers = startLoad(service, { retries: false });
    await callers.acknowledgements(50);
    const ended = service.command.end('SIGTERM');
    await callers.end();
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/"inTime":true,"msg":"stopped"/);
    expect(workers.some(isRunning)).toBe(false);
    const stored = new Set((await service.readPlants()).map(({ id }) => Number(id)));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    const first = Math.min(...callers.acknowledged.keys());
    expect([...stored].filter((id) => id >= first)).toHaveLength(callers.acknowledged.size);
  });
});

it('ends a worker that does not stop, and says so', async () => {
  const { command, workers } = await startWorkers({ SHUTDOWN_TIMEOUT_MS: '100' });
  const pids = workers();
  process.kill(pids[0] ?? 0, 'SIGSTOP');
  const { exitCode, stdout } = await command.end('SIGTERM');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(`"pid":${pids[0]},"timeoutMs":1100,"msg":"worker did not stop in time"`);
  expect(stdout).toMatch(/"inTime":false,"msg":"stopped"/);
  expect(pids.some(isRunning)).toBe(false);
});

it('limits the requests of all workers together, each to its share, and ends all when the primary is killed', async () => {
  const service = await startWorkers({ RATE_LIMIT_PER_MINUTE: '10', AUTH_FAILURES_PER_MINUTE: '10' });
  /** Sends 60 requests; returns how many were not limited, all of which have the status. */
  async function countAnswered(token: string, status: number): Promise<number> {
    const requests = Array.from({ length: 60 }, (_, id) => create({ ...service, token }, id));
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

  const pids = service.workers();
  await service.command.end('SIGKILL');
  await until(() => !pids.some(isRunning));
});

it('verifies JSON Web Tokens with one set of keys for each worker, also while the provider is away', async () => {
  const provider = await startIdentityProvider();
  const service = await startWorkers(provider.environment);
  const token = await provider.sign();
  const send = async (id: number, sent = token) => (await create({ ...service, token: sent }, id)).status;
  await until(async () => {
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, id) => send(id)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    return provider.requests === 2;
  });
  // Neither worker has seen this one.
  const other = await provider.sign({ sub: 'bob' });
  provider.reply = beAway;
  for (let id = 20; id < 40; id++) expect(await send(id, other)).toBe(200);
  expect(provider.requests).toBe(2);
  await stop(service);
});

it('sends the same bytes with one process and with two workers', async () => {
  // Each worker has its share of the limit, and counts for itself.
  const settings = { ...comparedSettings, RATE_LIMIT_PER_MINUTE: '0', PAGE: 'off', CLIENT: 'off' };
  const [one, two] = await Promise.all([startTestService(settings), startWorkers(settings)]);
  await compareReplies(one, two);
  await stop(two);
});
