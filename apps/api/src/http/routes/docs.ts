import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import { messageOf } from '../../errors/operator-error.js';
import { packageFolder } from '../../package-folder.js';
import { securityHeaders, setCommonHeaders } from '../security-headers.js';
import { hashedFolder, readServedFiles, type ServedFile } from '../served-files.js';
import { methodNotAllowed } from './fallbacks.js';
import { serveFiles } from './serve-files.js';

const { resolve } = createRequire(import.meta.url);

/** What the viewer shows besides the API, if the service serves it: the page on which people keep plants, and the packed client. */
export interface Shown {
  readonly hasPage: boolean;
  readonly hasClient: boolean;
}

/** Serves the OpenAPI document of the API, and a page that shows it; both need no token. */
export function docs(shown: Shown): Router {
  const document = readFileSync(resolve('@plant-store/contract/openapi.json'));
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/openapi.json', (request, response) => {
    setCommonHeaders(request, response, viewerHeaders);
    response.type('application/json').set('Cache-Control', 'no-cache').send(document);
  });
  router.all('/openapi.json', methodNotAllowed(['GET', 'HEAD']));
  router.use(
    serveFiles({
      headers: viewerHeaders,
      find: findViewerFile(documentName(shown)),
      routeOf: ({ isHashed }) => (isHashed ? `${viewerPath}/${hashedFolder}*` : viewerPath),
    }),
  );
  return router;
}

/** The path of the document of the viewer. Its other files are below. */
const viewerPath = '/docs';

/** The name of the document that shows this, in the folder that `scripts/viewer/write-viewer.ts` writes. */
export function documentName({ hasPage, hasClient }: Shown): string {
  return `${hasPage ? 'page' : 'no-page'}-${hasClient ? 'client' : 'no-client'}.html`;
}

/**
 * Reads the viewer when it is first asked for, and keeps it: all replies share its buffers.
 *
 * @returns what finds a file of it by its path
 */
function findViewerFile(document: string): (path: string) => ServedFile | undefined {
  let files: ReadonlyMap<string, ServedFile> | undefined;
  return (path) => {
    if (path !== viewerPath && !path.startsWith(`${viewerPath}/`)) return undefined;
    files ??= new Map(
      readViewer()
        .filter(({ name, isHashed }) => isHashed || name === document)
        .map((file) => [file.isHashed ? `${viewerPath}/${file.name}` : viewerPath, file]),
    );
    return files.get(path);
  };
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
