import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createClient } from '@plant-store/client';
import { beforeAll, expect, it } from 'vitest';
import { issueToken, type RunningCommand, runCommand, startServe } from '../support/process/run-command.js';
import { root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import {
  findPorts,
  type Instance,
  type ProxyName,
  programs,
  requireProxies,
  startProxy,
} from './start-proxy.js';

/** How often each of the two instances is restarted. */
const restarts = Number(process.env['ROLLING_RESTARTS'] || 1);
const connections = 32;

beforeAll(requireProxies);

it.each<ProxyName>(['haproxy', 'nginx'])(
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
