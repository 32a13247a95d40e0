import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { findFailedCondition } from '@plant-store/contract/conditions';
import { methodNotAllowed, ServiceError } from '@plant-store/records';
import type { Request, RequestHandler, Response } from 'express';
import { Negotiator } from 'negotiator';
import { setCommonHeaders } from './security-headers.js';

/** A built file to serve, plain and compressed. */
export interface ServedFile {
  readonly name: string;
  /** Whether the name contains a hash of the content, so that the content under this name never changes. */
  readonly isHashed: boolean;
  readonly plain: Representation;
  /** The compressed forms by content coding (RFC 9110, section 8.4.1). Contains only codings that make the file smaller. */
  readonly compressed: ReadonlyMap<string, Representation>;
}

export interface Representation {
  readonly content: Buffer;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The file in which the build lists all other files: the SHA-256 of each, in base64url, by name. */
export const listName = 'files.json';

/** The file name suffixes of compressed files by content coding, best compression first. */
export const suffixes = { br: '.br', gzip: '.gz' } as const;
const compressedEnd = /\.(?:br|gz)$/;

type Coding = keyof typeof suffixes;

/**
 * Compresses content in each coding that saves at least 5%. Fonts, for example, do not shrink.
 *
 * @param quality from 0 to 11. The default is the maximum, for files that are compressed once and sent often
 */
export function compress(content: Buffer, quality = 11): readonly (readonly [Coding, Buffer])[] {
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    [constants.BROTLI_PARAM_QUALITY]: quality,
  };
  const forms = [
    ['br', brotliCompressSync(content, { params })],
    ['gzip', gzipSync(content, { level: Math.min(quality, 9) })],
  ] as const;
  return forms.filter(([, { length }]) => length < 0.95 * content.length);
}

/** Returns a built file with other content. `quality` is as for `compress`. */
export function withContent(file: ServedFile, text: string, quality?: number): ServedFile {
  const represent = (content: Buffer): Representation => ({ content, etag: `"${hashOf(content)}"` });
  const content = Buffer.from(text);
  const compressed = compress(content, quality).map(([coding, form]) => [coding, represent(form)] as const);
  return { ...file, plain: represent(content), compressed: new Map(compressed) };
}

/** The folder of files with a content hash in their names. */
export const hashedFolder = 'assets/';

/** One route for all hashed files of the page, for metrics and the log, because their names change with each build. */
export const hashedFilesRoute = `/${hashedFolder}*`;

/** Reads the built files into memory. @throws {Error} when one is missing or changed */
export function readServedFiles(folder: string): readonly ServedFile[] {
  const list: unknown = JSON.parse(readFileSync(join(folder, listName), 'utf8'));
  if (typeof list !== 'object' || list === null) throw new Error(`${listName} is not a list of files`);
  const hashes = new Map<string, unknown>(Object.entries(list));
  const read = (name: string): Representation => {
    const content = readFileSync(join(folder, name));
    const found = hashOf(content);
    if (found !== hashes.get(name)) throw new Error(`${name} is not the file that was built`);
    return { content, etag: `"${found}"` };
  };
  const names = new Set([...hashes.keys()].map((name) => name.replace(compressedEnd, '')));
  return [...names].map((name) => {
    const compressed = Object.entries(suffixes).flatMap(([coding, suffix]) =>
      hashes.has(`${name}${suffix}`) ? [[coding, read(`${name}${suffix}`)] as const] : [],
    );
    const isHashed = name.startsWith(hashedFolder);
    // The build writes only the compressed forms of a large file.
    const [[, smallest] = []] = compressed;
    const plain = smallest === undefined || hashes.has(name) ? read(name) : decompress(smallest);
    return { name, isHashed, plain, compressed: new Map(compressed) };
  });
}

/** Returns the plain form of a brotli-compressed file. It is decompressed and cached when a client first needs it, which is rare. */
function decompress({ content, etag }: Representation): Representation {
  let plain: Buffer | undefined;
  return {
    // Each representation needs its own entity tag. The prefix is at the start because proxies can append a suffix.
    etag: etag.replace('"', '"plain-'),
    get content() {
      plain ??= brotliDecompressSync(content);
      return plain;
    },
  };
}

/** Returns the SHA-256 of a file, in base64url. */
export function hashOf(content: Buffer): string {
  return hash('sha256', content, 'base64url');
}

interface FileRoutes {
  readonly headers: Readonly<Record<string, string>>;
  /** Finds the file for a path exactly as sent, so that other encodings of the path find nothing. */
  find(path: string, request: Request): ServedFile | undefined;
  /** Returns a file's route, for metrics and the log. */
  routeOf(file: ServedFile): string;
}

/** Serves files from memory, without a token. Requests for other paths are passed to the next middleware. */
export function serveFiles({ headers, find, routeOf }: FileRoutes): RequestHandler {
  return function serveFile(request, response, next) {
    const { method, path } = request;
    const file = find(path, request);
    if (file === undefined) return next();
    response.locals.route = routeOf(file);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, path, ['GET', 'HEAD']);
    sendFile(file, response, headers);
  };
}

/** The maximum age of a cached reply, in seconds: one year (RFC 9111, section 5.2.2.1). */
const maxAgeSeconds = 31_536_000;

/**
 * Sends a file in the coding that the client prefers, or 304 if the client has it (RFC 9110, section 13.2.2).
 *
 * @throws {ServiceError} `precondition_failed` when `If-Match` names another version
 */
function sendFile(
  { name, isHashed, plain, compressed }: ServedFile,
  response: Response,
  headers: FileRoutes['headers'],
): void {
  const codings = [...compressed.keys()];
  const coding = selectCoding(codings, response.req);
  const { content, etag } = compressed.get(coding) ?? plain;
  const failed = findFailedCondition(response.req.headers, etag);
  if (failed === 'if-match')
    throw new ServiceError(
      'precondition_failed',
      'This file no longer matches the ETag in If-Match. Get it again.',
    );
  setCommonHeaders(response.req, response, headers);
  response.type(extname(name)).set({
    ETag: etag,
    'Cache-Control': isHashed ? `public, max-age=${maxAgeSeconds}, immutable` : 'no-cache',
  });
  if (codings.length > 0) response.vary('Accept-Encoding');
  if (failed !== undefined) response.status(304);
  else if (compressed.has(coding)) response.set('Content-Encoding', coding);
  // Express omits the content for HEAD and 304. All replies share one buffer.
  response.send(content);
}

/**
 * Selects the coding with the highest weight in `Accept-Encoding`, and the smallest file among equal weights. A request that accepts no
 * coding, not even `identity`, gets the plain file, because a server can disregard the header then (RFC 9110, section 12.4.1).
 */
function selectCoding(codings: readonly string[], request: Request): string {
  const [selected = identity] = new Negotiator(request).encodings([...codings, identity], {
    preferred: [...codings],
  });
  return selected;
}

const identity = 'identity';
