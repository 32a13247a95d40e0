import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Turns } from '../runtime/turns.js';
import type { Exchanges } from './exchanges.js';

const defaultLimits = {
  /** How many bytes a client can still send, for how long in total, and with what maximum pause. */
  bytes: 2 ** 26,
  totalMs: 10_000,
  idleMs: 2_000,
  /** How many connections can linger at the same time. */
  connections: 256,
};

export type LingerLimits = Readonly<typeof defaultLimits>;

/** Discarding this many bytes takes as long as handling a request. */
const bytesPerRequest = 16_384;

/** Ends the sending side of a connection. Closes the connection once the client has closed it, or has sent nothing for some time. */
export type Linger = (connection: Duplex) => void;

/**
 * Lets a server's connections linger if Node.js would close them while their clients might still send (RFC 9112, section 9.6). If data
 * arrives on a closed connection, the operating system resets the connection, and the client loses a reply that it has not read yet, such
 * as the reply to a body over the limit. Data that arrives while the connection lingers is discarded, in turns, up to limits.
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
    const deadline = setTimeout(close, limits.totalMs);
    connection
      .once('close', () => {
        clearTimeout(deadline);
        lingering--;
      })
      .end()
      // Removes the parser's listeners: it would continue with later requests, and report the end of an incomplete one as an error.
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
      // If the request is no longer read, Node.js has stopped reading from the connection, and does not resume without the parser.
      ._read(0);
  }

  server.on('connection', (connection) => {
    const { destroySoon } = connection;
    connection.destroySoon = () => {
      const mightStillSend =
        exchanges.latest(connection)?.request.complete === false ||
        exchanges.unanswered(connection).length > 0;
      if (connection.writable && mightStillSend) linger(connection);
      else destroySoon.call(connection);
    };
  });

  return linger;
}
