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

type Plant = RequestOf<'createPlant'>['body'];
type Answer = () => Response;

const rose: Plant = { id: 9223372036854775807n, name: 'Rose', tag: 'shrub' };

const createRose = (answer: Answer) =>
  createClient({
    baseUrl: 'http://plants.example',
    token: 'pst_example',
    retries: 0,
    fetch: async (_url, init) => {
      if (init.body !== '{"id":9223372036854775807,"name":"Rose","tag":"shrub"}')
        throw new Error('Unexpected body');
      return answer();
    },
  }).createPlant({ body: rose });

/** Describes a reply, narrowed by its status. */
function describeReply(reply: ReplyOf<'createPlant'>): string {
  if (reply.status === 200) {
    const { name, tag }: { readonly name: string; readonly tag?: string | undefined } = reply.body;
    return `${name} ${tag}`;
  }
  const status: 400 | 401 | 403 | 429 | 500 | 503 = reply.status;
  if (reply.status === 400) return `400 ${nameOf(reply.body.error)} ${reply.body.message}`;
  return `${status} ${reply.body.error} ${reply.body.message}`;
}

/** The compiler checks a switch over the error numbers of a status. */
function nameOf(error: ErrorNumber<400>): ErrorName | 'another error' {
  switch (error) {
    case errors.id_taken.error:
      return 'id_taken';
    // @ts-expect-error This error has another status.
    case errors.overloaded.error:
      return 'overloaded';
    default:
      return 'another error';
  }
}

/** Describes an error, narrowed by its class. */
function describeError(error: unknown): string {
  if (!isPlantStoreError(error)) throw error;
  if (isUnexpectedResponseError(error)) return `unexpected ${error.status} ${error.bodyStart}`;
  if (isTimeoutError(error) || isNetworkError(error)) {
    const { name, outcome, cause } = error;
    return `${name} ${outcome} ${cause instanceof Error ? cause.message : ''}`;
  }
  return error.message;
}

const fail = (error: Error) => () => {
  throw error;
};

const expected: readonly (readonly [Answer, string])[] = [
  [() => Response.json({ name: 'Rose', tag: 'shrub' }), 'Rose shrub'],
  [
    () => Response.json({ error: 40003, message: 'The id belongs to another plant.' }, { status: 400 }),
    '400 id_taken The id belongs to another plant.',
  ],
  [
    () => Response.json({ error: 40099, message: 'An error of a later version.' }, { status: 400 }),
    '400 another error An error of a later version.',
  ],
  [() => new Response('Bad gateway', { status: 502 }), 'unexpected 502 Bad gateway'],
  [fail(new Error('broken')), 'NetworkError unknown broken'],
  [fail(Object.assign(new Error('refused'), { syscall: 'connect' })), 'NetworkError not_sent refused'],
];

for (const [answer, text] of expected) {
  const actual = await createRose(answer).then(describeReply, describeError);
  if (actual !== text) throw new Error(`${actual}, not ${text}`);
}

const options = { outcome: 'unknown' } as const;
for (const error of [
  new NetworkError('', options),
  new TimeoutError('', options),
  new UnexpectedResponseError('', 502, ''),
]) {
  if (!isPlantStoreError(error)) throw new Error('Not a PlantStoreError');
}
