import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { messageOf, OperatorError } from '../../errors/operator-error.js';
import { securityHeaders } from '../security-headers.js';
import { readServedFiles, type ServedFile, serveFiles } from '../served-files.js';

/** The packed client that was built with the service; the name of its file has its version. */
export interface ClientPackage {
  readonly file: ServedFile;
  /** Its SHA-512 in base64: what a package manager records as its integrity after `sha512-`. */
  readonly sha512: string;
}

/**
 * Reads the packed client into memory.
 *
 * @throws {OperatorError} when it is not as the build wrote it
 */
export function readClient(folder: string): ClientPackage {
  try {
    const file = readServedFiles(folder).find(({ name }) => name.endsWith('.tgz'));
    if (file === undefined) throw new Error(`it has no tarball`);
    return { file, sha512: createHash('sha512').update(file.plain.content).digest('base64') };
  } catch (error) {
    throw new OperatorError(
      `The client in ${folder} cannot be served: ${messageOf(error)}\nBuild or install this program again, or set CLIENT=off to serve the API without the client.`,
      { cause: error },
    );
  }
}

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
