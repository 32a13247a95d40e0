import { escapeText } from '../../src/http/error-page.js';

/** The names of the files that the page loads. */
export interface ViewerFiles {
  readonly swaggerUiStyle: string;
  readonly swaggerUiScript: string;
  readonly style: string;
  readonly script: string;
}

/** The part of the OpenAPI document that the page shows before Swagger UI has started. */
export interface OpenApi {
  readonly info: {
    readonly title: string;
    readonly description: string;
    readonly version: string;
    readonly license: { readonly name: string };
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The packed client. */
export interface Client {
  readonly name: string;
  readonly integrity: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
}

/**
 * Renders the page of the viewer. It lists the operations, so that a slow phone shows them long before Swagger UI starts and replaces
 * the list (`viewer/main.ts`).
 *
 * @param hasPage whether the service serves the web app, which the page then links to
 * @param client the packed client, if the service serves it
 */
export function renderDocument(
  { info, paths }: OpenApi,
  files: ViewerFiles,
  { hasPage, client }: { readonly hasPage: boolean; readonly client: Client | undefined },
): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => renderOperation(path, method, operation)),
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeText(info.title)}: the API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/${files.style}">
    <link rel="stylesheet" href="docs/${files.swaggerUiStyle}">
    <script defer src="docs/${files.swaggerUiScript}"></script>
    <script defer src="docs/${files.script}"></script>
  </head>
  <body>
    <header class="head">
      ${hasPage ? '<nav><a href="./">Add plants without a program</a></nav>\n      ' : ''}<h1>${escapeText(info.title)}</h1>
      <p>${escapeText(info.description)}</p>
      <p>Version ${escapeText(info.version)}, license ${escapeText(info.license.name)}, <a href="openapi.json">openapi.json</a></p>
      ${client === undefined ? '' : renderClient(client)}
    </header>
    <main id="overview">
      <h2>Operations</h2>
      <ul>
        ${operations.join('\n        ')}
      </ul>
      <p role="status">Loading the details…</p>
      <noscript><p>The details need JavaScript. All of them are in openapi.json.</p></noscript>
    </main>
    <div id="viewer"></div>
  </body>
</html>
`;
}

function renderClient({ name, integrity }: Client): string {
  const link = `<a href="client.tgz">${escapeText(name)}</a>`;
  return `<p>The client for TypeScript: download ${link} and <code>npm install ./${escapeText(name)}</code>, integrity <code>${integrity}</code></p>`;
}

/** Once Swagger UI has started, the link opens the operation in it. */
function renderOperation(path: string, method: string, { tags, operationId, summary }: Operation): string {
  const name = `<b>${method.toUpperCase()}</b> <code>${escapeText(path)}</code>`;
  return `<li><a href="#/${tags[0]}/${operationId}">${name} ${escapeText(summary)}</a></li>`;
}
