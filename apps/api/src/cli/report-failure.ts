import { CommanderError } from 'commander';
import { OperatorError } from '../errors/operator-error.js';
import type { CliContext } from './cli-context.js';

/** Prints why a command failed, and returns its exit status. Commander has printed its own errors already. */
export function reportFailure(error: unknown, context: Pick<CliContext, 'message'>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    void context.message(`plant-store: ${error.message}`);
    return error.exitCode;
  }
  // The reader of the result has read enough, as `head` does.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 1;
  void context.message(
    `plant-store: unexpected error\n${error instanceof Error ? error.stack : String(error)}`,
  );
  return 1;
}
