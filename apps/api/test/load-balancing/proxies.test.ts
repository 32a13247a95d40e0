import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postFromAddress } from '../support/get-file.js';
import { issueToken, type RunningCommand, runCommand, startServe } from '../support/process/run-command.js';
import { readPage, root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** Where Debian's packages have them. */
const programs = { haproxy: '/usr/sbin/haproxy', nginx: '/usr/sbin/nginx' } as const;
/** How often each of the two instances is restarted. */
const restarts = Number(process.env['ROLLING_RESTARTS'] || 1);
const connections = 32;

beforeAll(() => {
  for (const program of Object.values(programs)) {
    if (existsSync(program)) continue;
    throw new Error(
      `There is no ${program}. Install it with "apt-get update && apt-get install -y --no-install-recommends haproxy nginx-light".`,
    );
  }
});

it('haproxy accepts the configuration of compose.yaml', () => {
  const args = ['-c', '-f', join(root, 'deploy/compose/haproxy.cfg')];
  expect(() => execFileSync(programs.haproxy, args, { stdio: 'pipe' })).not.toThrow();
});

/** Finds free ports for those that the configurations in `deploy/load-balancing` have: of two instances, and of the proxy. */
async function findPorts() {
  const find = async () => ({ PORT: String(await findFreePort()), ADMIN_PORT: String(await findFreePort()) });
  const [a, b, proxy] = [await find(), await find(), String(await findFreePort())];
  const replacements = { 3000: a.PORT, 3001: a.ADMIN_PORT, 3002: b.PORT, 3003: b.ADMIN_PORT, 8080: proxy };
  return { instances: [a, b], replacements, proxyUrl: `http://127.0.0.1:${proxy}` };
}
type Ports = Awaited<ReturnType<typeof findPorts>>;

/** Starts a proxy in front of the instances until the end of the test. */
function startProxy(
  proxy: keyof typeof programs,
  { replacements }: Ports,
  change = (configuration: string) => configuration,
): ChildProcess {
  const folder = temporaryFolder();
  const file = join(folder, 'proxy.conf');
  const extension = { haproxy: 'cfg', nginx: 'conf' }[proxy];
  const configuration = change(readPage(`deploy/load-balancing/${proxy}.${extension}`)).replaceAll(
    /\b(3000|3001|3002|3003|8080)\b/g,
    (port) => replacements[Number(port) as keyof typeof replacements],
  );
  const args = { haproxy: ['-W', '-db', '-f', file], nginx: ['-e', 'stderr', '-p', folder, '-c', file] };
  if (proxy === 'haproxy') {
    writeFileSync(file, configuration);
  } else {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const http = `access_log off; ${paths.join(' ')}\n${configuration}`;
    writeFileSync(file, `daemon off; pid ${folder}/pid; ${user}\nevents {}\nhttp {\n${http}}\n`);
  }
  const check = [proxy === 'haproxy' ? '-c' : '-t', ...args[proxy]];
  execFileSync(programs[proxy], check, { stdio: 'pipe' });
  const child = spawn(programs[proxy], args[proxy], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return child;
}

describe.each(['haproxy', 'nginx'] as const)('behind %s', (proxy) => {
  it('the failures of a client count, whatever address it claims to have', async () => {
    const ports = await findPorts();
    const settings = { TRUSTED_PROXIES: '127.0.0.1', AUTH_FAILURES_PER_MINUTE: '5' };
    const environment = { ...ports.instances[0], ...settings };
    const { command } = await startServe({ folder: temporaryFolder(), environment });
    startProxy(proxy, ports);
    const send = (from: string, forwardedFor: string, token?: string) =>
      postFromAddress(ports.proxyUrl, { from, id: 1, token, forwardedFor });
    // Without a token nothing is counted.
    await until(async () => (await send('127.0.0.4', '192.0.2.1').catch(() => undefined))?.status === 401);

    for (let count = 0; count < 5; count++)
      expectError(await send('127.0.0.2', `192.0.2.${count}`, 'wrong'), 'invalid_token', /./);
    expectError(await send('127.0.0.2', '192.0.2.9', 'wrong'), 'rate_limited', /./);
    expectError(await send('127.0.0.3', '192.0.2.9', 'wrong'), 'invalid_token', /./);
    const { stdout } = await command.end('SIGTERM');
    expect(stdout).toMatch(/"clientAddress":"127\.0\.0\.2","seconds":\d+,"msg":"authentication limited"/);
    expect(stdout).not.toContain('TRUSTED_PROXIES');
  });

  it('a request for changes waits for longer than others may take, and is sent once', async () => {
    const ports = await findPorts();
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const { command } = await startServe({ folder, environment: ports.instances[0] ?? {} });
    startProxy(proxy, ports, (configuration) => configuration.replace(/\b15s/, '1s'));
    const client = createClient({ baseUrl: ports.proxyUrl, token, retries: 0 });
    const wait = (seconds: number) => client.listChanges({ query: { wait: seconds } });
    await until(async () => (await wait(0).catch(() => undefined))?.status === 200);
    const startedAt = performance.now();
    expect(await wait(3)).toMatchObject({ status: 200, body: { changes: [] } });
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
    const { stdout } = await command.end('SIGTERM');
    expect([...stdout.matchAll(/"path":"\/changes".*"durationMs":[23]\d{3}/g)]).toHaveLength(1);
  });

  it('no request of a client that never retries fails while instances restart', {
    timeout: 30_000 + restarts * 120_000,
  }, async () => {
    const ports = await findPorts();
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const start = async (instance: object): Promise<RunningCommand> => {
      const environment = { ...instance, DRAIN_DELAY_MS: '3000' };
      return (await startServe({ folder, environment })).command;
    };
    const running = await Promise.all(ports.instances.map(start));
    const proxyProcess = startProxy(proxy, ports);

    const client = createClient({ baseUrl: ports.proxyUrl, token, retries: 0, timeoutMs: 120_000 });
    const create = (id: number) => client.createPlant({ body: { id, name: `plant ${id}` } });
    await until(async () => {
      expect(proxyProcess.exitCode).toBeNull();
      return (await create(0).catch(() => undefined))?.status === 200;
    });

    let isRestarting = true;
    let nextId = 1;
    const failures: string[] = [];
    const load = Array.from({ length: connections }, async () => {
      while (isRestarting) {
        const id = nextId++;
        await create(id).then(
          ({ status, body }) => status === 200 || failures.push(`${id}: ${status} ${JSON.stringify(body)}`),
          (error: unknown) => failures.push(`${id}: ${error}`),
        );
      }
    });
    for (let count = 0; count < restarts; count++) {
      for (const [index, instance] of ports.instances.entries()) {
        expect(await running[index]?.end('SIGTERM')).toMatchObject({ exitCode: 0 });
        running[index] = await start(instance);
        await until(async () => (await fetch(`http://127.0.0.1:${instance.ADMIN_PORT}/readyz`)).ok);
        // The proxy has to find it ready, too.
        await sleep(2_000);
      }
    }
    isRestarting = false;
    await Promise.all(load);
    console.log(`${proxy}: ${nextId} creates during ${2 * restarts} restarts, ${failures.length} failed`);
    expect(failures).toEqual([]);

    const { stdout } = await runCommand(['export'], { folder });
    expect(stdout.trim().split('\n')).toHaveLength(nextId);
  });
});
