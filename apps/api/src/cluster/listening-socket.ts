import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../errors/operator-error.js';
import { backlog, baseUrlOf, toListenError } from '../http/listen.js';

/** A socket that listens. Processes that inherit its descriptor accept its connections, which wait while there are none. */
export interface ListeningSocket {
  readonly baseUrl: string;
  readonly descriptor: number;
  /** Closes it in this process; it listens until the last process has closed it. */
  close(): Promise<void>;
}

type Posted = { error?: NodeJS.ErrnoException; descriptor?: number; address: AddressInfo };

/**
 * Opens a socket that listens, without accepting connections. Node.js cannot do that in an event loop that runs, so a thread
 * opens it and waits.
 *
 * @throws {OperatorError} with a message on what to do, when the address cannot be listened on
 */
export async function openListeningSocket(host: string, port: number): Promise<ListeningSocket> {
  const thread = new Worker(new URL('./hold-socket.js', import.meta.url), {
    workerData: { host, port, backlog },
  });
  const [{ error, descriptor, address }] = (await once(thread, 'message')) as [Posted];
  thread.unref();
  if (error) throw toListenError(Object.assign(new Error(error.message), { code: error.code }), host, port);
  if (descriptor === undefined) {
    await thread.terminate();
    throw new OperatorError(
      'Processes of this system cannot share a socket that listens. Set WORKERS to 1, or use Linux or macOS.',
    );
  }
  return {
    baseUrl: baseUrlOf(address),
    descriptor,
    close: async () => void (await thread.terminate()),
  };
}
