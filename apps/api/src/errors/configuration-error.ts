import { OperatorError } from './operator-error.js';

/** The error for invalid settings, which all are reported together. */
export class ConfigurationError extends OperatorError {
  /** What is wrong, for each: the name of the variable and the rest of the sentence. */
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    const list = issues.map((issue) => `  ${issue}`).join('\n');
    super(`The configuration is not valid:\n${list}\nFix these environment variables and start again.`, {
      exitCode: 2,
    });
    this.issues = issues;
  }
}
