import { fstatSync, readSync, statSync } from 'node:fs';
import { OperatorError } from '../../errors/operator-error.js';

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
