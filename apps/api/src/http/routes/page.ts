import type { RequestHandler } from 'express';
import { hashedFilesRoute, type Page, toPath } from '../read-page.js';
import { pageHeaders } from '../security-headers.js';
import { serveFiles } from './serve-files.js';

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
