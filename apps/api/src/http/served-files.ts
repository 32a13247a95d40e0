import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { findFailedCondition } from '@plant-store/contract/conditions';
import { ServiceError } from '@plant-store/records';
import type { Request, RequestHandler, Response } from 'express';
import { Negotiator } from 'negotiator';

import { allowOnly } from './middleware/error-handler.js';
import { setCommonHeaders } from './security-headers.js';

/** A file that the build has written to be served, as it is and compressed. */
export interface ServedFile {
  readonly name: string;
  /** Whether its name changes with its content, so that it never gets another one. */
  readonly isHashed: boolean;
  readonly plain: Representation;
  /** By the content coding (RFC 9110, section 8.4.1): those in which the file is smaller. */
  readonly compressed: ReadonlyMap<string, Representation>;
}

export interface Representation {
  readonly content: Buffer;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The list of all files that the build writes beside them: the SHA-256 of each, in base64url, by its name. */
export const listName = 'files.json';

/** What a compressed file has after its name, by the content coding, the smallest first. */
export const suffixes = { br: '.br', gzip: '.gz' } as const;

type Coding = keyof typeof suffixes;

/**
 * A content in each coding in which it is smaller by a twentieth at least, which a font is not.
 *
 * @param quality from 0 to 11: by default as far as each can, for what is done once, and saves every person's time
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

/** A file with another content than the build has written, compressed with a quality as of `compress`. */
export function withContent(file: ServedFile, text: string, quality?: number): ServedFile {
  const represent = (content: Buffer): Representation => ({ content, etag: `"${hashOf(content)}"` });
  const content = Buffer.from(text);
  const compressed = compress(content, quality).map(([coding, form]) => [coding, represent(form)] as const);
  return { ...file, plain: represent(content), compressed: new Map(compressed) };
}

/** The folder of the files whose names have a hash of their content. */
export const hashedFolder = 'assets/';

/** The route of all files of the page with a hash in their names, for metrics and the log: each build has others. */
export const hashedFilesRoute = `/${hashedFolder}*`;

/**
 * Reads the files that the build has written into memory, and checks that none is missing or changed.
 *
 * @throws {Error} when they are not as the build wrote them
 */
export function readServedFiles(folder: string): readonly ServedFile[] {
  const hashes = readList(folder);
  const read = (name: string): Representation => {
    const content = readFileSync(join(folder, name));
    const hash = hashOf(content);
    if (hash !== hashes.get(name)) throw new Error(`${name} is not the file that was built`);
    return { content, etag: `"${hash}"` };
  };
  const names = new Set([...hashes.keys()].map(toPlainName));
  return [...names].map((name) => {
    const compressed = Object.entries(suffixes).flatMap(([coding, suffix]) =>
      hashes.has(`${name}${suffix}`) ? [[coding, read(`${name}${suffix}`)] as const] : [],
    );
    const isHashed = name.startsWith(hashedFolder);
    // Of a large file the build has written, and listed, the compressed forms alone.
    const [[, smallest] = []] = compressed;
    const plain = smallest === undefined || hashes.has(name) ? read(name) : decompress(smallest);
    return { name, isHashed, plain, compressed: new Map(compressed) };
  });
}

function toPlainName(name: string): string {
  const suffix = Object.values(suffixes).find((end) => name.endsWith(end)) ?? '';
  return name.slice(0, name.length - suffix.length);
}

/** The same without its coding, brotli. It is decompressed when it is first asked for, which few clients do, and then kept. */
function decompress({ content, etag }: Representation): Representation {
  let plain: Buffer | undefined;
  return {
    // Another representation has another one. At its end a proxy may have appended what it did.
    etag: etag.replace('"', '"plain-'),
    get content() {
      plain ??= brotliDecompressSync(content);
      return plain;
    },
  };
}

/** The SHA-256 of a file, in base64url. */
export function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

function readList(folder: string): ReadonlyMap<string, string> {
  const list: unknown = JSON.parse(readFileSync(join(folder, listName), 'utf8'));
  if (typeof list !== 'object' || list === null) throw new Error(`${listName} is not a list of files`);
  return new Map(Object.entries(list));
}

/** Which files are served, and how. */
interface FileRoutes {
  readonly headers: Readonly<Record<string, string>>;
  /** Finds the file of a path as it was sent, so that no encoding of another one leads to a file. */
  find(path: string, request: Request): ServedFile | undefined;
  /** The route of a file, for metrics and the log. */
  routeOf(file: ServedFile): string;
}

/** Serves files from memory, without a token; a path without a file goes on to the next middleware. */
export function serveFiles({ headers, find, routeOf }: FileRoutes): RequestHandler {
  const rejectMethod = allowOnly(['GET', 'HEAD']);
  return function serveFile(request, response, next) {
    const file = find(request.path, request);
    if (file === undefined) {
      next();
      return;
    }
    response.locals.route = routeOf(file);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      rejectMethod(request, response, next);
      return;
    }
    sendFile(file, response, headers);
  };
}

/** The most that caches keep a reply, in seconds: a year (RFC 9111, section 5.2.2.1). */
const year = 31_536_000;

/**
 * Sends a file in the coding that the client prefers, or 304 where the client has it (RFC 9110, section 13.2.2).
 *
 * @throws {ServiceError} `precondition_failed` when that is not what `If-Match` names
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
      'This file is not the one that If-Match names. Get it again.',
    );
  setCommonHeaders(response.req, response, headers);
  response.type(extname(name)).set({
    ETag: etag,
    'Cache-Control': isHashed ? `public, max-age=${year}, immutable` : 'no-cache',
  });
  if (codings.length > 0) response.vary('Accept-Encoding');
  if (failed !== undefined) response.status(304);
  else if (compressed.has(coding)) response.set('Content-Encoding', coding);
  // Answers HEAD, too, and sends no content with 304. All replies share one buffer.
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
