import type { Server, ServerResponse } from 'node:http';
import type { ConnectionExchanges } from './connection-exchanges.js';

/**
 * Lets CONNECT requests be answered as any other, behind the replies that are due before it, and closes the connection.
 * Node.js would close it without a reply: a server that is a proxy gets the bare connection.
 *
 * @param idleTimeoutMs after how long without any traffic the connection is closed, in milliseconds
 */
export function connectHandler(
  server: Server,
  exchanges: ConnectionExchanges,
  Response: typeof ServerResponse,
  idleTimeoutMs: number,
): void {
  server.on('connect', (request) => {
    const { socket } = request;
    // Node.js has left the connection: its errors and its time are nobody else's any more.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());

    const response = new Response(request);
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.destroySoon());
    const before = exchanges.unanswered(socket).at(-1);
    server.emit('request', request, response);
    if (before === undefined) response.assignSocket(socket);
    else before.response.once('finish', () => response.assignSocket(socket));
  });
}
