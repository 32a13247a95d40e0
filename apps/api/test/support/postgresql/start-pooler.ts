import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How a pooler between the service and PostgreSQL behaves. */
export interface PoolerBehaviour {
  /** Hands one connection to the server on after each transaction; otherwise each client has one of its own. */
  readonly handsOn?: boolean;
  /** Keeps apart the prepared statements of its clients. */
  readonly carriesStatements?: boolean;
  /** Does not pass on the settings that a client connects with. */
  readonly dropsOptions?: boolean;
}

/** Starts a pooler before the PostgreSQL on a port of this machine, and gives its own port. Its first client logs in. */
export async function startPooler(toPort: number, behaviour: PoolerBehaviour) {
  const sockets = new Set<Socket>();
  const shared: Shared = { queue: [], greeting: [], isBusy: false };
  let clients = 0;
  const server = createServer((client) => {
    const number = clients++;
    sockets.add(client);
    client.on('error', () => undefined);
    if (behaviour.handsOn && shared.upstream !== undefined) return serve(client, shared, number, behaviour);
    const upstream = connect(toPort, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => undefined);
    client.once('data', (startup: Buffer) => {
      upstream.write(behaviour.dropsOptions ? withoutOptions(startup) : startup);
      if (behaviour.handsOn)
        return share(client, upstream, shared, () => serve(client, shared, number, behaviour));
      client.pipe(upstream);
    });
    if (!behaviour.handsOn) upstream.pipe(client);
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

/** The connection to the server, what it says to one who has logged in, and who waits for it. */
interface Shared {
  upstream?: Socket;
  greeting: Buffer[];
  queue: { readonly client: Socket; readonly request: Buffer }[];
  /** Who has it, until the transaction ends. */
  owner?: Socket;
  /** Whether a request of the owner is being answered. */
  isBusy: boolean;
}

/** Lets a client log in, then keeps its connection for all. */
function share(client: Socket, upstream: Socket, shared: Shared, done: () => void): void {
  shared.upstream = upstream;
  const pass = (data: Buffer) => void upstream.write(data);
  client.on('data', pass);
  let loggedIn = false;
  readMessages(upstream, ({ type, message }) => {
    if (loggedIn) return answer(shared, type, message);
    client.write(message);
    // Parameters, the key for cancelling, and that it is ready.
    if ('SKZ'.includes(type)) shared.greeting.push(message);
    if (type !== 'Z') return;
    loggedIn = true;
    client.off('data', pass);
    done();
  });
}

/** Sends the requests of a client, each up to its Sync, when the connection is free. */
function serve(client: Socket, shared: Shared, number: number, { carriesStatements }: PoolerBehaviour): void {
  let request: Buffer[] = [];
  const take = ({ type, message }: Message) => {
    if (type === 'X') return;
    request.push(carriesStatements ? renameStatement(type, message, number) : message);
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

/** Sends the next request, unless one is being answered: that of the owner, or when there is none, the first. */
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
  /** All of it: type, length, content. */
  readonly message: Buffer;
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
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

/** Gives the named statement of a Parse or a Bind a name that no other client has. */
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

/** A startup message without its parameter `options`. */
function withoutOptions(startup: Buffer): Buffer {
  const parts = startup.toString('latin1', 8).split('\0');
  const index = parts.indexOf('options');
  if (index >= 0) parts.splice(index, 2);
  const content = Buffer.from(parts.join('\0'), 'latin1');
  const message = Buffer.concat([startup.subarray(0, 8), content]);
  message.writeUInt32BE(message.length, 0);
  return message;
}
