import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type RequestHandler, Router } from 'express';
import { securityHeaders, setCommonHeaders } from '../security-headers.js';
import { methodNotAllowed } from './fallbacks.js';

const { resolve } = createRequire(import.meta.url);

/**
 * Serves the OpenAPI document of the API, and a page that shows it; both need no token.
 *
 * @param hasPage whether the page on which people add plants is there to be linked
 */
export function docs({ hasPage }: { readonly hasPage: boolean }): Router {
  const document = readFileSync(resolve('@plant-store/contract/openapi.json'));
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/openapi.json', withViewerHeaders, (_request, response) => {
    response.type('application/json').send(document);
  });
  router.get('/docs', withViewerHeaders, (_request, response) => {
    response.type('html').send(renderViewer(hasPage ? linkToPage : ''));
  });
  router.get('/docs/start.js', withViewerHeaders, (_request, response) => {
    response.type('text/javascript').send(startViewer);
  });
  for (const name of viewerFiles) {
    const file = keepInMemory(resolve(`swagger-ui-dist/${name}`));
    router.get(`/docs/${name}`, withViewerHeaders, (_request, response) => {
      const { content, lastModified } = file();
      response
        .type(name)
        .set({ 'Cache-Control': 'public, max-age=86400', 'Last-Modified': lastModified })
        .send(content);
    });
  }
  router.all(
    ['/openapi.json', '/docs', '/docs/start.js', ...viewerFiles.map((name) => `/docs/${name}`)],
    methodNotAllowed(['GET', 'HEAD']),
  );
  return router;
}

/** The files of the viewer's package that the page loads. */
const viewerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * A file that is read at its first use, and then kept: many replies share one buffer, and none holds a descriptor while
 * its client does not read.
 */
function keepInMemory(path: string): () => { readonly content: Buffer; readonly lastModified: string } {
  let kept: { readonly content: Buffer; readonly lastModified: string } | undefined;
  return () => {
    kept ??= { content: readFileSync(path), lastModified: statSync(path).mtime.toUTCString() };
    return kept;
  };
}

/** The headers of every reply, but for what a page may load: its own script and style. */
const viewerHeaders = {
  ...securityHeaders,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
};

const withViewerHeaders: RequestHandler = (request, response, next) => {
  setCommonHeaders(request, response, viewerHeaders);
  next();
};

const linkToPage = '<p class="page"><a href="/">Add plants without a program</a></p>\n    ';

const renderViewer = (link: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Plant Store</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <style>
      .page { margin: 1rem auto -1rem; max-width: 1460px; padding: 0 20px; font: 1rem/1.5 sans-serif; }
      /* The viewer's table of replies is wider than a phone, where each part gets a line of its own. No reply has links. */
      @media (max-width: 640px) {
        .responses-table > thead, .responses-table .response > .response-col_links { display: none; }
        .responses-table .response, .responses-table .response > td { display: block; width: auto; padding-left: 0; }
        .responses-table .headers-wrapper { overflow-x: auto; }
      }
    </style>
  </head>
  <body>
    ${link}<main id="viewer"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const startViewer = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#viewer', deepLinking: true });
`;
