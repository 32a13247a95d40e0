/** Where a measurement writes. */
export interface Environment {
  /** For databases and logs while it runs; removed afterwards. */
  readonly folder: string;
  /** Writes the result to standard output. */
  print(text: string): void;
  /** Logs progress to standard error. */
  log(text: string): void;
}
