import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { sendJson } from '../support/post-plant.js';
import { requireProgram, startProgram } from '../support/process/programs.js';
import { startStore } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

interface Proxy {
  /** Where Debian's package has it. */
  readonly program: string;
  readonly coding: 'gzip' | 'br';
  /** How it changes an entity tag, whatever its version. */
  readonly changed: RegExp;
  args(folder: string, file: string): readonly string[];
  configure(port: number, service: string, folder: string): string;
}

const apache = (coding: Proxy['coding'], module: string, filter: string): Proxy => ({
  program: '/usr/sbin/apache2',
  coding,
  changed: new RegExp(`^"[\\w-]{22}-${coding}"$`),
  args: (_, file) => ['-f', file, '-D', 'FOREGROUND'],
  configure: (port, service, folder) => `
    ServerRoot ${folder}
    PidFile ${folder}/pid
    ErrorLog ${folder}/errors
    ServerName localhost
    Listen 127.0.0.1:${port}
    ${['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'filter', module]
      .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
      .join('\n')}
    AddOutputFilterByType ${filter} application/json
    ProxyPass / ${service}/
  `,
});

const proxies = {
  'Apache with mod_deflate': apache('gzip', 'deflate', 'DEFLATE'),
  'Apache with mod_brotli': apache('br', 'brotli', 'BROTLI_COMPRESS'),
  nginx: {
    program: '/usr/sbin/nginx',
    coding: 'gzip',
    changed: /^W\/"[\w-]{22}"$/,
    args: (folder, file) => ['-e', 'stderr', '-p', folder, '-c', file],
    configure: (port, service, folder) => `
      daemon off; pid ${folder}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
        gzip on; gzip_proxied any; gzip_types application/json;
        server { listen 127.0.0.1:${port}; location / { proxy_pass ${service}; proxy_http_version 1.1; } }
      }
    `,
  },
  HAProxy: {
    program: '/usr/sbin/haproxy',
    coding: 'gzip',
    changed: /^W\/"[\w-]{22}"$/,
    args: (_, file) => ['-db', '-f', file],
    configure: (port, service) => `
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
  compression algo gzip
  compression type application/json
listen proxy
  bind 127.0.0.1:${port}
  server service ${new URL(service).host}
`,
  },
  Caddy: {
    program: '/usr/bin/caddy',
    coding: 'gzip',
    // Before 2.7 it leaves the tag as it is.
    changed: /^"[\w-]{22}(-gzip)?"$/,
    args: (_, file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configure: (port, service) => `
{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	encode {
		gzip
		minimum_length 1
	}
	reverse_proxy ${service}
}
`,
  },
} satisfies Record<string, Proxy>;

beforeAll(() => {
  for (const { program } of Object.values(proxies))
    requireProgram(program, '--no-install-recommends haproxy nginx-light caddy apache2');
});

/** Starts a proxy that compresses replies of a service, until the end of the test. */
async function startProxy({ program, args, configure }: Proxy, service: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await findFreePort()];
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, configure(port, service, folder));
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const child = startProgram(program, args(folder, file), { stdio: 'ignore', env });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    expect(child.exitCode).toBeNull();
    return (await fetch(`${url}/plants`).catch(() => undefined))?.status === 401;
  });
  return url;
}

describe.each(Object.entries(proxies))('behind %s, which compresses', (_, proxy: Proxy) => {
  it('conditions hold or fail as without it', async () => {
    const { baseUrl, token } = await startStore();
    const proxyUrl = await startProxy(proxy, baseUrl);
    const send = async (line: string, conditions: object = {}, plant?: object) => {
      const headers = { 'Accept-Encoding': proxy.coding, ...conditions };
      const reply = await sendJson({ baseUrl: proxyUrl, token }, line, plant, headers);
      await reply.arrayBuffer();
      const tag = reply.headers.get('etag') ?? '';
      return { status: reply.status, tag, coding: reply.headers.get('content-encoding') };
    };
    const rest = 'with a name that is worth a compression '.repeat(4);
    const name = (text: string) => ({ name: `${text}, ${rest}` });

    const created = await send('POST /plants', {}, { id: 1, ...name('Fern') });
    expect(created).toEqual({ status: 200, tag: expect.stringMatching(proxy.changed), coding: proxy.coding });
    const updated = await send('PUT /plants/1', { 'If-Match': created.tag }, name('Ivy'));
    expect(updated).toEqual({ status: 200, tag: expect.stringMatching(proxy.changed), coding: proxy.coding });
    const read = await send('GET /plants/1');
    expect(read).toEqual(updated);
    const conditions = { 'If-Match': read.tag, 'If-None-Match': created.tag };
    const again = await send('PUT /plants/1', conditions, name('Oak'));
    expect(again.status).toBe(200);

    const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status;
    for (const method of ['GET', 'HEAD']) {
      expect(await statusOf(`${method} /plants/1`, { 'If-None-Match': again.tag })).toBe(304);
      expect(await statusOf(`${method} /plants/1`, { 'If-None-Match': read.tag })).toBe(200);
      expect(await statusOf(`${method} /plants/1`, { 'If-Match': again.tag })).toBe(200);
      expect(await statusOf(`${method} /plants/1`, { 'If-Match': read.tag })).toBe(412);
    }
    expect(await statusOf('PUT /plants/1', { 'If-Match': read.tag }, name('Ash'))).toBe(412);
    expect(await statusOf('PUT /plants/1', { 'If-None-Match': '*' }, name('Ash'))).toBe(412);
    expect(await statusOf('DELETE /plants/1', { 'If-Match': read.tag })).toBe(412);
    expect(await statusOf('DELETE /plants/1', { 'If-None-Match': again.tag })).toBe(412);
    expect(await statusOf('DELETE /plants/1', { 'If-Match': again.tag })).toBe(204);

    const file = await send('GET /openapi.json');
    expect(file).toMatchObject({ status: 200, coding: proxy.coding });
    expect(await statusOf('GET /openapi.json', { 'If-None-Match': file.tag })).toBe(304);
    // What the service sends as it is may be compressed by the proxy.
    const coding = { 'Accept-Encoding': `identity, ${proxy.coding};q=0.5` };
    const plain = await send('GET /openapi.json', coding);
    expect(await statusOf('GET /openapi.json', { 'If-None-Match': plain.tag, ...coding })).toBe(304);
  });
});
