/** An error that the operator can fix. Only its message is printed, so the message must say what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** The exit status of the command: 2 for an error in the configuration or the arguments, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { readonly exitCode?: 1 | 2; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The error for invalid settings. Reports all of them together. */
export class ConfigurationError extends OperatorError {
  /** One sentence per issue, which begins with the variable's name. */
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    const list = issues.map((issue) => `  ${issue}`).join('\n');
    super(`The configuration is not valid:\n${list}\nFix these environment variables and start again.`, {
      exitCode: 2,
    });
    this.issues = issues;
  }
}

/** Returns the code of a Node.js error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
