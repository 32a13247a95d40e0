import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

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
