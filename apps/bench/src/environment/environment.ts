/** What a measurement has of the world outside. */
export interface Environment {
  /** Where databases and logs go while it runs; removed afterwards. */
  readonly folder: string;
  /** Writes the result to standard output. */
  print(text: string): void;
  /** Tells a person on standard error how far it is. */
  remark(text: string): void;
}
