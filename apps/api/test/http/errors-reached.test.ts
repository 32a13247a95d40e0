import { type ErrorName, errors } from '@plant-store/contract/errors';
import supertest from 'supertest';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import type { Reply } from '../support/expect-error.js';
import {
  beAway,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity/start-identity-provider.js';
import { composePlantRequest, plantRequest, postPlant } from '../support/post-plant.js';
import { openConnection, sendRaw, untilRefused } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  expect((await postPlant(service, plant)).status).toBe(200);
});
afterAll(() => service.stop());

const plant = { id: 1, name: 'Monstera' };

const bearer = { type: 'bearer' } as const;

/** Every error with its number, which must never change, and a request that provokes it. */
const provocations: [ErrorName, error: number, () => PromiseLike<Reply>][] = [
  ['bad_request', 40000, () => sendRaw(service.baseUrl, 'hello\r\n\r\n')],
  ['malformed_json', 40001, () => postPlant(service, '{')],
  ['invalid_plant', 40002, () => postPlant(service, {})],
  ['id_taken', 40003, () => postPlant(service, { ...plant, name: 'Fern' })],
  ['unsupported_content_type', 40004, () => plantRequest(service).type('text/plain').send('x')],
  ['body_too_large', 40005, () => postPlant(service, ' '.repeat(2 ** 20 + 1))],
  ['batch_too_large', 40006, postTooManyPlants],
  ['id_retired', 40007, postDeleted],
  ['missing_token', 40100, () => supertest(service.baseUrl).post('/plants')],
  ['invalid_token', 40101, () => postPlant({ ...service, token: generateAccessToken() }, plant)],
  ['insufficient_scope', 40300, postWithoutScope],
  ['not_found', 40400, () => supertest(service.baseUrl).get('/')],
  ['plant_not_found', 40401, () => supertest(service.baseUrl).get('/plants/2').auth(service.token, bearer)],
  ['method_not_allowed', 40500, () => supertest(service.baseUrl).put('/plants')],
  ['rate_limited', 42900, postPastRateLimit],
  ['internal_error', 50000, postWhileTableIsMissing],
  ['overloaded', 50300, postPastWaitingLimit],
  ['database_unavailable', 50301, postInOutage],
  ['shutting_down', 50302, postWhileStopping],
  ['database_damaged', 50303, postToDamagedDatabase],
  ['identity_provider_unavailable', 50304, postWithoutKeys],
];

it.each(provocations)(
  'answers %s with its number, %d, and lets no cache keep it',
  async (name, error, provoke) => {
    const { status, headers, body } = await provoke();
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({ error, message: expect.stringMatching(/^[A-Z].+\.$/) });
    expect(status).toBe(Math.floor(error / 100));
    expect(errors[name].error).toBe(error);
  },
);

it('covers every error', () => {
  expect(provocations.map(([name]) => name)).toEqual(Object.keys(errors));
});

async function postTooManyPlants(): Promise<Reply> {
  const plants = Array.from({ length: 1_001 }, (_, id) => ({ id, name: 'x' }));
  return supertest(service.baseUrl).post('/plants/batch').auth(service.token, bearer).send({ plants });
}

async function postDeleted(): Promise<Reply> {
  await postPlant(service, { id: 3, name: 'Rose' });
  await supertest(service.baseUrl).delete('/plants/3').auth(service.token, bearer);
  return postPlant(service, { id: 3, name: 'Rose' });
}

async function postPastRateLimit(): Promise<Reply> {
  const limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
  // Each worker counts for itself.
  for (let worker = 1; worker <= inject('workers'); worker++) await postPlant(limited, plant);
  const reply = await postPlant(limited, plant);
  await limited.stop();
  return reply;
}

/** Posts more plants than may be in flight and queued while the database is locked. */
async function postPastWaitingLimit(): Promise<Reply> {
  const narrow = await startTestService({ QUEUE_MAX_PLANTS: '1' });
  await postPlant(narrow, plant);
  const endOutage = await narrow.database.beginOutage('locked');
  const replies = Array.from({ length: 12 }, (_, at) => at + 2).map((id) =>
    postPlant(narrow, { id, name: 'Fern' }).then((reply) => reply),
  );
  const first = await Promise.race(replies);
  await endOutage();
  await Promise.all(replies);
  await narrow.stop();
  return first;
}

async function postWhileTableIsMissing(): Promise<Reply> {
  await service.database.query('ALTER TABLE plants RENAME TO elsewhere');
  const reply = await postPlant(service, { id: 2, name: 'Fern' });
  await service.database.query('ALTER TABLE elsewhere RENAME TO plants');
  return reply;
}

async function postInOutage(): Promise<Reply> {
  const endOutage = await service.database.beginOutage('closed');
  const reply = await postPlant(service, { id: 2, name: 'Fern' });
  await endOutage();
  return reply;
}

async function postToDamagedDatabase(): Promise<Reply> {
  const damaged = await startTestService();
  await damaged.database.damage();
  const reply = await postPlant(damaged, plant);
  await damaged.stop();
  return reply;
}

/** Posts a plant on a connection with a request in flight, after the service began to stop. */
async function postWhileStopping(): Promise<Reply> {
  const stopping = await startTestService();
  const connection = await openConnection(stopping.baseUrl);
  connection.write(composePlantRequest(stopping, '', { 'Content-Length': '2', Expect: '100-continue' }));
  await connection.readReply();
  const stopped = stopping.stop();
  await untilRefused(stopping);
  connection.write(Buffer.concat([Buffer.from('{}'), composePlantRequest(stopping, JSON.stringify(plant))]));
  await connection.readReply();
  const reply = await connection.readReply();
  await stopped;
  return reply;
}

/** Posts with a valid JSON Web Token, which has no scope. */
async function postWithoutScope(): Promise<Reply> {
  return postWithJwt((provider) => ({ ...provider.environment, JWT_REQUIRED_SCOPE: 'plants:create' }));
}

/** Posts with a JSON Web Token while the keys of the identity provider cannot be fetched. */
async function postWithoutKeys(): Promise<Reply> {
  return postWithJwt((provider) => {
    provider.reply = beAway;
    return provider.environment;
  });
}

async function postWithJwt(prepare: (provider: IdentityProvider) => Record<string, string>): Promise<Reply> {
  const provider = await startIdentityProvider();
  const accepting = await startTestService(prepare(provider));
  const reply = await postPlant({ ...accepting, token: await provider.sign() }, plant);
  await accepting.stop();
  await provider.stop();
  return reply;
}
