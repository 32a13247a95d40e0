import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { defaultResource, exampleOf, fieldFor, pathOf } from './resource.js';

/** An attack: one token, or a client without a token, uses as much of the service as it can. */
export interface Attack {
  /** Its name in the table in `docs/SECURITY.md`. */
  readonly title: string;
  /** The scope of its token; without one it sends no token. */
  readonly scope?: 'create' | 'read' | 'delete' | 'admin';
  /** The records that must be stored first. */
  readonly records?: readonly object[];
  readonly connections: number;
  /** Sends on one connection. Called repeatedly, with the number of calls so far on all connections. */
  send(sender: Sender, call: number): Promise<unknown>;
}

/** The means of an attack to send requests. */
interface Sender {
  /** Sends a request, and reads the reply. */
  request(method: string, path: string, body?: string): Promise<void>;
  /** Sends the same request several times on one new connection. */
  open(method: string, path: string, body?: string, times?: number): Promise<Socket>;
}

/** The resource under attack. */
export const resource = defaultResource;
export const path = `/${resource.plural}`;
/** The fields by which lists search and filter. */
export const searched = fieldFor(resource, 'search');
const counted = fieldFor(resource, 'filter');

const mebibyte = 2 ** 20 - 10_000;
const marks = `a${'\u0301'.repeat(511)}${'\u0316'.repeat(512)}`.repeat(500);
const eight = <Item>(item: Item) => Array<Item>(8).fill(item);
const fullBatch = (itemOf: (index: number) => object | string, member: string) =>
  JSON.stringify({ [member]: Array.from({ length: 1_000 }, (_, index) => itemOf(index)) });
const newRecords = (call: number) =>
  fullBatch((index) => exampleOf(resource, 1e9 + call * 1_000 + index), resource.plural);
const ids = (call: number) => fullBatch((index) => String(1 + ((call * 1_000 + index) % 99_000)), 'ids');
const manyValues = `{"${resource.plural}":[${'[],'.repeat(340_000)}[]]}`;

/** Leaves replies unread until the service closes the connection. */
async function leaveUnread({ open }: Sender, path: string, times = 1): Promise<void> {
  await once((await open('GET', path, undefined, times)).pause(), 'close');
}

/** Sends a request, and closes the connection at once. */
async function leave({ open }: Sender, method: string, path: string, body?: string): Promise<void> {
  const socket = await open(method, path, body);
  await delay(3);
  socket.resetAndDestroy();
}

/** All of them, in the order of the table. */
export const attacks: readonly Attack[] = [
  {
    title: 'lists with a long cursor',
    scope: 'read',
    connections: 10,
    send: ({ request }) => request('GET', `${path}?after=${'.'.repeat(15_000)}`),
  },
  {
    title: 'searches that match late in long names',
    scope: 'read',
    records: eight({ [searched]: `${'x'.repeat(mebibyte)}zz` }),
    connections: 64,
    send: ({ request }) => request('GET', `${path}?q=zz&limit=1`),
  },
  {
    title: 'searches in combining marks',
    scope: 'read',
    records: eight({ [searched]: marks }),
    connections: 64,
    send: ({ request }) => request('GET', `${path}?q=zzzz`),
  },
  {
    title: 'lists, closed at once',
    scope: 'read',
    connections: 63,
    send: (sender, call) => leave(sender, 'GET', `${path}?q=zz${call}`),
  },
  {
    title: 'lists without a match',
    scope: 'read',
    connections: 128,
    send: ({ request }, call) => request('GET', `${path}?q=zz${call}`),
  },
  {
    title: 'unread pipelined replies of 1 MiB',
    scope: 'read',
    records: [{ [searched]: 'x'.repeat(mebibyte) }],
    connections: 100,
    send: (sender) => leaveUnread(sender, `${path}/100000`, 60),
  },
  {
    title: 'unread pipelined pages of 4 MiB',
    scope: 'read',
    records: eight({ [searched]: 'x'.repeat(mebibyte) }),
    connections: 100,
    send: (sender) => leaveUnread(sender, `${path}?order=newest&limit=8`, 60),
  },
  {
    title: 'unread pages of changes',
    scope: 'read',
    records: eight({ [searched]: 'x'.repeat(mebibyte) }),
    connections: 1_000,
    send: (sender, call) =>
      leaveUnread(sender, `${pathOf(resource, 'changes')}?after=0&wait=1&limit=${10 + (call % 990)}`),
  },
  {
    title: 'unread pages of tags',
    scope: 'read',
    records: eight({ [counted]: 'x'.repeat(mebibyte) }),
    connections: 100,
    send: (sender) => leaveUnread(sender, pathOf(resource, 'count'), 60),
  },
  {
    title: 'bodies of 1 MiB with 340,000 values',
    scope: 'create',
    connections: 64,
    send: ({ request }) => request('POST', `${path}/batch`, manyValues),
  },
  {
    title: 'full batches of creates',
    scope: 'create',
    connections: 16,
    send: ({ request }, call) => request('POST', `${path}/batch`, newRecords(call)),
  },
  {
    title: 'full batches of creates, closed at once',
    scope: 'create',
    connections: 64,
    send: (sender, call) => leave(sender, 'POST', `${path}/batch`, newRecords(call)),
  },
  {
    title: 'full batches of gets',
    scope: 'read',
    connections: 16,
    send: ({ request }, call) => request('POST', `${path}/batch/get`, ids(call)),
  },
  {
    title: 'full batches of deletes',
    scope: 'delete',
    connections: 16,
    send: ({ request }, call) => request('POST', `${path}/batch/delete`, ids(call)),
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

/** The input of the worker. */
export interface AttackOrder {
  readonly title: string;
  readonly port: number;
  readonly token: string;
}

/** Attacks until its thread is terminated. */
async function attack({ title, port, token }: AttackOrder): Promise<void> {
  const found = attacks.find((each) => each.title === title);
  if (found === undefined) throw new Error(`There is no attack ${title}`);
  const agent = new Agent({ keepAlive: true });
  const authorization = found.scope && `Bearer ${token}`;
  const sender: Sender = {
    request: (method, path, body = '') =>
      new Promise((resolve) => {
        const headers = {
          ...(authorization && { authorization }),
          ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        };
        const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) =>
          response.resume().once('close', () => resolve()),
        );
        sent.once('error', () => resolve()).end(body);
      }),
    async open(method, path, body = '', times = 1) {
      const socket = connect(port, '127.0.0.1');
      // The socket is closed after any error.
      socket.on('error', () => undefined);
      const lines = [
        `${method} ${path} HTTP/1.1`,
        'Host: a',
        ...(authorization ? [`Authorization: ${authorization}`] : []),
        ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`.repeat(times));
      return socket;
    },
  };
  let calls = 0;
  async function sendAgain(attack: Attack): Promise<void> {
    // If a connection cannot be opened, it is retried after a short delay.
    for (;;)
      await attack.send(sender, calls++).then(
        () => delay(1),
        () => delay(50),
      );
  }
  await Promise.all(Array.from({ length: found.connections }, () => sendAgain(found)));
}

if (parentPort !== null) void attack(workerData);
