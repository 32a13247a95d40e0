import type { IncomingMessage } from 'node:http';
import { matchPath } from '@plant-store/contract/request-target';
import { resources } from '@plant-store/contract/resources';
import { ServiceError } from '@plant-store/records';
import type { Request, RequestHandler, Response } from 'express';

/** How many header lines a request can have. */
export const headerLinesLimit = 2_000;

/**
 * Rejects heads that Node.js's parser accepts, but RFC 9112 does not: a version other than HTTP/1.1 and 1.0 (section 2.3); a transfer
 * coding other than chunked, which would not be decoded, or any transfer coding in HTTP/1.0 (section 6.1); two Host headers, an invalid
 * Host, or no Host in HTTP/1.1 (section 3.2), to which Node.js would reply without a body. Also rejects more header lines than the limit.
 *
 * `server.maxHeadersCount` must be larger than the limit. Beyond that count, current releases of Node.js reject the request, but earlier
 * ones drop the other headers, including a second Host.
 */
export const checkHeaders: RequestHandler = (request, response, next) => {
  const { httpVersion, rawHeaders, headers } = request;
  const coding = headers['transfer-encoding'];
  if (httpVersion !== '1.1') checkOtherVersion(request, response);
  // Names and values alternate.
  if (rawHeaders.length > 2 * headerLinesLimit) {
    throw new ServiceError(
      'bad_request',
      `The request is not valid HTTP: it has more than ${headerLinesLimit} header lines.`,
    );
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts++;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw new ServiceError('bad_request', 'The request must have one Host header, as HTTP/1.1 requires.');
  }
  if (!hostPattern.test(headers.host ?? '')) {
    throw new ServiceError(
      'bad_request',
      'The Host header is not valid: it must be a name or an address, with or without a port.',
    );
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // The end of the body can be unknown (section 6.3).
    rejectAndClose(response, 'The request uses a transfer coding other than chunked.');
  }
  next();
};

/** Rejects versions other than HTTP/1.1 and HTTP/1.0, and transfer codings in HTTP/1.0, which does not have them. */
function checkOtherVersion({ httpVersion, headers }: Request, response: Response): void {
  // What follows on the connection is in an unknown protocol.
  if (httpVersion !== '1.0') rejectAndClose(response, 'The request does not use HTTP/1.1 or HTTP/1.0.');
  if (headers['transfer-encoding'] !== undefined)
    rejectAndClose(response, 'HTTP/1.0 does not support transfer codings. Send a Content-Length.');
  // Node.js ignores `close` if `keep-alive` is also present (section 9.3).
  if (/(^|,)[ \t]*close[ \t]*(,|$)/i.test(headers.connection ?? ''))
    response.setHeader('Connection', 'close');
}

/** @throws {ServiceError} `bad_request`, after which the connection is closed */
function rejectAndClose(response: Response, message: string): never {
  response.setHeader('Connection', 'close');
  throw new ServiceError('bad_request', message);
}

/** A host with or without a port, or nothing (RFC 9110, section 7.2, and RFC 3986, section 3.2.2). */
const hostPattern =
  /^(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~:!$&'()*+,;=-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Replaces a request's target (RFC 9112, section 3.2) with its path and query, and marks the request if the service does not accept the
 * target. Runs before Express, because Express cannot reply to a target that it cannot parse, and its parser prints some targets to
 * standard error, including any token in them.
 */
export function normalizeTarget(request: IncomingMessage & Pick<Request, 'invalidTarget'>): void {
  const { url: target = '' } = request;
  if (target.startsWith('/') && !target.includes('#')) return;
  const { path, isValid } = parseTarget(target);
  request.url = path;
  request.invalidTarget = !isValid;
}

/** The paths of all resources, for the suggestion in a message. */
const paths = Object.values(resources)
  .map(({ plural }) => `/${plural}`)
  .join(' or ');

/** Rejects a request whose target `normalizeTarget` found invalid. */
export const requireValidTarget: RequestHandler = (request, _response, next) => {
  if (request.invalidTarget) {
    throw new ServiceError(
      'bad_request',
      `The request target is not valid. Send a path such as ${paths}, or an absolute http or https URL.`,
    );
  }
  next();
};

/** Keeps path parameters exactly as sent. A value has only one valid spelling, but Express would decode other spellings to it. */
export const keepPathParameters: RequestHandler = (request, _response, next) => {
  if (request.path.includes('%')) request.params = { ...matchPath(request.path)[0]?.params };
  next();
};

/**
 * Returns a target's path and query exactly as sent, without scheme and authority. A target with a fragment is invalid, because removing
 * the fragment could bypass a proxy's rules (RFC 9112, section 3.2).
 */
function parseTarget(target: string): { path: string; isValid: boolean } {
  if (target.startsWith('/')) return { path: beforeFragment(target), isValid: !target.includes('#') };
  // The asterisk form means the server as a whole (RFC 9112, section 3.2.4). There is no route for it.
  if (target === '*') return { path: '/*', isValid: true };
  const [, scheme, authority = '', rest = ''] = /^([a-z]+):\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const pathAndQuery = beforeFragment(rest);
  // User information is an error (RFC 9110, section 4.2.4).
  const isHost = !authority.includes('@') && URL.canParse(`http://${authority}/`);
  return {
    path: pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`,
    isValid: /^https?$/i.test(scheme ?? '') && isHost && pathAndQuery === rest,
  };
}

function beforeFragment(target: string): string {
  return target.replace(/#.*$/s, '');
}
