import { errors } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
import { expect, it } from 'vitest';
import { createSender } from './send-plant.js';

const rose = { id: 9223372036854775807n, name: 'Rose' };
const { signal } = new AbortController();

function connect() {
  const store = createFakePlantStore();
  const { baseUrl, token, fetch } = store;
  return { store, send: createSender({ baseUrl, token, fetch, retries: 0 }) };
}

it('distinguishes what was stored, what was there already and what is rejected', async () => {
  const { store, send } = connect();
  expect(await send(rose, signal)).toEqual({ kind: 'stored' });
  expect(await send(rose, signal)).toEqual({ kind: 'replayed' });
  expect(await send({ ...rose, name: 'Fern' }, signal)).toEqual({
    kind: 'rejected',
    error: errors.id_taken.error,
    reason: 'The id 9223372036854775807 belongs to another plant. Choose another id.',
  });
  expect(store.plants.get(rose.id)).toEqual({ name: 'Rose' });
});

function reply(status: number, error: number, headers = {}): Fault {
  const body = JSON.stringify({ error, message: 'The reason.' });
  return { kind: 'status', status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

it.each<[string, Fault, string, unknown]>([
  ['a rejected token', reply(401, errors.invalid_token.error), 'token', 'never'],
  ['a missing scope', reply(403, errors.insufficient_scope.error), 'token', 'never'],
  ['a rate limit', reply(429, errors.rate_limited.error, { 'Retry-After': '7' }), 'rate', 7000],
  ['an overload', reply(503, errors.overloaded.error, { 'Retry-After': '1' }), 'overload', 1000],
  ['a damaged database', reply(503, errors.database_damaged.error), 'overload', 'never'],
  ['an error of the service', reply(500, errors.internal_error.error), 'service', 'backoff'],
  ['a request that the service cannot read', reply(400, errors.bad_request.error), 'service', 'never'],
  ['a body that a proxy broke', reply(400, errors.malformed_json.error), 'service', 'never'],
  ['a content type of a proxy', reply(400, errors.unsupported_content_type.error), 'service', 'never'],
  ['an error of a later version', reply(400, 40099), 'service', 'never'],
  ['a broken connection', { kind: 'drop', stored: true }, 'network', 'backoff'],
  ['a proxy', { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' }, 'unexpected', 'backoff'],
])('never takes %s for a rejected plant', async (_, fault, cause, retry) => {
  const { store, send } = connect();
  store.fail(fault);
  const outcome = await send(rose, signal);
  expect(outcome).toMatchObject({ kind: 'stopped', stop: { cause }, retry });
});

it.each([errors.invalid_plant.error, errors.body_too_large.error])(
  'takes %i for a rejected plant',
  async (error) => {
    const { store, send } = connect();
    store.fail(reply(400, error));
    expect(await send(rose, signal)).toEqual({ kind: 'rejected', error, reason: 'The reason.' });
  },
);

it('leaves out what to do where the run goes on by itself', async () => {
  const { store, send } = connect();
  store.fail(reply(429, errors.rate_limited.error, { 'Retry-After': '7' }));
  const outcome = await send(rose, signal);
  expect(outcome).toMatchObject({
    stop: { message: 'More plants were sent than the service takes in this time.' },
  });
});

it('never takes a reply that does not come for a rejected plant', async () => {
  const { store } = connect();
  const { baseUrl, token } = store;
  const fetch = () => Promise.reject(new DOMException('', 'TimeoutError'));
  const outcome = await createSender({ baseUrl, token, fetch, retries: 0 })(rose, signal);
  expect(outcome).toMatchObject({ kind: 'stopped', retry: 'backoff' });
});

it('rejects only when it is aborted', async () => {
  const { store, send } = connect();
  store.fail({ kind: 'delay', ms: 60_000 });
  const ending = new AbortController();
  const sending = send(rose, ending.signal);
  ending.abort();
  await expect(sending).rejects.toThrow('aborted');
});
