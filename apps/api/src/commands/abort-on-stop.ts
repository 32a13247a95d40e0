import { OperatorError } from '../operator-error.js';
import type { Terminal } from './terminal.js';

/** A signal that is aborted once the process is asked to stop; the reason is an `OperatorError` that says by what. */
export function abortOnStop(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  void terminal.stopSignal().then((name) => controller.abort(new OperatorError(`Stopped by ${name}.`)));
  return controller.signal;
}
