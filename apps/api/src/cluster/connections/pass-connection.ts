import { Socket } from 'node:net';

/** Comes with a connection: its number, by which the worker confirms that it has it. */
interface ConnectionMessage {
  readonly connection: number;
}

/** The process of a worker, as connections are passed to it. */
export interface ConnectionTarget {
  send(
    message: ConnectionMessage,
    socket: Socket,
    options: { readonly keepOpen: true },
    callback: (error: Error | null) => void,
  ): boolean;
}

/** The connections that are on their way to a worker. */
export interface ConnectionPassage {
  pass(socket: Socket): void;
  /** Closes this process's end of a connection, which the worker has. */
  confirm(connection: number): void;
  /** Closes the connections that the worker has not confirmed: whether it has read from them is not known. */
  end(): void;
}

/**
 * Passes connections to the process of a worker. They stay open here until the worker confirms them, so that none is left
 * open without an owner if the worker ends meanwhile.
 *
 * @param passElsewhere called with a connection that the worker cannot have got, since it had ended
 */
export function createConnectionPassage(
  target: ConnectionTarget,
  passElsewhere: (socket: Socket) => void,
): ConnectionPassage {
  const unconfirmed = new Map<number, Socket>();
  let last = 0;
  return {
    pass(socket) {
      const connection = ++last;
      unconfirmed.set(connection, socket);
      target.send({ connection }, socket, { keepOpen: true }, (error) => {
        if (error !== null && unconfirmed.delete(connection)) passElsewhere(socket);
      });
    },
    confirm(connection) {
      unconfirmed.get(connection)?.destroy();
      unconfirmed.delete(connection);
    },
    end() {
      for (const socket of unconfirmed.values()) socket.destroy();
      unconfirmed.clear();
    },
  };
}

/** A process that gets connections from the one that has started it. */
export interface ConnectionSource {
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
}

/** Calls a listener with each connection that is passed to this process. */
export function onConnectionPassed(
  source: ConnectionSource,
  confirm: (connection: number) => void,
  listener: (socket: Socket) => void,
): void {
  source.on('message', (message, handle) => {
    if (!isConnectionMessage(message)) return;
    confirm(message.connection);
    // There is none if its client has closed it on the way.
    if (handle instanceof Socket) listener(handle);
  });
}

function isConnectionMessage(message: unknown): message is ConnectionMessage {
  return typeof message === 'object' && message !== null && 'connection' in message;
}
