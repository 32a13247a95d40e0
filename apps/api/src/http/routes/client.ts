import type { RequestHandler } from 'express';
import type { ClientPackage } from '../read-client.js';
import { securityHeaders } from '../security-headers.js';
import { serveFiles } from './serve-files.js';

const clientPath = '/client.tgz';

/**
 * Serves the packed client, which belongs to exactly this service and its contract, without a token. Whoever saves it gets a
 * name with its version (RFC 6266), by which package managers notice an upgrade. Its integrity is in `Repr-Digest` (RFC 9530,
 * section 3).
 */
export function client({ file, sha512 }: ClientPackage): RequestHandler {
  return serveFiles({
    headers: {
      ...securityHeaders,
      'content-disposition': `attachment; filename="${file.name}"`,
      'repr-digest': `sha-512=:${sha512}:`,
    },
    find: (path) => (path === clientPath ? file : undefined),
    routeOf: () => clientPath,
  });
}
