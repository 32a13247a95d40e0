import { beforeEach, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { openConnection } from '../support/send-raw.js';
import { startTestService, type TestService, useTestService } from '../support/start-test-service.js';
import { slackMs, until } from '../support/until.js';

const service = useTestService();

/** Long enough that a reply that comes before has not waited for it. */
const longSeconds = 25;

let requests = 0;

/** Opens a connection with a request for changes. */
async function request(query: string, { baseUrl, token } = service) {
  const connection = await openConnection(baseUrl);
  const id = `changes-${++requests}`;
  const headers = `Host: x\r\nX-Request-Id: ${id}\r\nAuthorization: Bearer ${token}`;
  connection.write(`GET /changes?${query} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return { connection, id };
}

/** The reply to a request for changes, by its kinds and ids. */
async function read(query: string, of = service) {
  const startedAt = performance.now();
  const { connection, id } = await request(query, of);
  const { status, headers, body } = await connection.readReply();
  connection.destroy();
  const { changes, next } = body as { changes: readonly { kind: string; idText: string }[]; next: string };
  const tookMs = performance.now() - startedAt;
  const all = changes.map(({ kind, idText }) => `${kind} ${idText}`);
  return { status, headers, id, changes: all, next, tookMs };
}

/** Where changes go on: on PostgreSQL earlier ones are only shown once older transactions of other tests have ended. */
async function findEnd(): Promise<string> {
  let next = '0';
  for (let isOver = false; !isOver; ) {
    const page = await read(`limit=1000&after=${next}`);
    isOver = page.changes.length === 0 && page.next === next;
    next = page.next;
  }
  return next;
}

let id = 0;
const create = (of: Pick<TestService, 'baseUrl' | 'token'> = service) =>
  postPlant(of, { id: ++id, name: 'Fern' }).expect(200);

let after = '';
beforeEach(async () => {
  await create();
  await until(async () => {
    after = await findEnd();
    return after.endsWith(`.${id}`);
  });
});

it('a request that waits is answered once there is a change, and after its seconds without one', async () => {
  const waiting = read(`after=${after}&wait=${longSeconds}`);
  const short = await read(`after=${after}&wait=1`);
  expect(short).toMatchObject({ status: 200, changes: [], next: after });
  expect(short.tookMs).toBeGreaterThan(990);
  expect(short.tookMs).toBeLessThan(1_000 + slackMs);
  await create();
  const { changes, tookMs } = await waiting;
  expect(changes).toEqual([`created ${id}`]);
  expect(tookMs).toBeLessThan(1_000 * longSeconds);
});

it('a change that another instance makes ends the wait, too', async () => {
  const other = await startTestService({ DATABASE_URL: service.database.url });
  const waiting = read(`after=${after}&wait=${longSeconds}`);
  await create({ ...other, token: service.token });
  expect(await waiting).toMatchObject({ changes: [`created ${id}`] });
});

it.each(['destroy', 'end'] as const)('a client that disconnects ends its wait, by %s', async (how) => {
  const { connection, id: requestId } = await request(`after=${after}&wait=${longSeconds}`);
  // Until it waits.
  await read(`after=${after}&wait=1`);
  connection[how]();
  const [line, ...others] = await readLog(service, requestId);
  expect([line, others]).toMatchObject([{ path: '/changes' }, []]);
  expect(line?.['durationMs']).toBeLessThan(1_000 * longSeconds);
});

it('a stop answers requests that wait at once, and closes their connections', async () => {
  const stopping = await startTestService();
  const waiting = await Promise.all([1, 2, 3].map(() => request(`wait=${longSeconds}`, stopping)));
  // Until all of them wait.
  await read('wait=1', stopping);
  const startedAt = performance.now();
  const stopped = stopping.stop();
  for (const { connection } of waiting) {
    const reply = { status: 200, headers: { connection: 'close' }, body: { changes: [] } };
    expect(await connection.readReply()).toMatchObject(reply);
    expect(await connection.readToEnd()).toBe('');
  }
  expect(await stopped).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(slackMs);
});

/** The reply to a request that waits with another token. */
async function waitWith(token: string) {
  const { connection } = await request(`after=${after}&wait=${longSeconds}`, { ...service, token });
  return connection.readReply().finally(() => connection.destroy());
}

it('a token that another instance revokes ends its requests that wait within 5 seconds', async () => {
  const { secret, token } = await service.accessTokens.issue({ name: 'follower' });
  const ended = waitWith(secret);
  const other = waitWith(service.token);
  // Until both wait.
  await read(`after=${after}&wait=1`);
  const { accessTokens } = await startTestService({ DATABASE_URL: service.database.url });
  const revokedAt = performance.now();
  await accessTokens.revoke(token.id);
  expectError(await ended, 'invalid_token', 'was revoked');
  expect(performance.now() - revokedAt).toBeLessThan(5_000 + slackMs);
  await create();
  expect(await other).toMatchObject({ status: 200, body: { changes: [{ idText: `${id}` }] } });
});

it('a token that expires ends its requests that wait at that time', async () => {
  const issuedAt = performance.now();
  const expiresAt = new Date(Date.now() + 2_500);
  const { secret: text } = await service.accessTokens.issue({ name: 'follower', expiresAt });
  const reply = await waitWith(text);
  const tookMs = performance.now() - issuedAt;
  expectError(reply, 'invalid_token', 'has expired');
  expect(tookMs).toBeGreaterThan(2_490);
  expect(tookMs).toBeLessThan(2_500 + slackMs);
});

it('a restore ends the requests that wait for changes after a position from before', async () => {
  const waiting = request(`after=${after}&wait=${longSeconds}`);
  await read(`after=${after}&wait=1`);
  const { connection } = await waiting;
  // As the command does, in a process of its own.
  await service.database.query(`UPDATE store SET generation = '00000000'`);
  expectError(await connection.readReply(), 'cursor_expired', 'after=0');
  connection.destroy();
  const { connection: late } = await request(`after=${after}`);
  expectError(await late.readReply(), 'cursor_expired', 'after=0');
  late.destroy();
  expect((await read('')).next).toMatch(/^2\.00000000\./);
});
