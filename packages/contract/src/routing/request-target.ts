import { routes } from '../routes.js';
import { createPathMatcher, type MatchableRoute } from './path-matcher.js';

export type { MatchedOperation } from './path-matcher.js';

/** The operations that are served under a path, in the order of the routes. Paths are compared exactly. */
export const matchPath = createPathMatcher(routes);

/**
 * The methods to name in `Allow`, for the operations of one path. What has GET has HEAD too (RFC 9110, section 9.3.2).
 */
export function allowedMethods(operations: readonly Pick<MatchableRoute, 'method'>[]): string[] {
  return [...new Set(operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

/**
 * The parameters of a query (URL standard, application/x-www-form-urlencoded), without its question mark; a list where
 * one is sent more than once.
 */
export function parseQuery(query: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = parameters[name];
    if (earlier === undefined) parameters[name] = value;
    else if (typeof earlier === 'string') parameters[name] = [earlier, value];
    else earlier.push(value);
  }
  return parameters;
}
