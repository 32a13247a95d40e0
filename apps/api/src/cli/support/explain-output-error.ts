import { OperatorError } from '../../errors/operator-error.js';

/** What to tell of a fault of standard output: nothing new of a reader that has gone away; see `main.ts`. */
export function explainOutputError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  return new OperatorError(`Standard output cannot be written: ${error.message}`, { cause: error });
}
