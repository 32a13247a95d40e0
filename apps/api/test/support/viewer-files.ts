import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the build has written the viewer of the OpenAPI document. */
export const viewerFolder = fileURLToPath(new URL('../../dist/docs/', import.meta.url));

/** The paths of what `/docs` loads, whose names have hashes. */
export const viewerPaths = {
  swaggerUiScript: findPath(/swagger-ui-bundle-[\w-]{8}\.js/),
  swaggerUiStyle: findPath(/swagger-ui-[\w-]{8}\.css/),
  script: findPath(/viewer-[\w-]{8}\.js/),
  style: findPath(/viewer-[\w-]{8}\.css/),
};

function findPath(name: RegExp): string {
  const document = readFileSync(`${viewerFolder}page-client.html`, 'utf8');
  const [path] = new RegExp(`docs/assets/${name.source}`).exec(document) ?? [];
  if (path === undefined) throw new Error(`The document of the viewer loads no ${name}`);
  return `/${path}`;
}
