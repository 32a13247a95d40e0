/** An error that the operator can fix. Only its message is printed, which says what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** The exit status of the command: 2 for an error in the configuration or the arguments, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { readonly exitCode?: 1 | 2; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}
