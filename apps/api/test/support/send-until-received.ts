import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

const channel = 'http.server.request.start';
/** More than the service takes to pass requests on, some in each turn, until they wait for the database. */
const turns = 100;

/**
 * Sends requests, and resolves once a server in this process has received this many and has begun to handle them; with
 * its side of the connection of each.
 */
export async function sendUntilReceived(count: number, send: () => void): Promise<readonly Socket[]> {
  const { promise, resolve } = Promise.withResolvers<readonly Socket[]>();
  const received: Socket[] = [];
  const onRequest = (message: unknown) => {
    received.push((message as { readonly socket: Socket }).socket);
    if (received.length === count) resolve(received);
  };
  subscribe(channel, onRequest);
  send();
  const sockets = await promise;
  unsubscribe(channel, onRequest);
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  return sockets;
}
