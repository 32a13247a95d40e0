import { OperatorError } from '../../errors/operator-error.js';
import type { CliContext } from './cli-context.js';

/** A signal that is aborted once the process is asked to stop; the reason is an `OperatorError` that says by what. */
export function abortOnSignal(context: CliContext): AbortSignal {
  const controller = new AbortController();
  void context.stopSignal().then((name) => controller.abort(new OperatorError(`Stopped by ${name}.`)));
  return controller.signal;
}
