import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** How many header lines a request may have. */
export const headerLinesLimit = 2_000;

/**
 * Rejects requests of another version than HTTP/1.1 and 1.0, for which Node.js's parser also takes HTTP/0.9 and 2.0; with a
 * transfer coding other than chunked, which nobody would decode (RFC 9112, section 6.1); with more header lines than the limit, and those with two Host headers, or of HTTP/1.1 without one (RFC
 * 9112, section 3.2), to which Node.js would send a reply without a body.
 *
 * `server.maxHeadersCount` must be larger than the limit: beyond it, current releases of Node.js reject a request, but
 * earlier ones drop the rest of its headers, a second Host included.
 */
export const checkHeaders: RequestHandler = (request, response, next) => {
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') {
    // Whatever follows is of an unknown protocol, too.
    response.setHeader('Connection', 'close');
    throw new ServiceError('bad_request', 'The request is not of HTTP/1.1 or HTTP/1.0.');
  }
  // Names and values alternate.
  if (request.rawHeaders.length > 2 * headerLinesLimit) {
    throw new ServiceError(
      'bad_request',
      `The request is not valid HTTP: it has more than ${headerLinesLimit} header lines.`,
    );
  }
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw new ServiceError('bad_request', 'The request must have one Host header, as HTTP/1.1 requires.');
  }
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new ServiceError('bad_request', 'The request has a transfer coding other than chunked.');
  }
  next();
};

/** Counts the Host headers; names are at the even indexes. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++;
  }
  return count;
}

/** A request whose target may have been found invalid before the app gets it. */
interface TargetedRequest extends IncomingMessage {
  invalidTarget?: boolean | undefined;
}

/**
 * Replaces a request's target (RFC 9112, section 3.2) by its path and query, and marks the request when the service does
 * not accept its target. Runs before Express, which cannot reply to a target that it cannot parse, and whose parser prints
 * some to standard error, with any token in them.
 */
export function normalizeTarget(request: TargetedRequest): void {
  const { url: target = '' } = request;
  if (target.startsWith('/') && !target.includes('#')) return;
  const { path, isValid } = parseTarget(target);
  request.url = path;
  request.invalidTarget = !isValid;
}

/** Rejects a request whose target `normalizeTarget` found invalid. */
export const requireValidTarget: RequestHandler = (request, _response, next) => {
  if (request.invalidTarget) {
    throw new ServiceError(
      'bad_request',
      'The target of the request is not valid. Send a path such as /plants, or an absolute http or https URL.',
    );
  }
  next();
};

/** Returns the path and the query of a target, exactly as they were sent, without the fragment, scheme and authority. */
function parseTarget(target: string): { path: string; isValid: boolean } {
  if (target.startsWith('/')) return { path: beforeFragment(target), isValid: true };
  // The server as a whole (RFC 9112, section 3.2.4), for which there is no route.
  if (target === '*') return { path: '/*', isValid: true };
  const [, scheme, authority = '', rest = ''] = /^([a-z]+):\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const pathAndQuery = beforeFragment(rest);
  return {
    path: pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`,
    isValid: /^https?$/i.test(scheme ?? '') && isAuthority(authority),
  };
}

function beforeFragment(target: string): string {
  return target.replace(/#.*$/s, '');
}

/** Whether a text is a host with or without a port; user information is an error (RFC 9110, section 4.2.4). */
function isAuthority(text: string): boolean {
  return !text.includes('@') && URL.canParse(`http://${text}/`);
}
