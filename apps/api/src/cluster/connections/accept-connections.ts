import { createServer, type Server, type Socket } from 'node:net';

/** What takes over connections: a worker. */
export interface ConnectionReceiver {
  /** Passes a connection of which nothing was read yet. */
  passConnection(socket: Socket): void;
}

/** How many connections wait for a worker while none serves; more are closed. */
const maxWaiting = 4_096;

/** The connections of a service with workers, until a worker has taken them over. */
export interface AcceptedConnections {
  /** Accepts connections once it listens. */
  readonly server: Server;
  /** Passes a connection on that an ended worker did not get. */
  passAgain(socket: Socket): void;
  /** How many wait for a worker. */
  waiting(): number;
  /** Passes on the connections that wait for a worker. */
  passWaiting(): void;
  /** Accepts no more connections, and closes those that wait for a worker. */
  stop(): void;
}

/**
 * Accepts connections for workers, and passes each to the next one in turn. While none is listening they wait.
 *
 * @param serving the workers that serve connections
 */
export function acceptConnections(serving: () => readonly ConnectionReceiver[]): AcceptedConnections {
  const waiting: Socket[] = [];
  let turn = 0;

  function accept(socket: Socket): void {
    const workers = serving();
    const worker = workers[turn++ % workers.length];
    if (worker !== undefined) worker.passConnection(socket);
    else if (server.listening && waiting.length < maxWaiting) waiting.push(socket);
    else socket.destroy();
  }

  // Nothing is read here, so that the worker reads all of it.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    // Its client may be gone before a worker has it; there is nothing to do.
    socket.on('error', () => undefined);
    accept(socket);
  });
  return {
    server,
    // In a later turn, in which the end of the worker may be noticed.
    passAgain: (socket) => void setImmediate(accept, socket),
    waiting: () => waiting.length,
    passWaiting: () => waiting.splice(0).forEach(accept),
    stop() {
      server.close();
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}
