import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultResource, exampleOf, fieldFor, pathOf } from './resource.js';

/** An attack: one token, or a client without a token, tries to use as much of the service as it can. */
export interface Attack {
  /** Its name in the table in `docs/SECURITY.md`. */
  readonly title: string;
  /** The scope of its token. Without a scope, it sends no token. */
  readonly scope?: 'create' | 'read' | 'delete' | 'admin';
  /** The fields of records to store first. They get the IDs after `storedRecords`. */
  readonly records?: readonly object[];
  readonly connections: number;
  /** Sends on one connection. Called repeatedly, with the number of earlier calls on all connections. */
  send(sender: Sender, call: number): Promise<unknown>;
}

/** Sends the requests of an attack. */
export interface Sender {
  /** Sends a request, and reads the reply. */
  request(method: string, path: string, body?: string): Promise<void>;
  /** Sends the same request several times on one new connection. */
  open(method: string, path: string, body?: string, times?: number): Promise<Socket>;
}

/** The resource under attack. */
export const resource = defaultResource;
export const resourcePath = `/${resource.plural}`;

/** The field that lists search. */
export const searchField = fieldFor(resource, 'search');

/** The field that lists filter by. Its values are counted. */
const filterField = fieldFor(resource, 'filter');

/** How many records are stored before each attack, with the IDs from 1 on. */
export const storedRecords = 99_999;

/** Creates use IDs from here on, so that they never meet a stored record. */
const firstNewId = 1e9;

/** The length of a text that almost fills the body limit of 1 MiB. */
const almostMebibyte = 2 ** 20 - 10_000;

/** Text whose normalization is slow: letters with many combining marks. */
const markedText = `a${'\u0301'.repeat(511)}${'\u0316'.repeat(512)}`.repeat(500);
const eightTimes = <Item>(item: Item) => Array<Item>(8).fill(item);
/** The maximum number of items in a batch. */
const batchSize = 1_000;

const fullBatch = (itemOf: (index: number) => object | string, member: string) =>
  JSON.stringify({ [member]: Array.from({ length: batchSize }, (_, index) => itemOf(index)) });
const newRecords = (call: number) =>
  fullBatch((index) => exampleOf(resource, firstNewId + call * batchSize + index), resource.plural);
const storedIds = (call: number) =>
  fullBatch((index) => String(1 + ((call * batchSize + index) % storedRecords)), 'ids');
const manyValues = `{"${resource.plural}":[${'[],'.repeat(340_000)}[]]}`;

/** Sends requests, and leaves the replies unread until the service closes the connection. */
async function leaveUnread({ open }: Sender, path: string, times = 1): Promise<void> {
  await once((await open('GET', path, undefined, times)).pause(), 'close');
}

/** Sends a request, and closes the connection immediately. */
async function sendAndClose({ open }: Sender, method: string, path: string, body?: string): Promise<void> {
  const socket = await open(method, path, body);
  await delay(3);
  socket.resetAndDestroy();
}

/** The attacks, in the order of the table in `docs/SECURITY.md`. */
export const attacks: readonly Attack[] = [
  {
    title: 'lists with a long cursor',
    scope: 'read',
    connections: 10,
    send: ({ request }) => request('GET', `${resourcePath}?after=${'.'.repeat(15_000)}`),
  },
  {
    title: 'searches that match at the end of long names',
    scope: 'read',
    records: eightTimes({ [searchField]: `${'x'.repeat(almostMebibyte)}zz` }),
    connections: 64,
    send: ({ request }) => request('GET', `${resourcePath}?q=zz&limit=1`),
  },
  {
    title: 'searches of texts full of combining marks',
    scope: 'read',
    records: eightTimes({ [searchField]: markedText }),
    connections: 64,
    send: ({ request }) => request('GET', `${resourcePath}?q=zzzz`),
  },
  {
    title: 'lists, each aborted immediately',
    scope: 'read',
    connections: 63,
    send: (sender, call) => sendAndClose(sender, 'GET', `${resourcePath}?q=zz${call}`),
  },
  {
    title: 'lists without a match',
    scope: 'read',
    connections: 128,
    send: ({ request }, call) => request('GET', `${resourcePath}?q=zz${call}`),
  },
  {
    title: 'pipelined 1 MiB replies, never read',
    scope: 'read',
    records: [{ [searchField]: 'x'.repeat(almostMebibyte) }],
    connections: 100,
    send: (sender) => leaveUnread(sender, `${resourcePath}/${storedRecords + 1}`, 60),
  },
  {
    title: 'pipelined 4 MiB pages, never read',
    scope: 'read',
    records: eightTimes({ [searchField]: 'x'.repeat(almostMebibyte) }),
    connections: 100,
    send: (sender) => leaveUnread(sender, `${resourcePath}?order=newest&limit=8`, 60),
  },
  {
    title: 'pages of changes, never read',
    scope: 'read',
    records: eightTimes({ [searchField]: 'x'.repeat(almostMebibyte) }),
    connections: 1_000,
    send: (sender, call) =>
      leaveUnread(sender, `${pathOf(resource, 'changes')}?after=0&wait=1&limit=${10 + (call % 990)}`),
  },
  {
    title: 'pages of tags, never read',
    scope: 'read',
    records: eightTimes({ [filterField]: 'x'.repeat(almostMebibyte) }),
    connections: 100,
    send: (sender) => leaveUnread(sender, pathOf(resource, 'count'), 60),
  },
  {
    title: 'bodies of 1 MiB with 340,000 values',
    scope: 'create',
    connections: 64,
    send: ({ request }) => request('POST', `${resourcePath}/batch`, manyValues),
  },
  {
    title: 'full batches of creates',
    scope: 'create',
    connections: 16,
    send: ({ request }, call) => request('POST', `${resourcePath}/batch`, newRecords(call)),
  },
  {
    title: 'full batches of creates, each aborted immediately',
    scope: 'create',
    connections: 64,
    send: (sender, call) => sendAndClose(sender, 'POST', `${resourcePath}/batch`, newRecords(call)),
  },
  {
    title: 'full batches of gets',
    scope: 'read',
    connections: 16,
    send: ({ request }, call) => request('POST', `${resourcePath}/batch/get`, storedIds(call)),
  },
  {
    title: 'full batches of deletes',
    scope: 'delete',
    connections: 16,
    send: ({ request }, call) => request('POST', `${resourcePath}/batch/delete`, storedIds(call)),
  },
  {
    title: 'token creates and lists',
    scope: 'admin',
    connections: 16,
    send: async ({ request }, call) => {
      await request('POST', '/tokens', JSON.stringify({ name: `x${call}`, scopes: ['admin'] }));
      await request('GET', '/tokens');
    },
  },
  {
    title: 'large request heads behind an unread file, without a token',
    connections: 800,
    send: async ({ open }) => {
      const socket = (await open('GET', '/openapi.json', undefined, 12)).pause();
      socket.write(`GET /docs HTTP/1.1\r\nHost: a\r\nX-Head: ${'x'.repeat(15_000)}\r\n\r\n`.repeat(6));
      await once(socket, 'close');
      // This attack targets memory. Limiting new connections is left to the operator.
      await delay(5_000);
    },
  },
];
