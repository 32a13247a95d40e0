import { hash } from 'node:crypto';
import { matchPath } from '@plant-store/contract/request-target';
import type { ServiceError } from '@plant-store/records';
import type { Request, Response } from 'express';
import { policyOf, securityHeaders, setCommonHeaders } from './security-headers.js';

/** The page's colors and fonts (`apps/web/src/styles/tokens.css`). */
const style = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 2.5rem 1.5rem; background: light-dark(#f6f7f4, #0f1310); color: light-dark(#18211a, #e9eee7);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
main { max-width: 40rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; }
a { color: light-dark(#17663c, #86d8a4); }
.reply { color: light-dark(#5b6658, #a1ac9d); font-size: 0.875rem; }
`;

const headers = {
  ...securityHeaders,
  'content-security-policy': policyOf(`style-src 'sha256-${hash('sha256', style, 'base64')}'`),
};

/** Whether a browser could have sent the request to show the reply. A client that sends a token is a program. */
export function canNavigate({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.authorization === undefined;
}

/**
 * Whether a browser sent the request to show the reply to a person. Some programs also prefer HTML, such as those that use Java's
 * `HttpURLConnection`, but only browsers accept XHTML. Browsers send `Sec-Fetch-Mode` only over HTTPS and to loopback addresses.
 */
export function isNavigation(request: Request): boolean {
  const { accept = '', 'sec-fetch-mode': mode = 'navigate' } = request.headers;
  return (
    canNavigate(request) &&
    mode === 'navigate' &&
    accept.includes('application/xhtml+xml') &&
    request.accepts(['json', 'html']) === 'html'
  );
}

/** Sends an error as a small HTML document that links to the page, or to the API documentation if the page is off. */
export function sendErrorPage(request: Request, response: Response, error: ServiceError, hasPage: boolean) {
  setCommonHeaders(request, response, headers);
  response
    .set(error.headers)
    .status(error.status)
    .type('html')
    .send(renderErrorPage(request.path, error, hasPage));
}

function renderErrorPage(path: string, error: ServiceError, hasPage: boolean): string {
  const [title, advice] = describe(path, error);
  // Relative, because a proxy can serve the service under a prefix that the service does not know.
  const root = '../'.repeat(Math.max(0, path.split('/').length - 2)) || './';
  const link = hasPage
    ? `<a href="${root}">Open the plant store</a>`
    : `<a href="${root}docs">Read about the API</a>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}: Plant Store</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${advice}</p>
      <p>${link}</p>
      <p class="reply" translate="no">${error.status}: ${escapeText(error.message)}</p>
    </main>
  </body>
</html>
`;
}

function describe(path: string, { status }: ServiceError): [title: string, advice: string] {
  if (status === 429 || status >= 500)
    return ['The plant store cannot reply right now', 'Wait a moment, and reload this page.'];
  if (matchPath(path).length > 0)
    return [
      'This address is for programs',
      'It belongs to the API. Every API request requires an access token.',
    ];
  return ['There is no page at this address', 'The address may be mistyped, or the link may be out of date.'];
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
