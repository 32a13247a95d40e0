import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Turns } from '../runtime/turns.js';
import type { Exchanges } from './exchanges.js';

const defaultLimits = {
  /** How many bytes a client may still send, for how long in total, and with what maximum pause, in milliseconds. */
  bytes: 2 ** 26,
  totalMs: 10_000,
  idleMs: 2_000,
  connections: 256,
};

export type LingerLimits = Readonly<typeof defaultLimits>;

/** Discarding this many bytes takes as long as handling a request. */
const bytesPerRequest = 16_384;

/** Ends a connection, and closes it once its client has closed it, or has sent no more for some time. */
export type Linger = (connection: Duplex) => void;

/**
 * Lets the connections of a server linger when Node.js would close them while their clients may still send (RFC 9112, section 9.6). If data
 * arrives on a closed connection, the operating system resets it, and the client loses a reply that it has not read yet, such as the one to
 * a body over the limit. Data that arrives while the connection lingers is discarded, in turns, up to limits.
 */
export function lingerOnClose(
  server: Server,
  exchanges: Exchanges,
  turns: Turns,
  limits: LingerLimits = defaultLimits,
): Linger {
  let lingering = 0;

  function linger(connection: Duplex): void {
    if (!(connection instanceof Socket) || lingering >= limits.connections) {
      connection.end(() => connection.destroy());
      return;
    }
    lingering++;
    let bytes = 0;
    const close = () => void connection.destroy();
    const total = setTimeout(close, limits.totalMs);
    connection
      .once('close', () => {
        clearTimeout(total);
        lingering--;
      })
      .end()
      // The parser's, which would go on with the requests that follow, and take the end of one that is not complete for an error.
      .removeAllListeners('data')
      .removeAllListeners('end')
      .on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes > limits.bytes) {
          close();
          return;
        }
        connection.pause();
        turns.schedule('lingering', chunk.length / bytesPerRequest, () => connection.resume());
      })
      .once('end', () => (connection.writableFinished ? close() : connection.once('finish', close)))
      .setTimeout(limits.idleMs, close)
      .resume()
      // If the request is no longer read, reading of the connection has stopped, and without the parser Node.js does not resume it.
      ._read(0);
  }

  server.on('connection', (connection) => {
    const { destroySoon } = connection;
    connection.destroySoon = () => {
      const mayStillSend =
        exchanges.latest(connection)?.request.complete === false ||
        exchanges.unanswered(connection).length > 0;
      if (connection.writable && mayStillSend) linger(connection);
      else destroySoon.call(connection);
    };
  });

  return linger;
}
