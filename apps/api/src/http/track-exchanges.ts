import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The exchanges that are in flight on each connection of a server, in the order in which their replies are sent. */
export interface ConnectionExchanges {
  /** The unfinished exchanges of a connection, oldest first. */
  unanswered(connection: Duplex): readonly Exchange[];
  /** The latest exchange of a connection, finished or not. */
  latest(connection: Duplex): Exchange | undefined;
}

interface Link extends Exchange {
  next: Link | undefined;
}

/** The exchanges of one connection; those at the front may be finished. */
interface Chain {
  first: Link;
  last: Link;
}

/**
 * Tracks the exchanges on each connection of a server. When a connection ends, it emits `close` on the responses that are
 * still queued behind others, for listeners such as the request logger: Node.js up to 24 emits it only on the response that
 * is being sent.
 */
export function trackExchanges(server: Server): ConnectionExchanges {
  const chains = new WeakMap<Duplex, Chain>();

  server.on('request', (request, response) => {
    const { socket } = request;
    const link: Link = { request, response, next: undefined };
    const chain = chains.get(socket);
    if (chain === undefined) {
      const created: Chain = { first: link, last: link };
      chains.set(socket, created);
      socket.once('close', () => closeUnanswered(created));
    } else {
      chain.last.next = link;
      chain.last = link;
      dropFinished(chain);
    }
  });

  return {
    unanswered(connection) {
      const chain = chains.get(connection);
      return chain === undefined ? [] : listUnanswered(chain);
    },
    latest: (connection) => chains.get(connection)?.last,
  };
}

/** Replies are sent in order, so finished exchanges are at the front. The last link stays. */
function dropFinished(chain: Chain): void {
  for (let { first } = chain; first.next !== undefined && isFinished(first); first = chain.first) {
    chain.first = first.next;
    // A link in the old generation would keep the young ones behind it from being collected early.
    first.next = undefined;
  }
}

function listUnanswered({ first }: Chain): Exchange[] {
  const unanswered: Exchange[] = [];
  for (let link: Link | undefined = first; link !== undefined; link = link.next) {
    if (!isFinished(link)) unanswered.push(link);
  }
  return unanswered;
}

/** Whether the reply was passed to the operating system, and the connection is free for the next one. */
function isFinished({ response }: Exchange): boolean {
  return response.writableFinished && response.socket === null;
}

function closeUnanswered(chain: Chain): void {
  const unanswered = listUnanswered(chain);
  for (const { response } of unanswered) response.destroy();
  // By then Node.js has emitted `close` on those for which it does so itself.
  process.nextTick(() => {
    for (const { response } of unanswered) if (!response.closed) response.emit('close');
  });
}
