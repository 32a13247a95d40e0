import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readPackage } from '../../src/package-folder.js';
import { getFile } from '../support/get-file.js';
import { startStore } from '../support/process/run-command.js';

const tarball = `plant-store-client-${readPackage().version}.tgz`;

// `pnpm test:on compatibility` installs it with package managers.
it('serves the packed client, and shows its integrity', async () => {
  const { command, baseUrl } = await startStore();
  const { status, headers, content } = await getFile(baseUrl, '/client.tgz');
  const digest = createHash('sha512').update(content).digest('base64');
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'no-cache',
    'content-disposition': `attachment; filename="${tarball}"`,
    'repr-digest': `sha-512=:${digest}:`,
  });
  const { 'x-request-id': _id, date: _date, ...same } = headers;
  for (const method of ['GET', 'HEAD']) {
    const ask = (etag: string) => getFile(baseUrl, '/client.tgz', { 'If-None-Match': etag }, method);
    const other = await ask('"another"');
    expect([other.status, other.content.length]).toEqual([200, method === 'HEAD' ? 0 : content.length]);
    expect(other.headers).toMatchObject(same);
    const again = await ask(`${headers['etag']}`);
    expect([again.status, again.content.length], method).toEqual([304, 0]);
  }
  expect((await fetch(`${baseUrl}/client.tgz`, { method: 'POST' })).status).toBe(405);

  const documentation = await (await fetch(`${baseUrl}/docs`)).text();
  expect(documentation).toContain(`<a href="client.tgz">${tarball}</a>`);
  expect(documentation).toContain(`<code>sha512-${digest}</code>`);
  await command.end('SIGTERM');
});
