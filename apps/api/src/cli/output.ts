import { fstatSync, readSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { OperatorError } from '../errors/operator-error.js';
import type { CliContext } from './cli-context.js';

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

/** The error to report when standard output fails. `EPIPE` stays as it is: a reader that has gone away is no error; see `main.ts`. */
export function explainOutputError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  return new OperatorError(`Standard output cannot be written: ${error.message}`, { cause: error });
}

/**
 * Requires that standard output was open at the start of the process.
 *
 * Where it was not (`>&-`), Node.js has opened `/dev/null` in its place, so every write succeeds. It opens it for reading,
 * too, which a shell does not for `> /dev/null`. A program that starts this one without an output may do the same as
 * Node.js; nobody gets the result there either.
 *
 * @throws {OperatorError} when it was not
 */
export function requireOpenOutput(descriptor: number): void {
  if (!isNullDevice(descriptor) || !isReadable(descriptor)) return;
  throw new OperatorError(
    'Standard output is closed, so the result would be lost. Send it to a file or to a program; to discard it, use > /dev/null.',
  );
}

/** Windows has no such file, and Node.js opens none there. */
function isNullDevice(descriptor: number): boolean {
  const nullDevice = statSync('/dev/null', { throwIfNoEntry: false });
  const output = fstatSync(descriptor);
  return output.isCharacterDevice() && output.rdev === nullDevice?.rdev;
}

/** Only for a file on which a read does not wait. */
function isReadable(descriptor: number): boolean {
  try {
    readSync(descriptor, Buffer.alloc(1));
    return true;
  } catch {
    return false;
  }
}
