import { routes } from './routes.js';

/** Returns the operations that are served under a path, in the order of the routes. Compares paths exactly. */
export const matchPath = createPathMatcher(routes);

/** Returns the methods to name in `Allow`, for the operations of one path. A path with GET also has HEAD (RFC 9110, section 9.3.2). */
export function allowedMethods(operations: readonly Pick<MatchableRoute, 'method'>[]): string[] {
  return [...new Set(operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

/**
 * Parses a query without its question mark (URL standard, application/x-www-form-urlencoded). A parameter that is sent more than once is a
 * list. A value that is not percent-encoded UTF-8 is `null`, and such a name is kept as sent. `null` is no query.
 */
export function parseQuery(query: string | null): Record<string, Parameter | Parameter[]> {
  const parameters: Record<string, Parameter | Parameter[]> = Object.create(null);
  for (const pair of query?.split('&') ?? []) {
    const nameEnd = pair.includes('=') ? pair.indexOf('=') : pair.length;
    if (pair === '') continue;
    const name = decodeParameter(pair.slice(0, nameEnd)) ?? pair.slice(0, nameEnd);
    const value = decodeParameter(pair.slice(nameEnd + 1));
    const earlier = parameters[name];
    if (earlier === undefined) parameters[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else parameters[name] = [earlier, value];
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
  /** The parameters in the path, as sent: percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
}

export interface MatchableRoute {
  readonly method: string;
  readonly path: string;
}

/** Compiles the paths of routes. Each `:name` matches one nonempty segment. */
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
