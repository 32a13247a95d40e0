import { connect, createServer, Socket } from 'node:net';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { listen } from '../listen.js';

/** How a pooler between the service and PostgreSQL behaves. */
export interface PoolerBehaviour {
  /** All clients share one server connection, released after each transaction; otherwise each client has its own. */
  readonly poolsTransactions?: boolean;
  /** Keeps the prepared statements of its clients apart. */
  readonly tracksStatements?: boolean;
  /** Does not forward the settings in a client's startup message. */
  readonly dropsOptions?: boolean;
}

/** Starts a pooler in front of the server of a database, for this test; returns the URL of the database behind it. */
export async function startPooler(databaseUrl: string, behaviour: PoolerBehaviour) {
  const { poolsTransactions, tracksStatements, dropsOptions } = behaviour;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => undefined);
  };
  const serve = poolsTransactions ? await shareConnection(databaseUrl, keep(new Socket())) : undefined;
  const server = createServer((client) => {
    const number = sockets.size;
    keep(client).once('data', (startup: Buffer) => {
      if (serve) return void serve(client, tracksStatements ? `c${number}_` : '').catch(() => undefined);
      const upstream = keep(connect(Number(new URL(databaseUrl).port), '127.0.0.1'));
      upstream.write(dropsOptions ? withoutOptions(startup) : startup);
      client.pipe(upstream).pipe(client);
    });
  });
  const { port } = new URL(await listen(server));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return Object.assign(new URL(databaseUrl), { port }).href;
}

/** AuthenticationOk, and ReadyForQuery outside of a transaction. */
const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

/** Logs in on a socket; returns what serves a client there, which has the connection for each of its transactions. */
async function shareConnection(databaseUrl: string, upstream: Socket) {
  const login = new pg.Client({ connectionString: databaseUrl, stream: () => upstream });
  await login.on('error', () => undefined).connect();
  // From here on the messages are those of clients.
  upstream.removeAllListeners('data');
  const answers = readMessages(upstream);
  let isFree = Promise.resolve();

  return async function serve(client: Socket, prefix: string): Promise<void> {
    client.write(greeting);
    let request: Buffer[] = [];
    let release: (() => void) | undefined;
    try {
      for await (const { type, message } of readMessages(client)) {
        request.push(renameStatement(type, message, prefix));
        // Sync and Query: the server answers until it is ready again.
        if (type !== 'S' && type !== 'Q') continue;
        if (release === undefined) {
          const wasFree = isFree;
          const { promise, resolve } = Promise.withResolvers<void>();
          isFree = promise;
          release = resolve;
          await wasFree;
        }
        upstream.write(Buffer.concat(request));
        request = [];
        let state = '';
        while (state === '') {
          const { value: answer } = await answers.next();
          if (answer === undefined) return;
          client.write(answer.message);
          if (answer.type === 'Z') state = answer.message.toString('latin1', 5);
        }
        if (state !== 'I') continue;
        release();
        release = undefined;
      }
    } finally {
      release?.();
    }
  };
}

interface Message {
  readonly type: string;
  /** The whole message: type, length, content. */
  readonly message: Buffer;
}

/** Splits the data of a socket into messages: https://www.postgresql.org/docs/current/protocol-message-formats.html */
async function* readMessages(socket: Socket): AsyncGenerator<Message, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const data of socket) {
    rest = Buffer.concat([rest, data as Buffer]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
      rest = rest.subarray(message.length);
      yield { type: message.toString('latin1', 0, 1), message };
    }
  }
}

/** Puts a prefix before the name of the statement of a Parse or a Bind. */
function renameStatement(type: string, message: Buffer, prefix: string): Buffer {
  const start = type === 'P' ? 5 : type === 'B' ? message.indexOf(0, 5) + 1 : -1;
  if (start < 0 || message[start] === 0) return message;
  const renamed = Buffer.concat([message.subarray(0, start), Buffer.from(prefix), message.subarray(start)]);
  renamed.writeUInt32BE(renamed.length - 1, 1);
  return renamed;
}

/** Removes the parameter `options` from a startup message. */
function withoutOptions(startup: Buffer): Buffer {
  const parts = startup.toString('latin1', 8).split('\0');
  const index = parts.indexOf('options');
  if (index >= 0) parts.splice(index, 2);
  const content = Buffer.from(parts.join('\0'), 'latin1');
  const message = Buffer.concat([startup.subarray(0, 8), content]);
  message.writeUInt32BE(message.length, 0);
  return message;
}
