import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient } from '@plant-store/client';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { start, until } from './support/process.ts';
import { listen } from './support/proxy.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

const { folder, command } = findExample('webhooks');
const secret = `whsec_${Buffer.alloc(24, 'x').toString('base64')}`;

/** A receiver that verifies each delivery, and answers the first ones with these statuses, 0 for none, and all others with 200. */
async function startReceiver(...statuses: readonly number[]) {
  const webhook = new Webhook(secret);
  const received: { id: string; type: string; timestamp: string; data: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>;
    const event = webhook.verify(await text(request), headers) as (typeof received)[number];
    const status = statuses[received.length] ?? 200;
    received.push({ ...event, id: headers['webhook-id'] ?? '' });
    if (status === 0) response.destroy();
    else response.writeHead(status, { Location: '/elsewhere' }).end('anything');
  });
  return { url: await listen(server), received };
}

async function open(...statuses: readonly number[]) {
  const service = await startService();
  const receiver = await startReceiver(...statuses);
  const file = join(await createTemporaryFolder(), 'cursor');
  const settings = { NODE_OPTIONS: '--no-warnings', WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secret };
  const environment = { ...settings, ...service.environment };
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  return {
    service,
    client,
    file,
    received: receiver.received,
    create: (id: number | bigint) => client.createPlant({ body: { id, name: `plant ${id}`, tag: 'x' } }),
    begin: () => start(['sh', '-c', `exec ${command.replace('cursor', file)}`], { folder, environment }),
    /** What was received so far, in short. */
    events: () => receiver.received.map(({ type, data }) => `${type} ${data['id']}`),
  };
}

it('sends each change in its order, and again until it is delivered, with the same id', async () => {
  const { client, create, begin, events, received, service } = await open(500, 0, 302);
  await create(1);
  const sending = begin();
  await sending.waitFor(/Sending changes/);
  await create(9223372036854775807n);
  await until(() => received.length === 4);
  await client.updatePlant({ params: { id: 1 }, headers: { 'if-match': '*' }, body: { name: 'Fern' } });
  await until(() => received.length === 5);
  await service.stop();
  await service.restart();
  await client.deletePlant({ params: { id: 1 } });
  await until(() => received.length === 6);
  const id = '9223372036854775807';
  expect(events()).toEqual([...Array(4).fill(`plant.created ${id}`), 'plant.updated 1', 'plant.deleted 1']);
  expect(received[3]).toEqual({
    id: received[0]?.id,
    type: 'plant.created',
    timestamp: expect.stringMatching(/^20.+Z$/),
    data: { id, name: `plant ${id}`, tag: 'x', addedAt: received[0]?.timestamp },
  });
  expect(received[5]?.data).toEqual({ id: '1' });
  expect(new Set(received.map(({ id }) => id)).size).toBe(3);
  expect(await sending.end('SIGTERM')).toMatchObject({ status: 0 });
});

it('goes on where it was after it was killed, and sends again what was not stored as sent', async () => {
  const { create, begin, events, received, file } = await open(200, 500);
  const first = begin();
  await first.waitFor(/Sending changes/);
  await create(1);
  const stored = await readFile(file, 'utf8');
  await until(async () => (await readFile(file, 'utf8')) !== stored);
  await create(2);
  await until(() => received.length === 2);
  await first.end('SIGKILL');
  await create(3);
  const second = begin();
  await until(() => received.length === 4);
  expect(events()).toEqual(['plant.created 1', 'plant.created 2', 'plant.created 2', 'plant.created 3']);
  expect(received[2]?.id).toBe(received[1]?.id);
  await second.end('SIGTERM');
  await writeFile(file, '0');
  const third = begin();
  await until(() => received.length === 7);
  expect(events().slice(4)).toEqual(['plant.created 1', 'plant.created 2', 'plant.created 3']);
  await third.end('SIGTERM');
});

it('says that a backup was restored, and sends all that is stored again', async () => {
  const { create, begin, events, service, file } = await open();
  await create(1);
  const backup = join(await createTemporaryFolder(), 'backup.db');
  await service.run('backup', backup);
  await writeFile(file, '0');
  const sending = begin();
  await create(2);
  await until(() => events().length === 2);
  await service.stop();
  await service.run('restore', backup);
  await service.restart();
  await create(3);
  await until(() => events().at(-1) === 'plant.created 3');
  expect(events().slice(2)).toEqual(['store.restored undefined', 'plant.created 1', 'plant.created 3']);
  expect(await sending.end('SIGTERM')).toMatchObject({ status: 0 });
});

it('ends where the receiver is gone', async () => {
  const { create, begin } = await open(410);
  const sending = begin();
  await sending.waitFor(/Sending changes/);
  await create(1);
  const { status, stderr } = await sending.end();
  expect(stderr).toContain('takes no more webhooks');
  expect(status).toBe(1);
});

it.each([
  ['WEBHOOK_URL', 'localhost:4567'],
  ['WEBHOOK_SECRET', 'whsec_YWJj'],
  ['PLANT_STORE_TOKEN', ''],
])('ends at once, and says what to do, where %s is %j', async (name, value) => {
  const environment = { WEBHOOK_URL: 'http://127.0.0.1:1', WEBHOOK_SECRET: secret, PLANT_STORE_TOKEN: 'a' };
  const call = { folder, environment: { ...environment, [name]: value } };
  const { status, stderr } = await start(['node', 'send-webhooks.ts', 'cursor'], call).end();
  expect(stderr.split('\n').slice(1)).toEqual([expect.stringContaining(`Set ${name} to`), '']);
  expect(status).toBe(2);
});
