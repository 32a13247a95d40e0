import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { messageOf, OperatorError } from '../errors/operator-error.js';

/** How many connections may wait to be accepted; beyond that a client's system retries after one second, or three. */
export const backlog = 4_096;

/**
 * Starts listening and returns the base address, such as `http://127.0.0.1:3000`.
 *
 * @param settingsPrefix the prefix of the settings `HOST` and `PORT` that the address comes from
 * @throws {OperatorError} with a message on what to do, when the address cannot be listened on
 */
export async function listen(
  server: Server,
  host: string,
  port: number,
  settingsPrefix: '' | 'ADMIN_' = '',
): Promise<string> {
  try {
    server.listen({ port, host, backlog });
    await once(server, 'listening');
  } catch (error) {
    throw toListenError(error, host, port, settingsPrefix);
  }
  return baseUrlOf(server.address() as AddressInfo);
}

/** The base address of a server that listens. */
export function baseUrlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Why an address cannot be listened on, with what to do. */
export function toListenError(
  error: unknown,
  host: string,
  port: number,
  settingsPrefix: '' | 'ADMIN_' = '',
): OperatorError {
  return new OperatorError(describe(error, host, port, settingsPrefix), { cause: error });
}

function describe(error: unknown, host: string, port: number, prefix: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `The port ${port} on ${host} is taken. Stop the program that has it, or set ${prefix}PORT to another one.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port}. Set ${prefix}PORT to one above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is not an address of this machine. Set ${prefix}HOST to one, such as 127.0.0.1 or 0.0.0.0.`;
  }
  return `The address ${host}:${port} cannot be listened on: ${messageOf(error)}`;
}
