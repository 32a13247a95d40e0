import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, whether it has accepted them itself or got them from another process. */
export function trackConnections(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
