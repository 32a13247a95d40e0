import { messageOf, OperatorError } from '../errors/operator-error.js';
import { hashedFolder, listName, readServedFiles, type ServedFile } from './served-files.js';

/** The files of the page by the paths that they are served under, such as `/` and `/assets/index-3f2a9c1b.js`. */
export type Page = ReadonlyMap<string, ServedFile>;

/** The route of all files with a hash in their names, for metrics and the log: each build has others. */
export const hashedFilesRoute = `/${hashedFolder}*`;

/**
 * Reads the page that the build has written into memory, and checks that no file is missing or changed.
 *
 * @throws {OperatorError} when it is not as the build wrote it
 */
export function readPage(folder: string): Page {
  try {
    const files = readServedFiles(folder);
    if (!files.some(({ name }) => name === 'index.html'))
      throw new Error(`${listName} does not list index.html`);
    return new Map(files.map((file) => [toPath(file.name), file]));
  } catch (error) {
    throw new OperatorError(
      `The page in ${folder} cannot be served: ${messageOf(error)}\nBuild or install this program again, or set PAGE=off to serve the API without the page.`,
      { cause: error },
    );
  }
}

/** The path that a file is served under: that of the document is the root. */
export function toPath(name: string): string {
  return name === 'index.html' ? '/' : `/${name}`;
}
