import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUndocumented } from '../support/documented-reply.js';
import type { Reply } from '../support/expect-error.js';
import { composePlantRequest } from '../support/post-plant.js';
import { plant, rawBodies, rawRequests, rfc9112 } from '../support/raw-requests.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const service = useTestService();
const warnings: Error[] = [];
const keepWarning = (warning: Error) => void warnings.push(warning);
beforeAll(async () => {
  await sendRaw(service.baseUrl, composePlantRequest(service, plant));
  process.on('warning', keepWarning);
});
afterAll(() => void process.off('warning', keepWarning));

/** What every reply has, also to what the parser rejects. */
const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-request-id': expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
  date: expect.stringMatching(/GMT$/),
};
const requestIds: (string | undefined)[] = [];

describe.each(Object.entries(rawRequests))('%s', (_topic, cases) => {
  const named = cases.map(([title, ...sent]) => ({ title, sent }));
  it.each(named)('$title', async ({ sent: [bytes, replies, end, message = /./] }) => {
    const connection = await openConnection(service.baseUrl);
    connection.write(Buffer.from(bytes.replaceAll('TOKEN', service.token), 'latin1'));
    if (end === 'ended') connection.end();
    const seen: Reply[] = [];
    for (const _ of replies) seen.push(await connection.readReply());
    expect(seen.map(toNumber)).toEqual(replies);
    for (const { status, headers, body } of seen.filter(({ status }) => status !== 100)) {
      const isList = status === 200 && bytes.startsWith('GET');
      expect(findUndocumented({ status, headers, body }, isList ? 'listPlants' : undefined)).toEqual([]);
      expect(headers).toMatchObject(commonHeaders);
      expect(headers).not.toHaveProperty('transfer-encoding');
      if (status >= 400) expect(body).toHaveProperty('message', expect.stringMatching(/^[A-Z].+\.$/));
      requestIds.push(headers['x-request-id']);
    }
    const last = seen.at(-1);
    if (last && last.status >= 400) expect((last.body as { message: string }).message).toMatch(message);
    if (end !== 'open') {
      expect(last?.headers['connection']).toBe('close');
      expect(await connection.readToEnd()).toBe('');
      return;
    }
    connection.write('GET /plants/1 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(toNumber(await connection.readReply())).toBe(40100);
    connection.destroy();
  });
});

describe('RFC 9112', () => {
  const sections = rfc9112.map(([section, behavior, ...recorded]) => ({ section, behavior, recorded }));
  it.each(sections)('section $section is recorded: $behavior', ({ recorded }) => {
    for (const [group, title] of recorded) {
      expect(rawRequests[group]?.map(([recordedTitle]) => recordedTitle)).toContain(title);
    }
  });
});

describe('all of them', () => {
  it('store the plant that they have, and nothing else', async () => {
    expect(await readPlants(service)).toEqual([{ id: '1', name: 'Fern', tag: null }]);
  });

  it('are each logged once under an id of its own, without a token, and cause no warning of Node.js', async () => {
    const readIds = () => service.logLines.map((line) => JSON.parse(line).requestId);
    await until(() => {
      const logged = new Set(readIds());
      return requestIds.every((id) => logged.has(id));
    });
    const sent = new Set(requestIds);
    expect(sent.size).toBe(requestIds.length);
    expect(readIds().filter((id) => sent.has(id))).toHaveLength(sent.size);
    expect(service.logLines.join('')).not.toContain(service.token.slice('pst_'.length, 'pst_'.length + 12));
    expect(warnings).toEqual([]);
  });
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
    expect('polluted' in {}).toBe(false);
  });
});

/** The number of an error, otherwise the status. */
function toNumber({ status, body }: Reply): number {
  return status < 400 ? status : Number((body as { error: number }).error);
}
