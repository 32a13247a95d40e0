import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import { messageOf } from '../../errors/operator-error.js';
import { packageFolder } from '../../package-folder.js';
import { securityHeaders } from '../security-headers.js';
import { hashedFolder, readServedFiles, type ServedFile, serveFiles } from '../served-files.js';

/** What the viewer shows besides the API, if the service serves it: the page on which people keep plants, and the packed client. */
export interface Shown {
  readonly hasPage: boolean;
  readonly hasClient: boolean;
}

/** Serves the OpenAPI document of the API, and a page that shows it; both need no token. */
export function docs(shown: Shown): RequestHandler {
  return serveFiles({
    headers: viewerHeaders,
    find: findFile(documentName(shown)),
    routeOf: (file) => (file.isHashed ? `${viewerPath}/${hashedFolder}*` : toPath(file)),
  });
}

/** The name of the OpenAPI document, which is served at the root. */
export const openApiName = 'openapi.json';

/** The path of the document of the viewer. Its other files are below. */
const viewerPath = '/docs';

/** The name of the document that shows this, in the folder that `scripts/viewer/write-viewer.ts` writes. */
export function documentName({ hasPage, hasClient }: Shown): string {
  return `${hasPage ? 'page' : 'no-page'}-${hasClient ? 'client' : 'no-client'}.html`;
}

/**
 * Reads the files when one is first asked for, and keeps them: all replies share their buffers.
 *
 * @returns what finds one by its path
 */
function findFile(document: string): (path: string) => ServedFile | undefined {
  let files: ReadonlyMap<string, ServedFile> | undefined;
  return (path) => {
    if (path !== `/${openApiName}` && path !== viewerPath && !path.startsWith(`${viewerPath}/`))
      return undefined;
    files ??= new Map(
      readViewer()
        .filter(({ name, isHashed }) => isHashed || [openApiName, document].includes(name))
        .map((file) => [toPath(file), file]),
    );
    return files.get(path);
  };
}

function toPath({ name, isHashed }: ServedFile): string {
  if (name === openApiName) return `/${name}`;
  return isHashed ? `${viewerPath}/${name}` : viewerPath;
}

function readViewer(): readonly ServedFile[] {
  const folder = fileURLToPath(new URL('dist/docs', packageFolder));
  try {
    return readServedFiles(folder);
  } catch (error) {
    throw new Error(
      `The viewer in ${folder} cannot be served: ${messageOf(error)}\nBuild or install this program again.`,
      { cause: error },
    );
  }
}

/** The headers of every reply, but for what a page may load: its own script and style. */
const viewerHeaders = {
  ...securityHeaders,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};
