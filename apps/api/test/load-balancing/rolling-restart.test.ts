import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { issueToken, type RunningCommand, runCommand, startServe } from '../support/process/run-command.js';
import { root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** How often each of the two instances is restarted. */
const restarts = Number(process.env['ROLLING_RESTARTS'] || 1);
const connections = 32;

const programs = { haproxy: '/usr/sbin/haproxy', nginx: '/usr/sbin/nginx' } as const;
type Proxy = keyof typeof programs;

beforeAll(() => {
  for (const program of Object.values(programs)) {
    if (existsSync(program)) continue;
    throw new Error(
      `There is no ${program}. Install it with "apt-get update && apt-get install -y --no-install-recommends haproxy nginx-light".`,
    );
  }
});

/** The ports of two instances, each with its admin port, and of the proxy, as they are in the configurations. */
interface Ports {
  readonly instances: readonly [Instance, Instance];
  readonly proxy: number;
}

interface Instance {
  readonly port: number;
  readonly adminPort: number;
}

async function findPorts(): Promise<Ports> {
  const find = async () => ({ port: await findFreePort(), adminPort: await findFreePort() });
  return { instances: [await find(), await find()], proxy: await findFreePort() };
}

/** Reads the configuration of a proxy from `deploy/load-balancing`, with these ports in place of its own. */
function readConfiguration(file: string, { instances: [a, b], proxy }: Ports): string {
  const ports = { 3000: a.port, 3001: a.adminPort, 3002: b.port, 3003: b.adminPort, 8080: proxy };
  return readFileSync(join(root, 'deploy/load-balancing', file), 'utf8').replaceAll(
    /\b(3000|3001|3002|3003|8080)\b/g,
    (port) => String(ports[Number(port) as keyof typeof ports]),
  );
}

/** Starts a proxy in front of the instances until the end of the test. */
function startProxy(proxy: Proxy, ports: Ports): ChildProcess {
  const folder = temporaryFolder();
  const file = join(folder, 'proxy.conf');
  const args = { haproxy: ['-W', '-db', '-f', file], nginx: ['-e', 'stderr', '-p', folder, '-c', file] };
  if (proxy === 'haproxy') {
    writeFileSync(file, readConfiguration('haproxy.cfg', ports));
  } else {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const http = `access_log off; ${paths.join(' ')}\n${readConfiguration('nginx.conf', ports)}`;
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    writeFileSync(file, `daemon off; pid ${folder}/pid; ${user}\nevents {}\nhttp {\n${http}}\n`);
  }
  execFileSync(programs[proxy], [...(proxy === 'haproxy' ? ['-c'] : ['-t']), ...args[proxy]], {
    stdio: 'pipe',
  });
  const child = spawn(programs[proxy], args[proxy], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return child;
}

it.each<Proxy>(['haproxy', 'nginx'])(
  'behind %s no request of a client that never retries fails while instances restart',
  async (proxy) => {
    const ports = await findPorts();
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const start = async ({ port, adminPort }: Instance): Promise<RunningCommand> => {
      const environment = { PORT: String(port), ADMIN_PORT: String(adminPort), DRAIN_DELAY_MS: '3000' };
      return (await startServe({ folder, environment })).command;
    };
    const running = await Promise.all(ports.instances.map(start));
    const proxyProcess = startProxy(proxy, ports);

    const baseUrl = `http://127.0.0.1:${ports.proxy}`;
    const client = createClient({ baseUrl, token, retries: 0, timeoutMs: 120_000 });
    const create = (id: number) => client.createPlant({ body: { id, name: `plant ${id}` } });
    await until(async () => {
      expect(proxyProcess.exitCode).toBeNull();
      return (await create(0).catch(() => undefined))?.status === 200;
    });

    let isRestarting = true;
    let nextId = 1;
    const failures: string[] = [];
    async function createContinually(): Promise<void> {
      while (isRestarting) {
        const id = nextId++;
        const outcome = await create(id).then(
          ({ status, body }) => (status === 200 ? undefined : `${status} ${JSON.stringify(body)}`),
          (error: unknown) => String(error),
        );
        if (outcome !== undefined) failures.push(`${id}: ${outcome}`);
      }
    }
    const load = Array.from({ length: connections }, createContinually);

    for (let count = 0; count < restarts; count++) {
      for (const [index, instance] of ports.instances.entries()) {
        expect(await running[index]?.end('SIGTERM')).toMatchObject({ exitCode: 0 });
        running[index] = await start(instance);
        await until(async () => (await fetch(`http://127.0.0.1:${instance.adminPort}/readyz`)).ok);
        // The proxy has to find it ready, too.
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
    }
    isRestarting = false;
    await Promise.all(load);
    console.log(`${proxy}: ${nextId} creates during ${2 * restarts} restarts, ${failures.length} failed`);
    expect(failures).toEqual([]);

    const { stdout } = await runCommand(['export'], { folder });
    expect(stdout.trim().split('\n')).toHaveLength(nextId);
  },
  30_000 + restarts * 120_000,
);

it('haproxy accepts the configuration of compose.yaml', () => {
  const check = () =>
    execFileSync(programs.haproxy, ['-c', '-f', join(root, 'deploy/compose/haproxy.cfg')], { stdio: 'pipe' });
  expect(check).not.toThrow();
});
