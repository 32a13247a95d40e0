import { OperatorError } from '../../errors/operator-error.js';
import type { CliContext } from './cli-context.js';

/** An abort signal for SIGTERM, SIGINT and SIGHUP; the reason is an `OperatorError` that names the signal. */
export function abortOnSignal(context: CliContext): AbortSignal {
  const controller = new AbortController();
  void context.stopSignal().then((name) => controller.abort(new OperatorError(`Stopped by ${name}.`)));
  return controller.signal;
}
