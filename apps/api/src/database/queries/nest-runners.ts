/** Runs a query, with a retry, a check or the like around it. */
export type RunQuery = <Result>(query: () => Promise<Result>) => Promise<Result>;

/** Composes runners into one: the first is the outermost, and the last runs the query itself. */
export function nestRunners(...runners: readonly RunQuery[]): RunQuery {
  return function runNested<Result>(query: () => Promise<Result>) {
    return runners.reduceRight<() => Promise<Result>>((inner, run) => () => run(inner), query)();
  };
}
