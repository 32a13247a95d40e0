import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../../errors/operator-error.js';
import { backlog, baseUrlOf, toListenError } from '../../http/server/listen.js';

/** A socket that listens. Processes that inherit its descriptor accept its connections, which wait while there are none. */
export interface ListeningSocket {
  readonly baseUrl: string;
  readonly descriptor: number;
  /** Closes it in this process; it listens until the last process has closed it. */
  close(): Promise<void>;
}

/** What the thread posts. */
type Posted =
  | { readonly descriptor: number | undefined; readonly address: AddressInfo }
  | { readonly error: { readonly code?: string; readonly message: string } };

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
  const [posted] = (await once(thread, 'message')) as [Posted];
  thread.unref();
  if ('error' in posted) {
    const { code, message } = posted.error;
    throw toListenError(Object.assign(new Error(message), { code }), host, port);
  }
  const { descriptor, address } = posted;
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
