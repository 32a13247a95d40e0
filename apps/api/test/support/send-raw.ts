import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Reply } from './expect-error.js';
import { until } from './until.js';

/** Sends bytes on a new connection and returns the first reply. */
export async function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<Reply> {
  const connection = await openConnection(baseUrl);
  try {
    connection.write(bytes);
    return await connection.readReply();
  } finally {
    connection.destroy();
  }
}

/** Opens a connection; rejects with the error of the socket if nothing listens. */
export async function openConnection(baseUrl: string): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // A reset by the server surfaces in the next read.
  socket.on('error', () => {});
  return new RawConnection(socket);
}

/** Resolves once a service that is stopping accepts no more connections: with workers, once all of them have begun to stop. */
export async function untilRefused({ baseUrl }: { readonly baseUrl: string }): Promise<void> {
  await until(async () => {
    try {
      (await openConnection(baseUrl)).destroy();
      return false;
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    }
  });
}

/** A connection on which a test can write arbitrary bytes. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterableIterator<Buffer>;
  #received = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Reads the next reply, including an interim one such as 100. */
  async readReply(): Promise<Reply> {
    const headEnd = await this.#receiveUntil(() => this.#received.indexOf('\r\n\r\n'));
    const [statusLine = '', ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(lines.map(parseHeader));
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
    await this.#receiveUntil(() => (this.#received.length >= bodyEnd ? bodyEnd : -1));
    const body = this.#received.toString('utf8', bodyStart, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    const status = Number(statusLine.split(' ')[1]);
    return { status, headers, body: body === '' ? undefined : JSON.parse(body) };
  }

  /** Reads the remaining bytes until the server closes the connection. */
  async readToEnd(): Promise<string> {
    const chunks: Buffer[] = [this.#received];
    for await (const chunk of this.#chunks) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Closes the writing side; replies can still be read. */
  end(): void {
    this.#socket.end();
  }

  /** Closes the connection abruptly, like a client that disconnects. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Resets the connection, so that its server cannot reply any more. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  async #receiveUntil(find: () => number): Promise<number> {
    for (;;) {
      const found = find();
      if (found >= 0) return found;
      const { done, value } = await this.#chunks.next();
      if (done) throw new Error(`The connection was closed after: ${this.#received}`);
      this.#received = Buffer.concat([this.#received, value]);
    }
  }
}

function parseHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
