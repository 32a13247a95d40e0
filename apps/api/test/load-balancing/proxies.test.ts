import { type ChildProcess, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract';
import { findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postFromAddress } from '../support/get-file.js';
import { requireProgram, startProgram } from '../support/process/programs.js';
import { issueToken, type RunningCommand, runCommand, startServe } from '../support/process/run-command.js';
import { readPage, root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** Where Debian's packages have them. */
const programs = { haproxy: '/usr/sbin/haproxy', nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' } as const;
/** How often each of the two instances is restarted. */
const restarts = Number(process.env['ROLLING_RESTARTS'] || 1);
const connections = 32;

beforeAll(() => {
  for (const program of Object.values(programs))
    requireProgram(program, '--no-install-recommends haproxy nginx-light caddy');
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
  const shipped = { haproxy: 'haproxy.cfg', nginx: 'nginx.conf', caddy: 'Caddyfile' }[proxy];
  const configuration = change(readPage(`deploy/load-balancing/${shipped}`)).replaceAll(
    /\b(3000|3001|3002|3003|8080)\b/g,
    (port) => replacements[Number(port) as keyof typeof replacements],
  );
  const args = {
    haproxy: ['-W', '-db', '-f', file],
    nginx: ['-e', 'stderr', '-p', folder, '-c', file],
    caddy: ['run', '--adapter', 'caddyfile', '--config', file],
  };
  if (proxy === 'haproxy') {
    writeFileSync(file, configuration);
  } else if (proxy === 'caddy') {
    // Without TLS, for which it would ask an authority for a certificate.
    const site = `http://127.0.0.1:${replacements[8080]} {`;
    const options = '{\n\tadmin off\n\tauto_https off\n}\n';
    writeFileSync(file, options + configuration.replace('plants.example.com {', site));
  } else {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const http = `access_log off; ${paths.join(' ')}\n${configuration}`;
    writeFileSync(file, `daemon off; pid ${folder}/pid; ${user}\nevents {}\nhttp {\n${http}}\n`);
  }
  const check = {
    haproxy: ['-c', ...args.haproxy],
    nginx: ['-t', ...args.nginx],
    caddy: ['validate', ...args.caddy.slice(1)],
  };
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  execFileSync(programs[proxy], check[proxy], { stdio: 'pipe', env });
  const standardError = proxy === 'caddy' ? 'ignore' : 'inherit';
  return startProgram(programs[proxy], args[proxy], { stdio: ['ignore', 'ignore', standardError], env });
}

/** Sends bytes on a connection of their own, and returns the status of the reply and its body. */
async function sendBytes(baseUrl: string, bytes: string): Promise<{ status: string; body: string }> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  let reply = '';
  socket.setEncoding('latin1').on('data', (data) => {
    reply += data;
  });
  socket.write(bytes);
  const read = () => /^HTTP\/1\.1 (?!100)(\d+) .*?\r\n\r\n[^{]*(\{.*\})/s.exec(reply);
  await until(() => read() !== null);
  socket.destroy();
  const [, status = '', body = ''] = read() ?? [];
  return { status, body };
}

describe.each(['haproxy', 'nginx', 'caddy'] as const)('behind %s', (proxy) => {
  it('replies are those of the service, also to an upgrade and to a body that is too large', async () => {
    const ports = await findPorts();
    const folder = temporaryFolder();
    const token = await issueToken({ folder });
    const { baseUrl } = await startServe({ folder, environment: ports.instances[0] ?? {} });
    startProxy(proxy, ports);
    await until(async () => (await fetch(`${ports.proxyUrl}/plants`).catch(() => undefined))?.status === 401);

    const head = (line: string) =>
      `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
    const post = `${head('POST /plants')}Content-Type: application/json\r\n`;
    const large = ' '.repeat(2 ** 20 + 1);
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const webSocket =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    for (const bytes of [
      `${head('GET /plants')}\r\n`,
      `${head('GET /plants')}${h2c}\r\n`,
      `${head('GET /plants')}${webSocket}\r\n`,
      `${post}${h2c}Content-Length: 2\r\n\r\n{}`,
      `${post}${webSocket}Content-Length: 2\r\n\r\n{}`,
      `${post}Content-Length: ${large.length}\r\n\r\n${large}`,
      `${post}Transfer-Encoding: chunked\r\n\r\n100001\r\n${large}\r\n0\r\n\r\n`,
      `${head('DELETE /plants')}\r\n`,
    ]) {
      const [direct, proxied] = await Promise.all([
        sendBytes(baseUrl, bytes),
        sendBytes(ports.proxyUrl, bytes),
      ]);
      const { error } = JSON.parse(proxied.body);
      expect({ status: proxied.status, error }, bytes.slice(0, 300)).toEqual({
        status: direct.status,
        error: JSON.parse(direct.body).error,
      });
    }
  });

  it('what no instance answers is an error of the service', async () => {
    const ports = await findPorts();
    startProxy(proxy, ports);
    const send = () => fetch(`${ports.proxyUrl}/plants`).catch(() => undefined);
    await until(async () => (await send())?.status === 503);
    const reply = await send();
    expect(reply?.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply?.headers.get('retry-after')).toBe('1');
    expect(await reply?.json()).toEqual({ error: errors.shutting_down.error, message: expect.any(String) });
  });

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
    expect([...stdout.matchAll(/"path":"\/changes".*"durationMs":([2-9]\d{3}|\d{5})/g)]).toHaveLength(1);
  });

  // Caddy has one instance.
  it.skipIf(proxy === 'caddy')(
    'no request of a client that never retries fails while instances restart',
    {
      timeout: 30_000 + restarts * 120_000,
    },
    async () => {
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
    },
  );
});
