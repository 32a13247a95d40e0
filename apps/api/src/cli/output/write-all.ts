import type { Writable } from 'node:stream';
import type { CliContext } from '../support/cli-context.js';
import { explainOutputError } from './explain-output-error.js';

/**
 * Writes a text and resolves once the stream has passed it on, so that a slow reader slows the writer down.
 *
 * @throws the stream's error, such as `EPIPE` when its reader has gone away
 */
export function writeAll(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.write(text, (error) => {
      // The stream emits the error after this call; without a listener it would end the process.
      if (error) return reject(error);
      stream.off('error', reject);
      resolve();
    });
  });
}

/**
 * Writes a command's result to standard output, and resolves once it is written.
 *
 * @throws {OperatorError} when it cannot be written, unless its reader has gone away: `EPIPE`
 */
export async function writeResult({ output }: Pick<CliContext, 'output'>, text: string): Promise<void> {
  await writeAll(output, text).catch((error) => {
    throw explainOutputError(error);
  });
}
