import type { RequestHandler } from 'express';
import { type ClientPackage, clientName } from '../read-client.js';
import { securityHeaders } from '../security-headers.js';
import { serveFiles } from './serve-files.js';

/** The path under which a package manager installs the client from the service. */
const clientPath = `/${clientName}`;

/**
 * Serves the packed client, which belongs to exactly this service and its contract, without a token. Its integrity is in
 * `Repr-Digest` (RFC 9530, section 3).
 */
export function client({ file, sha512 }: ClientPackage): RequestHandler {
  return serveFiles({
    headers: { ...securityHeaders, 'repr-digest': `sha-512=:${sha512}:` },
    find: (path) => (path === clientPath ? file : undefined),
    routeOf: () => clientPath,
  });
}
