import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Request, RequestHandler } from 'express';
import type { SignIn } from '../../auth/jwt-settings.js';
import { messageOf, OperatorError } from '../../errors/operator-error.js';
import { packageFolder } from '../../package-folder.js';
import { escapeText } from '../error-page.js';
import { documentHeaders, pageHeaders, securityHeaders } from '../security-headers.js';
import {
  hashedFilesRoute,
  hashedFolder,
  listName,
  readServedFiles,
  type ServedFile,
  serveFiles,
  withContent,
} from '../served-files.js';

export interface Page {
  /** The page's files by URL path, such as `/` and `/assets/index-3f2a9c1b.js`. */
  readonly files: ReadonlyMap<string, ServedFile>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the built page into memory, and checks that no file is missing or changed.
 *
 * @param signIn how people sign in; written into the HTML document
 * @throws {OperatorError} when a file is missing or changed
 */
export function readPage(folder: string, signIn?: SignIn): Page {
  return readOrExplain('page', folder, () => {
    const files = readServedFiles(folder);
    const built = files.find(({ name }) => name === 'index.html');
    if (built === undefined) throw new Error(`${listName} does not list index.html`);
    const document = signIn === undefined ? built : withSignIn(built, signIn);
    // The document refers to its files by relative URLs, because a proxy can serve it under a prefix that the service does not know.
    const recordDocument = withContent(
      document,
      document.plain.content.toString().replaceAll('="./', '="../'),
    );
    const served = files.map((file) => [toPagePath(file.name), file] as const);
    return {
      files: new Map([...served, ['/', document], [recordPath, recordDocument]]),
      headers: pageHeaders(
        ...(signIn === undefined ? [] : [new URL(signIn.issuer).origin, ...(signIn.origins ?? [])]),
      ),
    };
  });
}

function withSignIn(document: ServedFile, { origins: _, ...signIn }: SignIn): ServedFile {
  const content = escapeText(JSON.stringify(signIn));
  const html = document.plain.content.toString();
  return withContent(
    document,
    html.replace('</head>', () => `  <meta name="sign-in" content="${content}">\n  </head>`),
  );
}

/** Reads built files. Adds advice for the operator to an error. */
function readOrExplain<Result>(
  what: 'page' | 'client' | 'viewer',
  folder: string,
  read: () => Result,
): Result {
  try {
    return read();
  } catch (error) {
    const orWithout =
      what === 'viewer' ? '' : `, or set ${what.toUpperCase()}=off to serve the API without the ${what}`;
    throw new OperatorError(
      `The ${what} in ${folder} cannot be served: ${messageOf(error)}\nBuild or install this program again${orWithout}.`,
      { cause: error },
    );
  }
}

/** The paths of the page's views other than `/`. The page routes them itself (`apps/web/src/route.ts`). */
const viewPath = /^\/(?:add|import)$/;
const recordPath = '/p/:id';
const recordViewPath = /^\/p\/-?\d{1,19}$/;

export function page({ files, headers }: Page): RequestHandler {
  return serveFiles({
    headers,
    find: (path) => files.get(viewPath.test(path) ? '/' : recordViewPath.test(path) ? recordPath : path),
    routeOf: ({ name, isHashed }) => (isHashed ? hashedFilesRoute : toPagePath(name)),
  });
}

/** Returns the URL path of a page file. The document is at the root. */
function toPagePath(name: string): string {
  return name === 'index.html' ? '/' : `/${name}`;
}

/** The packed client that was built with the service. Its file name contains its version. */
export interface ClientPackage {
  readonly file: ServedFile;
  /** The tarball's SHA-512 in base64, which package managers record as integrity after `sha512-`. */
  readonly sha512: string;
}

/** Reads the packed client into memory. @throws {OperatorError} when the file is missing or changed */
export function readClient(folder: string): ClientPackage {
  return readOrExplain('client', folder, () => {
    const file = readServedFiles(folder).find(({ name }) => name.endsWith('.tgz'));
    if (file === undefined) throw new Error('it has no tarball');
    return { file, sha512: hash('sha512', file.plain.content, 'base64') };
  });
}

const clientPath = '/client.tgz';

/**
 * Serves the packed client that matches this service, without a token. The suggested file name contains its version (RFC 6266), so that
 * package managers notice an upgrade. `Repr-Digest` contains its SHA-512 (RFC 9530, section 3).
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

export interface Shown {
  readonly hasPage: boolean;
  readonly hasClient: boolean;
}

/** Serves the OpenAPI document, and a viewer that shows it. Neither requires a token. */
export function docs(shown: Shown): RequestHandler {
  const document = documentName(shown);
  const addServer = createServerWriter();
  const folder = fileURLToPath(new URL('dist/docs', packageFolder));
  let files: ReadonlyMap<string, ServedFile> | undefined;
  return serveFiles({
    headers: documentHeaders,
    find(path, request) {
      if (!viewerPaths.test(path)) return undefined;
      // Reads the files at the first request and caches them, so that all replies share the buffers.
      files ??= new Map(
        readOrExplain('viewer', folder, () => readServedFiles(folder))
          .filter(({ name, isHashed }) => isHashed || [openApiName, document].includes(name))
          .map((file) => [toViewerPath(file), file]),
      );
      const file = files.get(path);
      return file?.name === openApiName ? addServer(file, request) : file;
    },
    routeOf: (file) => (file.isHashed ? `${viewerPath}/${hashedFolder}*` : toViewerPath(file)),
  });
}

/** The name of the OpenAPI document, which is served at the root. */
export const openApiName = 'openapi.json';

/** How many OpenAPI documents are cached: a service has few addresses. */
const maxServers = 8;

/**
 * Returns a function that writes the address of a request into the OpenAPI document as the server URL, because many tools cannot use a
 * relative URL.
 */
function createServerWriter(): (document: ServedFile, request: Request) => ServedFile {
  const written = new Map<string, ServedFile>();
  return (document, request) => {
    const server = readServer(request);
    if (server === undefined) return document;
    const cached = written.get(server);
    if (cached !== undefined) return cached;
    const text = document.plain.content
      .toString()
      .replace(/("servers": \[\s*\{\s*"url": )"[^"]*"/, (_, start) => start + JSON.stringify(server));
    // A client can send any Host. Beyond the limit, a document is compressed quickly, in less than a millisecond, and not cached.
    const isCached = written.size < maxServers;
    const file = withContent(document, text, isCached ? 4 : 0);
    if (isCached) written.set(server, file);
    return file;
  };
}

/**
 * Returns the service's URL as the caller used it, or `undefined` for a request without a host. Any client can send `X-Forwarded-Proto`
 * and `X-Forwarded-Prefix`, but these only change the scheme and the path. `X-Forwarded-Host` is ignored, because a cache could serve a
 * document with a forged host to others.
 */
function readServer(request: Request): string | undefined {
  request.res?.vary('X-Forwarded-Proto').vary('X-Forwarded-Prefix');
  const { host = '' } = request.headers;
  const scheme = /^https(?:$|[ ,])/i.test(request.get('X-Forwarded-Proto') ?? '') ? 'https' : 'http';
  const [prefix = ''] = /^(?:\/[\w.~-]{1,100}){1,10}$/.exec(request.get('X-Forwarded-Prefix') ?? '') ?? [];
  return URL.parse(`${scheme}://${host}${prefix}`)?.href.replace(/\/$/, '');
}

/** The path of the viewer's HTML document. The viewer's other files are below this path. */
const viewerPath = '/docs';
const viewerPaths = /^\/(?:openapi\.json$|docs(?:$|\/))/;

/** Returns the file name of the viewer's HTML document, in the folder that `scripts/viewer/write-viewer.ts` writes. */
export function documentName({ hasPage, hasClient }: Shown): string {
  return `${hasPage ? 'page' : 'no-page'}-${hasClient ? 'client' : 'no-client'}.html`;
}

function toViewerPath({ name, isHashed }: ServedFile): string {
  if (name === openApiName) return `/${name}`;
  return isHashed ? `${viewerPath}/${name}` : viewerPath;
}
