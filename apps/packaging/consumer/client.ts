import {
  createClient,
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
        throw new Error('Other body');
      return answer();
    },
  }).createPlant({ body: rose });

/** What a reply says, by its status. */
function describeReply(reply: ReplyOf<'createPlant'>): string {
  if (reply.status === 200) {
    const { name, tag }: { readonly name: string; readonly tag?: string | undefined } = reply.body;
    return `${name} ${tag}`;
  }
  const status: 400 | 401 | 429 | 500 | 503 = reply.status;
  const number: number = reply.body.error;
  return `${status} ${number} ${reply.body.message}`;
}

/** What an error says, by its class. */
function describeError(error: unknown): string {
  if (!isPlantStoreError(error)) throw error;
  if (isUnexpectedResponseError(error)) return `unexpected ${error.status} ${error.bodyStart}`;
  if (isTimeoutError(error) || isNetworkError(error)) return `${error.name} ${error.outcome}`;
  return error.message;
}

const fail = (error: Error) => () => {
  throw error;
};

const expected: readonly (readonly [Answer, string])[] = [
  [() => Response.json({ name: 'Rose', tag: 'shrub' }), 'Rose shrub'],
  [
    () => Response.json({ error: 40003, message: 'The id belongs to another plant.' }, { status: 400 }),
    '400 40003 The id belongs to another plant.',
  ],
  [() => new Response('Bad gateway', { status: 502 }), 'unexpected 502 Bad gateway'],
  [fail(new Error('broken')), 'NetworkError unknown'],
  [fail(Object.assign(new Error('refused'), { syscall: 'connect' })), 'NetworkError not_sent'],
];

for (const [answer, text] of expected) {
  const said = await createRose(answer).then(describeReply, describeError);
  if (said !== text) throw new Error(`${said}, not ${text}`);
}

const options = { outcome: 'unknown' } as const;
for (const error of [
  new NetworkError('', options),
  new TimeoutError('', options),
  new UnexpectedResponseError('', 502, ''),
]) {
  if (!isPlantStoreError(error)) throw new Error('That is no PlantStoreError');
}
