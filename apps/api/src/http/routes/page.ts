import { extname } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { Negotiator } from 'negotiator';
import { hashedFilesRoute, type Page, type PageFile } from '../read-page.js';
import { pageHeaders, setCommonHeaders } from '../security-headers.js';
import { methodNotAllowed } from './fallbacks.js';

/** The paths of the page's views besides `/`, which the page itself tells apart (`apps/web/src/route.ts`). */
const viewPath = /^\/(?:add|import|p\/-?\d{1,19})$/;

/**
 * Serves the page on which people add plants, which needs no token: exactly the files of the build, from memory. A path is
 * compared as it was sent, so that no encoding of another one leads to a file.
 */
export function page(files: Page): RequestHandler {
  const rejectMethod = methodNotAllowed(['GET', 'HEAD']);
  return function page(request, response, next) {
    const path = viewPath.test(request.path) ? '/' : request.path;
    const file = files.get(path);
    if (file === undefined) {
      next();
      return;
    }
    response.locals.route = file.isHashed ? hashedFilesRoute : path;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      rejectMethod(request, response, next);
      return;
    }
    setCommonHeaders(request, response, pageHeaders);
    sendFile(file, response);
  };
}

/** The most that caches keep a reply, in seconds: a year (RFC 9111, section 5.2.2.1). */
const year = 31_536_000;

/** Sends a file in the coding that the client prefers, or 304 where the client has it (RFC 9110, section 13.2.2). */
function sendFile({ name, isHashed, plain, compressed }: PageFile, response: Response): void {
  const codings = [...compressed.keys()];
  const coding = selectCoding(codings, response.req);
  const { content, etag } = compressed.get(coding) ?? plain;
  response.type(extname(name)).set({
    ETag: etag,
    'Cache-Control': isHashed ? `public, max-age=${year}, immutable` : 'no-cache',
  });
  if (codings.length > 0) response.vary('Accept-Encoding');
  if (compressed.has(coding) && !response.req.fresh) response.set('Content-Encoding', coding);
  // Answers HEAD and If-None-Match, too. All replies share one buffer.
  response.send(content);
}

/**
 * Selects the coding with the highest weight in `Accept-Encoding`, the smallest of equal ones. A request that accepts none,
 * not even `identity`, gets the file as it is: the header may be disregarded then (RFC 9110, section 12.4.1).
 */
function selectCoding(codings: readonly string[], request: Request): string {
  const [selected = identity] = new Negotiator(request).encodings([...codings, identity], {
    preferred: [...codings],
  });
  return selected;
}

const identity = 'identity';
