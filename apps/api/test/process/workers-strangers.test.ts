import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { comparedSettings, compareReplies } from '../support/compare-replies.js';
import { composePlantRequest } from '../support/post-plant.js';
import { isRunning } from '../support/process/processes.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { startWorkers } from '../support/process/start-workers.js';
import { startLoad } from '../support/process/steady-load.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** Opens connections and closes them at once, many at a time, in a process of its own. */
const churn = `
  const { connect } = require('node:net');
  let left = 5_000;
  function open() {
    if (left-- <= 0) return;
    connect(Number(process.argv[1]), '127.0.0.1', function () { this.destroy(); }).on('error', () => {}).on('close', open);
  }
  for (let i = 0; i < 512; i++) open();
`;

it('goes on while a stranger opens and closes connections, of which the primary process has none', async () => {
  const service = await startWorkers();
  const callers = startLoad(service, { retries: false });
  await callers.acknowledgements(50);
  const workers = service.workers();
  const countDescriptors = () => readdirSync(`/proc/${service.pid}/fd`).length;
  const before = countDescriptors();
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, countDescriptors());
  }, 10);
  onTestFinished(() => clearInterval(looking));
  const strangers = [1, 2].map(() => {
    const stranger = spawn(process.execPath, ['-e', churn, new URL(service.baseUrl).port], {
      stdio: 'inherit',
    });
    onTestFinished(() => void stranger.kill('SIGKILL'));
    return once(stranger, 'exit');
  });
  await callers.acknowledgements(200);
  expect(await Promise.all(strangers)).toEqual([
    [0, null],
    [0, null],
  ]);
  await callers.acknowledgements(50);
  await callers.end();
  expect(callers.unexpected).toEqual([]);
  expect(most).toBeLessThan(before + 20);
  expect(service.workers()).toEqual(workers);
  expect(await service.command.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
});

it('answers a client that closes its sending side right behind its request', async () => {
  const { command, baseUrl, token } = await startWorkers();
  const replies = await Promise.all(
    Array.from({ length: 50 }, async (_, id) => {
      const connection = await openConnection(baseUrl);
      connection.write(composePlantRequest({ baseUrl, token }, `{"id":${id},"name":"Fern"}`));
      connection.end();
      return connection.readToEnd();
    }),
  );
  expect(replies.map((reply) => reply.slice(0, 15))).toEqual(Array(50).fill('HTTP/1.1 200 OK'));
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0 });
});

it('sends the same bytes with one process and with two workers', async () => {
  const [one, two] = await Promise.all(
    ['1', '2'].map(async (workers) => {
      const folder = temporaryFolder();
      const token = await issueToken({ folder });
      const { baseUrl } = await startServe({
        folder,
        // Each worker has its share of this limit, and counts for itself.
        environment: { ...comparedSettings, RATE_LIMIT_PER_MINUTE: '0', WORKERS: workers },
      });
      return { baseUrl, token };
    }),
  );
  if (one && two) await compareReplies(one, two);
  expect.hasAssertions();
});

/** Starts two workers, and stops one of them until it is continued, or is killed. */
async function startWithHangingWorker() {
  const service = await startWorkers();
  const [hanging = 0] = service.workers();
  const callers = startLoad(service, { retries: false });
  await callers.acknowledgements(20);
  await callers.end();
  process.kill(hanging, 'SIGSTOP');
  onTestFinished(() => void (isRunning(hanging) && process.kill(hanging, 'SIGKILL')));
  await service.command.waitFor(/"worker":\d,"pid":\d+,"msg":"worker does not respond"/);
  return { ...service, hanging };
}

it('shows at once that a worker hangs; the others accept all connections', async () => {
  const service = await startWithHangingWorker();
  const { command, baseUrl, token, hanging } = service;
  expect(await service.readMetric('plant_store_workers_unresponsive')).toBe(1);
  // On a slow machine the other one, too, may answer late at first.
  await until(async () => (await service.readReadiness()).status === 200);
  expect((await service.readReadiness()).body).toEqual({
    status: 'ready',
    warnings: ['1 of 2 workers does not run, respond or store plants.'],
  });
  for (let id = 1; id <= 20; id++) {
    expect(
      await sendRaw(baseUrl, composePlantRequest({ baseUrl, token }, `{"id":${id},"name":"Fern"}`)),
    ).toMatchObject({ status: 200 });
  }
  if (isRunning(hanging)) process.kill(hanging, 'SIGKILL');
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0 });
});

it('shows that a worker which hung responds again', async () => {
  // At once, since one that hangs for long is replaced.
  const { hanging, command, ...service } = await startWithHangingWorker();
  process.kill(hanging, 'SIGCONT');
  await command.waitFor(/"msg":"worker responds again"/);
  await until(async () => (await service.readMetric('plant_store_workers_unresponsive')) === 0);
  expect((await service.readReadiness()).body).toEqual({ status: 'ready' });
  expect(await command.end('SIGTERM')).toMatchObject({ exitCode: 0 });
});
