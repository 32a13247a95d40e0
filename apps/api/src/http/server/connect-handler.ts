import type { Server, ServerResponse } from 'node:http';
import type { ConnectionExchanges } from './track-exchanges.js';

/**
 * Handles CONNECT requests like any other, after the replies that are due before them, and closes the connection. By
 * default Node.js closes it without a reply, and hands the bare socket to servers that are proxies.
 *
 * @param idleTimeoutMs how long the connection may be without traffic before it is closed, in milliseconds
 */
export function connectHandler(
  server: Server,
  exchanges: ConnectionExchanges,
  Response: typeof ServerResponse,
  idleTimeoutMs: number,
): void {
  server.on('connect', (request) => {
    const { socket } = request;
    // Node.js has detached from the connection, so its errors and timeouts have to be handled here.
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
