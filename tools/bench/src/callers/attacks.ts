import { smallestId } from '../load/write-ids.js';

/** What the holder of one token sends to take the service from the others, as fast as it can. */
export interface Attack {
  /** The only scope of its token. */
  readonly scope: 'create' | 'read' | 'delete';
  readonly connections: number;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** What is requested instead if the path is answered 400. */
  readonly shorterPath?: string;
  readonly body?: () => string;
  /** Where the id in path and body is replaced before each request: by random ones, or by those of stored plants. */
  readonly ids?: 'random' | 'stored';
  /** How many requests are sent at once; 1 by default. */
  readonly pipelined?: number;
  /**
   * What a connection does with its request: sends the next one after the reply, which is the default; closes at once; reads no
   * reply; or sends only so many bytes of the body.
   */
  readonly manner?: 'close' | 'unread' | { readonly bytesOfBody: number };
  /** Plants that are stored before, as JSON. */
  readonly stored?: () => readonly string[];
}

const mebibyte = 2 ** 20;
/** The id that is replaced. */
const id = smallestId;
/** The largest ids, so that the others' lists by id do not have these plants. */
const largestId = Number.MAX_SAFE_INTEGER;

/** As many copies of a text, with commas between, as a body of 1 MiB has room for beside its other members. */
const repeated = (text: string) =>
  Array<string>(Math.floor((mebibyte - 200) / (text.length + 1)))
    .fill(text)
    .join();
const inBatch = (members: string) => `{"plants":[{"id":${id},${members}}]}`;
/** Empty arrays in empty arrays, at most as deep as the service accepts with what is around them. */
const nested = `${'['.repeat(480)}${']'.repeat(480)}`;
/** An object whose members all have different names. */
const members = () => Array.from({ length: 110_000 }, (_, index) => `"${index.toString(36)}":0`).join();
const longName = 'x'.repeat(mebibyte - 200);

/** Bodies of 1 MiB that become many values, sent again and again. */
const json = (path: '/plants' | '/plants/batch', body: () => string): Attack => ({
  scope: 'create',
  connections: 64,
  method: 'POST',
  path,
  body,
});

/** GET requests with a token that may only read. */
const reads = (connections: number, path: string, rest: Partial<Attack> = {}): Attack => ({
  scope: 'read',
  connections,
  method: 'GET',
  path,
  ...rest,
});

/** All attacks by their names. */
export const attacks: Readonly<Record<string, Attack>> = {
  cursors: reads(10, `/plants?after=${'.'.repeat(15_800)}`),
  filters: reads(64, `/plants?order=newest&q=${'a'.repeat(14_999)}b`, {
    shorterPath: `/plants?order=newest&q=${'a'.repeat(99)}b`,
    stored: () => Array.from({ length: 16 }, (_, index) => plant(index, 'a'.repeat(1_000_000))),
  }),
  'abandoned-lists': reads(63, '/plants?q=zzzz', { manner: 'close' }),
  'many-lists': reads(128, '/plants?q=zzzz'),
  'unread-replies': reads(100, `/plants/${largestId}`, {
    pipelined: 60,
    manner: 'unread',
    stored: () => [plant(0, longName)],
  }),
  'unread-pages': reads(100, '/plants?order=newest&tag=long&limit=1000', {
    pipelined: 60,
    manner: 'unread',
    stored: () => Array.from({ length: 1_000 }, (_, index) => plant(index, 'x'.repeat(4_000))),
  }),
  'json-values': json('/plants/batch', () => inBatch(`"name":"a","ignored":[${repeated('[]')}]`)),
  'json-values-single': json('/plants', () => `{"id":${id},"name":"a","ignored":[${repeated('[]')}]}`),
  'json-values-nested': json('/plants/batch', () => inBatch(`"name":"a","ignored":[${repeated(nested)}]`)),
  'json-values-objects': json('/plants/batch', () =>
    inBatch(`"name":"a","ignored":[${repeated('{"a":0}')}]`),
  ),
  'json-values-members': json('/plants/batch', () => inBatch(`"name":"a","ignored":{${members()}}`)),
  'json-values-numbers': json('/plants/batch', () => inBatch(`"name":"a","ignored":[${repeated('1')}]`)),
  'json-values-name': json('/plants/batch', () => inBatch(`"name":[${repeated('[]')}]`)),
  'json-values-items': json('/plants/batch', () => `{"plants":[${repeated('{}')}]}`),
  'large-bodies': {
    scope: 'create',
    connections: 64,
    method: 'POST',
    path: '/plants',
    body: () => `{"id":${id},"name":"${longName}"}`,
    ids: 'random',
  },
  batches: {
    scope: 'create',
    connections: 16,
    method: 'POST',
    path: '/plants/batch',
    body: () => `{"plants":[${Array(1_000).fill(`{"id":${id},"name":"Monstera deliciosa","tag":"vine"}`)}]}`,
    ids: 'random',
  },
  'slow-bodies': {
    scope: 'create',
    connections: 2_000,
    method: 'POST',
    path: '/plants',
    body: () => `{"id":${id},"name":"${longName}"}`,
    manner: { bytesOfBody: 64 * 1024 },
  },
  gets: reads(64, `/plants/${id}`),
  'gets-pipelined': reads(64, `/plants/${id}`, { pipelined: 60 }),
  deletes: { scope: 'delete', connections: 64, method: 'DELETE', path: `/plants/${id}`, ids: 'stored' },
};

function plant(index: number, name: string): string {
  return JSON.stringify({ id: largestId - index, name, tag: 'long' });
}
