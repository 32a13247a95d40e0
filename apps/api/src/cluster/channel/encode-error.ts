import type { ErrorName } from '@plant-store/contract/errors';
import { messageOf } from '../../errors/message-of.js';
import { OperatorError } from '../../errors/operator-error.js';
import { ServiceError } from '../../errors/service-error.js';

/** An error as it is sent to another process, without what only this process can use. */
export interface EncodedError {
  readonly message: string;
  readonly stack?: string | undefined;
  /** Present for a `ServiceError`. */
  readonly service?: { readonly errorName: ErrorName; readonly headers: Readonly<Record<string, string>> };
  /** Present for an `OperatorError`. */
  readonly exitCode?: 1 | 2;
  readonly cause?: EncodedError;
}

/** Encodes anything that was thrown. */
export function encodeError(error: unknown): EncodedError {
  if (!(error instanceof Error)) return { message: messageOf(error) };
  return {
    message: error.message,
    stack: error.stack,
    ...(error instanceof ServiceError && { service: { errorName: error.errorName, headers: error.headers } }),
    ...(error instanceof OperatorError && { exitCode: error.exitCode }),
    ...(error.cause !== undefined && { cause: encodeError(error.cause) }),
  };
}

/** The error again: a `ServiceError` or an `OperatorError` if it was one, otherwise an `Error` with its message and stack. */
export function decodeError({ message, stack, service, exitCode, cause }: EncodedError): Error {
  const options = cause === undefined ? {} : { cause: decodeError(cause) };
  const error =
    service !== undefined
      ? new ServiceError(service.errorName, message, { ...options, headers: service.headers })
      : exitCode !== undefined
        ? new OperatorError(message, { ...options, exitCode })
        : new Error(message, options);
  if (stack !== undefined) error.stack = stack;
  return error;
}
