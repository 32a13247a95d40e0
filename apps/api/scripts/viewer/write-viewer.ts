import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { documentName, openApiName, readClient } from '../../src/http/routes/built-files.js';
import { hashedFolder, hashOf } from '../../src/http/served-files.js';
import { writeServedFiles } from '../write-served-files.js';
import { type OpenApi, renderDocument } from './render-document.js';

const { resolve } = createRequire(import.meta.url);
const sources = fileURLToPath(new URL('../../viewer', import.meta.url));

/**
 * Writes the OpenAPI document in the form that the service reads, and the page that shows it: Swagger UI, the scripts and styles in
 * `viewer/`, and the HTML that loads them.
 *
 * @param target the folder to write, which must not exist
 * @param client the folder of the packed client, whose name and integrity the page shows
 */
export async function writeViewer(target: string, client: string): Promise<void> {
  const [script, style] = await bundleOwn();
  const files = {
    swaggerUiStyle: hashed('swagger-ui.css', readFileSync(resolve('swagger-ui-dist/swagger-ui.css'))),
    swaggerUiScript: hashed(
      'swagger-ui-bundle.js',
      readFileSync(resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    ),
    style: hashed('viewer.css', style),
    script: hashed('viewer.js', script),
  };
  const names = {
    swaggerUiStyle: files.swaggerUiStyle[0],
    swaggerUiScript: files.swaggerUiScript[0],
    style: files.style[0],
    script: files.script[0],
  };
  const openApi = readFileSync(resolve('@plant-store/contract/openapi.json'));
  const shown: OpenApi = JSON.parse(openApi.toString());
  const { file, sha512 } = readClient(client);
  const flags = [true, false];
  const documents = flags.flatMap((hasPage) =>
    flags.map((hasClient) => {
      const text = renderDocument(shown, names, {
        hasPage,
        client: hasClient ? { name: file.name, integrity: `sha512-${sha512}` } : undefined,
      });
      return [documentName({ hasPage, hasClient }), Buffer.from(text)] as const;
    }),
  );
  writeServedFiles(target, [...Object.values(files), ...documents, [openApiName, openApi]]);
}

/** Bundles the script and the style sheet of `viewer/`. */
async function bundleOwn(): Promise<readonly [script: Buffer, style: Buffer]> {
  const { outputFiles } = await build({
    absWorkingDir: sources,
    entryPoints: ['main.ts', 'viewer.css'],
    outdir: 'unwritten',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    // The same as in apps/web/vite.config.ts.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'warning',
  });
  const find = (extension: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(extension));
    if (file === undefined) throw new Error(`esbuild has written no ${extension}`);
    return Buffer.from(file.contents);
  };
  return [find('.js'), find('.css')];
}

/** Puts a hash of the content into the name of a file. */
function hashed(name: string, content: Buffer): readonly [name: string, content: Buffer] {
  const extension = extname(name);
  const stem = name.slice(0, -extension.length);
  return [`${hashedFolder}${stem}-${hashOf(content).slice(0, 8)}${extension}`, content];
}
