import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ReadReplies, type Reply, readReplies } from './read-replies.js';

/** Only a service that hangs takes this long, even on a busy machine. */
const timeoutMs = 60_000;

/** What came back for some bytes. */
export interface Exchange {
  readonly replies: readonly Reply[];
  /** Whether the service closed the connection. */
  readonly closed: boolean;
  /** What is wrong with it as a stream of replies, such as half a reply before the connection closed. */
  readonly problem?: string;
}

/** What to send on a connection, and what to wait for. */
export interface Sending {
  /** Written one after the other, each in a turn of its own, so that the service reads them in pieces. */
  readonly pieces: readonly Uint8Array[];
  /** The methods of the requests in them. */
  readonly methods: readonly string[];
  /** How many replies to wait for, unless the service closes the connection before. */
  readonly replies: number;
  /** What happens then: the next sending, an end by this side, or an end by the service. */
  readonly afterwards: 'continue' | 'end' | 'await-end';
}

/** A connection over which bytes of any kind are sent. */
export interface Connection {
  /** Whether it can be used for another sending. */
  readonly open: boolean;
  exchange(sending: Sending): Promise<Exchange>;
  destroy(): void;
}

/** Opens a connection to a service on this machine. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  await once(socket, 'connect');
  let open = true;
  let received: Buffer[] = [];
  let wake: () => void = () => undefined;
  let problem: string | undefined;
  const end = (text?: string) => {
    open = false;
    problem ??= text;
    wake();
  };
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    wake();
  });
  socket.on('end', () => end());
  socket.on('close', () => end());
  socket.on('error', (error) => end(error.message));

  return {
    get open() {
      return open && problem === undefined;
    },
    async exchange({ pieces, methods, replies: wanted, afterwards }) {
      received = [];
      problem = undefined;
      const timer = setTimeout(() => end(`no reply within ${timeoutMs / 1000} s`), timeoutMs);
      let read: ReadReplies = { replies: [], left: Buffer.alloc(0) };
      const written = write(socket, pieces, () => open);
      let ended = false;
      try {
        for (;;) {
          read = readReplies(Buffer.concat(received), (position) => methods[position]);
          const closing = read.replies.at(-1)?.headers.get('connection') === 'close';
          const enough = read.replies.length >= wanted;
          if (!open || (enough && !closing && afterwards === 'continue')) break;
          if (enough && afterwards === 'end' && !ended) {
            ended = true;
            await written;
            socket.end();
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } catch (error) {
        problem ??= error instanceof Error ? error.message : String(error);
      }
      clearTimeout(timer);
      await written;
      if (!open) socket.destroy();
      if (read.left.length > 0) problem ??= `half a reply: ${JSON.stringify(read.left.toString('latin1'))}`;
      return { replies: read.replies, closed: !open, ...(problem !== undefined && { problem }) };
    },
    destroy() {
      socket.destroy();
    },
  };
}

async function write(socket: Socket, pieces: readonly Uint8Array[], isOpen: () => boolean): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await nextTurn();
    if (!isOpen() || socket.destroyed) return;
    socket.write(piece);
  }
}
