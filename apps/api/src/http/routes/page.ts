import type { RequestHandler } from 'express';
import { messageOf, OperatorError } from '../../errors/operator-error.js';
import { pageHeaders } from '../security-headers.js';
import { hashedFilesRoute, listName, readServedFiles, type ServedFile, serveFiles } from '../served-files.js';

/** The files of the page by the paths that they are served under, such as `/` and `/assets/index-3f2a9c1b.js`. */
export type Page = ReadonlyMap<string, ServedFile>;

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

/** The paths of the page's views besides `/`, which the page itself tells apart (`apps/web/src/route.ts`). */
const viewPath = /^\/(?:add|import|p\/-?\d{1,19})$/;

/** Serves the page on which people add plants: exactly the files of the build. */
export function page(files: Page): RequestHandler {
  return serveFiles({
    headers: pageHeaders,
    find: (path) => files.get(viewPath.test(path) ? '/' : path),
    routeOf: ({ name, isHashed }) => (isHashed ? hashedFilesRoute : toPath(name)),
  });
}

/** The path that a file is served under: that of the document is the root. */
function toPath(name: string): string {
  return name === 'index.html' ? '/' : `/${name}`;
}
