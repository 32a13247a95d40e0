import { routes } from './routes.js';

/** Returns the operations that a path serves, in the order of the routes. Paths are compared exactly. */
export const matchPath = createPathMatcher(routes);

/** Returns the methods for a path's `Allow` header. A path that supports GET also supports HEAD (RFC 9110, section 9.3.2). */
export function allowedMethods(operations: readonly Pick<MatchableRoute, 'method'>[]): string[] {
  return [...new Set(operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

/**
 * Parses a query string that does not include the question mark (URL standard, application/x-www-form-urlencoded). The values of a repeated
 * parameter become a list. A value that is not percent-encoded UTF-8 becomes `null`. A name that is not percent-encoded UTF-8 stays as sent.
 *
 * @param query the query string, or `null` if the URL has none
 */
export function parseQuery(query: string | null): Record<string, Parameter | Parameter[]> {
  const parameters: Record<string, Parameter | Parameter[]> = Object.create(null);
  for (const pair of query?.split('&') ?? []) {
    const nameEnd = pair.includes('=') ? pair.indexOf('=') : pair.length;
    if (pair === '') continue;
    const name = decodeParameter(pair.slice(0, nameEnd)) ?? pair.slice(0, nameEnd);
    const value = decodeParameter(pair.slice(nameEnd + 1));
    const previous = parameters[name];
    if (previous === undefined) parameters[name] = value;
    else if (Array.isArray(previous)) previous.push(value);
    else parameters[name] = [previous, value];
  }
  return parameters;
}

type Parameter = string | null;

function decodeParameter(text: string): Parameter {
  if (!/^[\x20-\x7e]*$/.test(text)) return null;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

export interface MatchedOperation<Name extends string> {
  readonly name: Name;
  readonly method: string;
  /** The path parameters, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
}

export interface MatchableRoute {
  readonly method: string;
  readonly path: string;
}

/** Creates a function that returns the routes whose path matches. Each `:name` in a route matches one nonempty segment. */
export function createPathMatcher<Name extends string>(
  table: Readonly<Record<Name, MatchableRoute>>,
): (path: string) => MatchedOperation<Name>[] {
  const patterns = (Object.keys(table) as Name[]).map((name) => {
    const source = table[name].path.replace(/\./g, '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)');
    return { name, method: table[name].method, pattern: new RegExp(`^${source}$`) };
  });
  return (path) =>
    patterns.flatMap(({ name, method, pattern }) => {
      const match = pattern.exec(path);
      return match === null ? [] : [{ name, method, params: { ...match.groups } }];
    });
}
