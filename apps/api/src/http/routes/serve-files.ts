import type { RequestHandler } from 'express';
import { setCommonHeaders } from '../security-headers.js';
import { type ServedFile, sendFile } from '../served-files.js';
import { methodNotAllowed } from './fallbacks.js';

/** Which files are served, and how. */
export interface FileRoutes {
  readonly headers: Readonly<Record<string, string>>;
  /** Finds the file of a path as it was sent, so that no encoding of another one leads to a file. */
  find(path: string): ServedFile | undefined;
  /** The route of a file, for metrics and the log. */
  routeOf(file: ServedFile): string;
}

/** Serves files from memory, without a token; a path without a file goes on to the next middleware. */
export function serveFiles({ headers, find, routeOf }: FileRoutes): RequestHandler {
  const rejectMethod = methodNotAllowed(['GET', 'HEAD']);
  return function serveFile(request, response, next) {
    const file = find(request.path);
    if (file === undefined) {
      next();
      return;
    }
    response.locals.route = routeOf(file);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      rejectMethod(request, response, next);
      return;
    }
    setCommonHeaders(request, response, headers);
    sendFile(file, response);
  };
}
