import { createHash } from 'node:crypto';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { readServedFiles, type ServedFile } from './served-files.js';

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
