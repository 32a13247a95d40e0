/** An operation that is served under a path. */
export interface MatchedOperation<Name extends string> {
  readonly name: Name;
  readonly method: string;
  /** The parameters in the path, as they were sent: still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** What a route has that its path can be matched by. */
export interface MatchableRoute {
  readonly method: string;
  readonly path: string;
}

/** Compiles the paths of some routes; each `:name` in them stands for one segment, which is not empty. */
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
