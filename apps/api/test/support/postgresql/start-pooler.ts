import { createServer, Socket } from 'node:net';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { listen } from '../listen.js';

/**
 * Starts a pooler in transaction mode in front of the server of a database, for this test. All clients share one server connection, which is
 * released after each transaction.
 *
 * @param tracksStatements whether it keeps the prepared statements of its clients apart
 * @returns the URL of the database behind it
 */
export async function startPooler(databaseUrl: string, tracksStatements: boolean) {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => undefined);
  };
  const serve = await shareConnection(databaseUrl, keep(new Socket()));
  const server = createServer((client) => {
    const prefix = tracksStatements ? `c${sockets.size}_` : '';
    keep(client).once('data', () => void serve(client, prefix).catch(() => undefined));
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
