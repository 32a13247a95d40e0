import {
  createClient,
  type ErrorName,
  type ErrorNumber,
  errors,
  isNetworkError,
  isPlantStoreError,
  isTimeoutError,
  isUnexpectedResponseError,
  NetworkError,
  type ReplyOf,
  type RequestOf,
  TimeoutError,
  UnexpectedResponseError,
} from '@plant-store/client';

const body: RequestOf<'createPlant'>['body'] = { id: 9223372036854775807n, name: 'Rose', tag: 'shrub' };
const text = '{"id":9223372036854775807,"name":"Rose","tag":"shrub"}';

/** Creates a plant with a reply, and describes it, or what is thrown. */
function createRose(answer: () => Response): Promise<string> {
  const fetch = async (_url: unknown, init: { readonly body?: unknown }) =>
    init.body === text ? answer() : new Response('Another body', { status: 500 });
  const client = createClient({ baseUrl: 'http://plants.example', token: 'pst_example', retries: 0, fetch });
  return client.createPlant({ body }).then(describeReply, describeError);
}

/** The compiler narrows a reply by its status. */
function describeReply(reply: ReplyOf<'createPlant'>): string {
  if (reply.status === 200) return `${reply.body.name} ${reply.body.tag}`;
  const status: 400 | 401 | 403 | 429 | 500 | 503 = reply.status;
  return reply.status === 400 ? nameOf(reply.body.error) : `${status} ${reply.body.message}`;
}

function nameOf(error: ErrorNumber<400>): ErrorName | 'another' {
  // @ts-expect-error This error has another status.
  if (error === errors.overloaded.error) return 'overloaded';
  return error === errors.id_taken.error ? 'id_taken' : 'another';
}

function describeError(error: unknown): string {
  if (!isPlantStoreError(error)) throw error;
  if (isUnexpectedResponseError(error)) return `unexpected ${error.status} ${error.bodyStart}`;
  return isTimeoutError(error) || isNetworkError(error) ? `${error.name} ${error.outcome}` : error.message;
}

const reply = (status: number, body: object) => () => new Response(JSON.stringify(body), { status });
const refused = Object.assign(new Error('refused'), { syscall: 'connect' });
const expected: readonly (readonly [() => Response, string])[] = [
  [reply(200, { name: 'Rose', tag: 'shrub' }), 'Rose shrub'],
  [reply(400, { error: 40003, message: 'The id belongs to another plant.' }), 'id_taken'],
  [reply(400, { error: 40099, message: 'An error of a later version.' }), 'another'],
  [() => new Response('Bad gateway', { status: 502 }), 'unexpected 502 Bad gateway'],
  [() => Promise.reject(refused) as never, 'NetworkError not_sent'],
];
for (const [answer, description] of expected) {
  const actual = await createRose(answer);
  if (actual !== description) throw new Error(`${actual}, not ${description}`);
}
const own = [NetworkError, TimeoutError].map((type) => new type('', { outcome: 'unknown' }));
if (![...own, new UnexpectedResponseError('', 502, '')].every(isPlantStoreError)) throw new Error('Not ours');
