import { createClient, unwrap } from '@plant-store/client';
import { expect, it } from 'vitest';
import { postPlant, sendJson } from '../support/post-plant.js';
import { sendRaw } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

const send = (method: string, id: number, headers: Record<string, string> = {}, plant?: object) =>
  sendJson(service, `${method} /plants/${id}`, plant, headers);
const update = (id: number, tag: string, plant: object) => send('PUT', id, { 'If-Match': tag }, plant);

it('has an ETag with a plant, by which neither GET nor HEAD sends it again', async () => {
  await postPlant(service, { id: 1, name: 'Fern' });
  const reply = await send('GET', 1);
  const tag = reply.headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[\w-]{22}"$/);
  const length = String((await reply.text()).length);
  const head = await send('HEAD', 1);
  expect([head.headers.get('etag'), head.headers.get('content-length')]).toEqual([tag, length]);
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await send(method, 1, { 'If-None-Match': tag });
    expect([status, body, headers.get('etag')]).toEqual([304, null, tag]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/./);
    for (const name of ['content-type', 'content-length']) expect(headers.has(name)).toBe(false);
  }
  const updated = (await update(1, tag, { name: 'Ivy' })).headers;
  expect(updated.get('cache-control')).toBe('no-store');
  expect(updated.get('content-type')).toBe('application/json; charset=utf-8');
  expect(updated.get('etag')).not.toBe(tag);
  expect((await send('GET', 1, { 'If-None-Match': tag })).headers.get('etag')).toBe(updated.get('etag'));
  const deleted = await send('DELETE', 1);
  expect([deleted.status, deleted.headers.get('cache-control')]).toEqual([204, 'no-store']);
  expect(deleted.headers.has('content-length')).toBe(false);
});

it('has no ETag with what shows no plant', async () => {
  await postPlant(service, { id: 3, name: 'Fern' });
  const rejected = await postPlant(service, { id: 3, name: 'Ivy' });
  expect(rejected.headers).not.toHaveProperty('etag');
  const others = [
    update(3, '"x"', { name: 'Ivy' }),
    send('GET', 3, { 'If-Match': '"x"' }),
    send('GET', 6),
    send('PUT', 3),
    send('DELETE', 3),
  ];
  for (const { headers } of await Promise.all(others)) expect(headers.has('etag')).toBe(false);
});

it('takes several lines of a condition as one list', async () => {
  const { etag = '' } = (await postPlant(service, { id: 7, name: 'Fern' })).headers as { etag?: string };
  const head = `GET /plants/7 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\n`;
  const statusOf = async (...lines: readonly string[]) =>
    (await sendRaw(service.baseUrl, `${head}${lines.join('\r\n')}\r\n\r\n`)).status;
  expect(await statusOf('If-None-Match: "x"', `If-None-Match: ${etag}`)).toBe(304);
  expect(await statusOf('If-Match: "x"', `if-match: W/${etag}`)).toBe(200);
  expect(await statusOf('If-Match: "x"', 'If-Match: "y"')).toBe(412);
  expect(await statusOf('If-Match: *', `If-Match: ${etag}`)).toBe(400);
});

it('updates for one of many that have read the same plant, and loses nothing', async () => {
  await postPlant(service, { id: 4, name: 'Fern' });
  const tag = (await send('GET', 4)).headers.get('etag') ?? '';
  const names = Array.from({ length: 20 }, (_, index) => `Fern ${index}`);
  const replies = await Promise.all(names.map((name) => update(4, tag, { name })));
  const statuses = replies.map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, ...Array(19).fill(412)]);
  const { name } = (await (await send('GET', 4)).json()) as { name: string };
  expect(name).toBe(names[statuses.indexOf(200)]);
  // Attempts of one request all succeed, with the same reply.
  const retry = async () => (await update(4, '"old"', { name })).text();
  const retries = await Promise.all(names.map(retry));
  const read = await (await send('GET', 4)).text();
  expect(new Set(retries)).toEqual(new Set([read.replace(/,"(addedBy|changedBy)":"\d+"/g, '')]));
});

it('updates or deletes for one of many batches with the same ETags, and loses nothing', async () => {
  const client = createClient(service);
  const plants = Array.from({ length: 50 }, (_, at) => ({ id: 100 + at, name: 'Fern' }));
  const { results: created } = await unwrap(client.createPlants({ body: { plants } }));
  const etags = created.map((result) => ('error' in result ? '' : result.etag));
  const ids = plants.map(({ id }) => String(id));
  const updateTo = async (name: string) => {
    const updates = plants.map(({ id }, at) => ({ id, name, ifMatch: etags[at] ?? '' }));
    return (await unwrap(client.updatePlants({ body: { plants: updates } }))).results;
  };
  const deleting = unwrap(client.deletePlants({ body: { ids, ifMatch: etags } }));
  const names = Array.from({ length: 6 }, (_, at) => `Fern ${at}`);
  const updated = await Promise.all(names.map(updateTo));
  const { results: deleted } = await deleting;
  const { results: now } = await unwrap(client.getPlants({ body: { ids } }));
  for (const [at, found] of now.entries()) {
    const winners = updated.flatMap((results) => (results[at]?.status === 200 ? [results[at]] : []));
    const isDeleted = deleted[at]?.status === 204;
    expect(winners).toHaveLength(isDeleted ? 0 : 1);
    // The result has what is stored, with its ETag. Only a read tells an administrator whose change it was.
    expect(found).toMatchObject(isDeleted ? { status: 404 } : (winners[0] ?? {}));
  }
});

it('gives an id again to one of many, and never beside a plant', async () => {
  await postPlant(service, { id: 5, name: 'Fern' });
  const give = (name: string) => send('PUT', 5, { 'If-None-Match': '*' }, { name });
  expect((await give('Ivy')).status).toBe(412);
  await send('DELETE', 5);
  const names = ['Ivy', 'Oak', 'Rose'];
  const statuses = (await Promise.all(names.map(give))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 412, 412]);
  expect(await (await send('GET', 5)).json()).toMatchObject({ name: names[statuses.indexOf(200)] });
});
