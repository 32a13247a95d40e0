import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';

/** The security headers of an API: a browser that shows a reply may load, run and frame nothing. */
export const securityHeaders = computeHeaders({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  // Left to the proxy that terminates TLS, which has the names that it serves.
  strictTransportSecurity: false,
  // These are for documents that run scripts, or for browsers of the past.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Helmet sets the headers on a response that is never sent: they are the same for every reply. */
function computeHeaders(options: HelmetOptions): Readonly<Record<string, string>> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet(options)(response.req, response, (error) => {
    if (error !== undefined) throw error;
  });
  const headers = Object.entries(response.getHeaders());
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
}
