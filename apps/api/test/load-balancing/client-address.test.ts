import { beforeAll, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postFromAddress } from '../support/get-file.js';
import { startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { findPorts, type ProxyName, requireProxies, startProxy } from './start-proxy.js';

beforeAll(requireProxies);

it.each<ProxyName>(['haproxy', 'nginx'])(
  'behind %s the failures of a client count, whatever address it claims to have',
  async (proxy) => {
    const ports = await findPorts();
    const [{ port, adminPort }] = ports.instances;
    const environment = {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      TRUSTED_PROXIES: '127.0.0.1',
      AUTH_FAILURES_PER_MINUTE: '5',
    };
    const { command } = await startServe({ folder: temporaryFolder(), environment });
    startProxy(proxy, ports);
    const send = (from: string, forwardedFor: string, token?: string) =>
      postFromAddress(`http://127.0.0.1:${ports.proxy}`, { from, id: 1, token, forwardedFor });
    // Without a token nothing is counted.
    await until(async () => (await send('127.0.0.4', '192.0.2.1').catch(() => undefined))?.status === 401);

    for (let count = 0; count < 5; count++) {
      expectError(await send('127.0.0.2', `192.0.2.${count}`, 'wrong'), 'invalid_token', /./);
    }
    expectError(await send('127.0.0.2', '192.0.2.9', 'wrong'), 'rate_limited', /./);
    expectError(await send('127.0.0.3', '192.0.2.9', 'wrong'), 'invalid_token', /./);
    const { stdout } = await command.end('SIGTERM');
    expect(stdout).toMatch(/"clientAddress":"127\.0\.0\.2","seconds":\d+,"msg":"authentication limited"/);
    expect(stdout).not.toContain('TRUSTED_PROXIES');
  },
);
