/** Runs a query and does something around it, such as a retry or a check. */
export type RunQuery = <Result>(query: () => Promise<Result>) => Promise<Result>;

/** Makes one runner of several: the first is the outermost, and the last runs the query itself. */
export function nestRunners(...runners: readonly RunQuery[]): RunQuery {
  return function runNested<Result>(query: () => Promise<Result>) {
    return runners.reduceRight<() => Promise<Result>>((inner, run) => () => run(inner), query)();
  };
}
