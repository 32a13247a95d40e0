import { OperatorError } from '../../errors/operator-error.js';

/** The error to report when standard output fails. `EPIPE` stays as it is: a reader that has gone away is no error; see `main.ts`. */
export function explainOutputError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  return new OperatorError(`Standard output cannot be written: ${error.message}`, { cause: error });
}
