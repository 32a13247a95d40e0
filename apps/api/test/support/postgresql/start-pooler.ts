import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How a pooler between the service and PostgreSQL behaves. */
export interface PoolerBehaviour {
  /** All clients share one server connection, released after each transaction; otherwise each client has its own. */
  readonly poolsTransactions?: boolean;
  /** Keeps the prepared statements of its clients apart. */
  readonly tracksStatements?: boolean;
  /** Does not forward the settings in a client's startup message. */
  readonly dropsOptions?: boolean;
}

/** Starts a pooler in front of a PostgreSQL server on a local port. With pooled transactions, its first client logs in. */
export async function startPooler(toPort: number, behaviour: PoolerBehaviour) {
  const sockets = new Set<Socket>();
  const shared: Shared = { queue: [], greeting: [], isBusy: false };
  let clients = 0;
  const server = createServer((client) => {
    const number = clients++;
    sockets.add(client);
    client.on('error', () => undefined);
    if (behaviour.poolsTransactions && shared.upstream !== undefined)
      return serve(client, shared, number, behaviour);
    const upstream = connect(toPort, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => undefined);
    client.once('data', (startup: Buffer) => {
      upstream.write(behaviour.dropsOptions ? withoutOptions(startup) : startup);
      if (behaviour.poolsTransactions)
        return share(client, upstream, shared, () => serve(client, shared, number, behaviour));
      client.pipe(upstream);
    });
    if (!behaviour.poolsTransactions) upstream.pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The shared connection to the server, and the requests that wait for it. */
interface Shared {
  upstream?: Socket;
  /** The server's messages after a login. */
  greeting: Buffer[];
  queue: { readonly client: Socket; readonly request: Buffer }[];
  /** The client that uses it until its transaction ends. */
  owner?: Socket;
  /** Whether the server is answering a request of the owner. */
  isBusy: boolean;
}

/** Lets a client log in, then shares its connection with all others. */
function share(client: Socket, upstream: Socket, shared: Shared, done: () => void): void {
  shared.upstream = upstream;
  const pass = (data: Buffer) => void upstream.write(data);
  client.on('data', pass);
  let loggedIn = false;
  readMessages(upstream, ({ type, message }) => {
    if (loggedIn) return answer(shared, type, message);
    client.write(message);
    // ParameterStatus, BackendKeyData and ReadyForQuery.
    if ('SKZ'.includes(type)) shared.greeting.push(message);
    if (type !== 'Z') return;
    loggedIn = true;
    client.off('data', pass);
    done();
  });
}

/** Queues the requests of a client, each up to its Sync, for the shared connection. */
function serve(client: Socket, shared: Shared, number: number, { tracksStatements }: PoolerBehaviour): void {
  let request: Buffer[] = [];
  const take = ({ type, message }: Message) => {
    if (type === 'X') return;
    request.push(tracksStatements ? renameStatement(type, message, number) : message);
    if (type !== 'S' && type !== 'Q') return;
    shared.queue.push({ client, request: Buffer.concat(request) });
    request = [];
    sendNext(shared);
  };
  if (shared.greeting.length > 0 && number > 0) {
    client.once('data', () => {
      client.write(Buffer.concat([Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]), ...shared.greeting]));
      readMessages(client, take);
    });
  } else readMessages(client, take);
}

/** Sends the next request of the owner, or of any client if there is no owner, unless one is in flight. */
function sendNext(shared: Shared): void {
  const index = shared.queue.findIndex(({ client }) => (shared.owner ?? client) === client);
  if (shared.isBusy || index < 0) return;
  for (const { client, request } of shared.queue.splice(index, 1)) {
    shared.owner = client;
    shared.isBusy = true;
    shared.upstream?.write(request);
  }
}

function answer(shared: Shared, type: string, message: Buffer): void {
  shared.owner?.write(message);
  if (type !== 'Z') return;
  shared.isBusy = false;
  const isOver = message.toString('latin1', 5) === 'I';
  if (isOver || shared.owner?.destroyed) delete shared.owner;
  sendNext(shared);
}

interface Message {
  readonly type: string;
  /** The whole message: type, length, content. */
  readonly message: Buffer;
}

/** Splits the data of a socket into messages: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function readMessages(socket: Socket, onMessage: (message: Message) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const length = 1 + rest.readUInt32BE(1);
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage({ type: message.toString('latin1', 0, 1), message });
    }
  });
}

/** Makes the statement name of a Parse or a Bind unique to the client. */
function renameStatement(type: string, message: Buffer, number: number): Buffer {
  const start = type === 'P' ? 5 : type === 'B' ? message.indexOf(0, 5) + 1 : -1;
  if (start < 0 || message[start] === 0) return message;
  const renamed = Buffer.concat([
    message.subarray(0, start),
    Buffer.from(`c${number}_`),
    message.subarray(start),
  ]);
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
