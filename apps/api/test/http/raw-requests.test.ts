import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUndocumented } from '../support/documented-reply.js';
import type { Reply } from '../support/expect-error.js';
import { composePlantRequest } from '../support/post-plant.js';
import { plant, rawBodies, rawRequests } from '../support/raw-requests.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await sendRaw(service.baseUrl, composePlantRequest(service, plant));
});
afterAll(() => service.stop());

describe.each(Object.entries(rawRequests))('%s', (_, cases) => {
  it.each(cases)('%s', async (_, bytes, replies, end) => {
    const connection = await openConnection(service.baseUrl);
    connection.write(Buffer.from(bytes.replaceAll('TOKEN', service.token), 'latin1'));
    if (end === 'ended') connection.end();
    const seen: Reply[] = [];
    for (const _ of replies) seen.push(await connection.readReply());
    expect(seen.map(toNumber)).toEqual(replies);
    for (const reply of seen)
      if (reply.status !== 100)
        expect(
          findUndocumented(reply, reply.status === 200 && bytes.startsWith('GET') ? 'listPlants' : undefined),
        ).toEqual([]);
    if (end !== 'open') {
      expect(await connection.readToEnd()).toBe('');
      return;
    }
    connection.write('GET /plants/1 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(toNumber(await connection.readReply())).toBe(40100);
    connection.destroy();
  });
});

it('stores the plant that they have, and nothing else', async () => {
  expect(await readPlants(service)).toEqual([{ id: '1', name: 'Fern', tag: null }]);
});

describe('a body', () => {
  it.each(rawBodies)('%j', async (body, outcome) => {
    await service.database.query('DELETE FROM plants');
    const request = composePlantRequest(service, Buffer.from(body, 'latin1'));
    const reply = await sendRaw(service.baseUrl, request);
    expect(findUndocumented(reply)).toEqual([]);
    const isStored = typeof outcome === 'string';
    expect(toNumber(reply)).toBe(isStored ? 200 : outcome);
    expect(await readPlants(service)).toEqual(isStored ? [{ id: outcome, name: 'n', tag: null }] : []);
  });
});

/** The number of an error, otherwise the status. */
function toNumber({ status, body }: Reply): number {
  return status < 400 ? status : Number((body as { error: number }).error);
}
