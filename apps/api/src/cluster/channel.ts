import type { ErrorName } from '@plant-store/contract/errors';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';

/** What one process offers another: a function for each name, with one argument. */
export type Calls = { readonly [Name in string]: (argument: never) => unknown };

/** The argument of a call. */
export type ArgumentOf<Remote, Name extends keyof Remote> = Remote[Name] extends (
  argument: infer Argument,
) => unknown
  ? Argument
  : never;

/** What a call resolves to. */
export type ResultOf<Remote, Name extends keyof Remote> = Remote[Name] extends (
  argument: never,
) => infer Result
  ? Awaited<Result>
  : never;

/** The end of a connection between a process and the one that has forked it: Node.js types both alike. */
export interface MessageEnd {
  readonly connected?: boolean | undefined;
  send?(messages: readonly Message[], onSent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A call, its result, or its error. Calls are numbered by their sender. */
export type Message =
  | readonly ['call', number, string, unknown]
  | readonly ['result', number, unknown]
  | readonly ['error', number, EncodedError];

/** Calls to another process. */
export interface Channel<Remote> {
  /**
   * Calls a function of the other process. All calls of one turn of the event loop are sent as one message.
   *
   * @throws what the function throws; a `ServiceError` or `OperatorError` stays one
   * @throws the error of `close`, once the other process has ended
   */
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: ArgumentOf<Remote, Name>,
  ): Promise<ResultOf<Remote, Name>>;
  /** Rejects all calls that wait for a result, and all later ones: nobody waits for a process that has ended. */
  close(error: Error): void;
}

/** How many calls that give way to others are sent as one message. */
const yieldingAtOnce = 64;

/**
 * Connects two processes by values that can be cloned (HTML, "structured clone"), such as a bigint.
 *
 * @param local what the other process may call
 * @param yielding a call that gives way to all others: as many as one message holds are sent once the system has taken those
 * before, the rest waits here. So however many strangers cause, others are not held up.
 */
export function createChannel<
  Remote extends { readonly [Name in keyof Remote]: (argument: never) => unknown },
>(end: MessageEnd, local: Calls, yielding?: keyof Remote): Channel<Remote> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastCall = 0;
  let closedBy: Error | undefined;
  let outgoing: Message[] = [];
  const outgoingYielding: Message[] = [];
  let isYieldingSent = true;

  function send(message: Message): void {
    outgoing.push(message);
    if (outgoing.length === 1) queueMicrotask(flush);
  }

  function flush(): void {
    const messages = outgoing;
    outgoing = [];
    deliver(messages);
  }

  function sendYielding(message: Message): void {
    outgoingYielding.push(message);
    if (isYieldingSent && outgoingYielding.length === 1) queueMicrotask(flushYielding);
  }

  function flushYielding(): void {
    isYieldingSent = outgoingYielding.length === 0;
    if (!isYieldingSent) deliver(outgoingYielding.splice(0, yieldingAtOnce), flushYielding);
  }

  function deliver(messages: readonly Message[], onSent = () => {}): void {
    // An error means that the process has ended, which its other listeners notice.
    if (end.connected === true && end.send !== undefined) end.send(messages, onSent);
    // Later, so that whoever knows why it has ended closes first.
    else setImmediate(close, new Error('The other process has ended'));
  }

  async function answer(call: number, name: string, argument: unknown): Promise<void> {
    try {
      const run = local[name] as ((argument: unknown) => unknown) | undefined;
      if (run === undefined) throw new Error(`This process offers no call "${name}"`);
      send(['result', call, await run(argument)]);
    } catch (error) {
      send(['error', call, encodeError(error)]);
    }
  }

  function receive(message: Message): void {
    const [kind, call, value, argument] = message;
    if (kind === 'call') {
      void answer(call, value, argument);
      return;
    }
    const caller = waiting.get(call);
    waiting.delete(call);
    if (kind === 'result') caller?.resolve(value);
    else caller?.reject(decodeError(value));
  }

  function close(error: Error): void {
    closedBy ??= error;
    for (const { reject } of waiting.values()) reject(closedBy);
    waiting.clear();
  }

  end.on('message', (messages) => {
    if (Array.isArray(messages)) for (const message of messages as readonly Message[]) receive(message);
  });
  return {
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        if (closedBy !== undefined) {
          reject(closedBy);
          return;
        }
        waiting.set(++lastCall, { resolve: resolve as (value: unknown) => void, reject });
        (name === yielding ? sendYielding : send)(['call', lastCall, name, argument]);
      }),
    close,
  };
}

/** An error as it is sent to another process, without what only this process can use. */
interface EncodedError {
  readonly message: string;
  readonly stack?: string | undefined;
  /** Present for a `ServiceError`. */
  readonly service?: { readonly errorName: ErrorName; readonly headers: Readonly<Record<string, string>> };
  /** Present for an `OperatorError`. */
  readonly exitCode?: 1 | 2;
  readonly cause?: EncodedError;
}

/** Encodes anything that was thrown. */
function encodeError(error: unknown): EncodedError {
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
function decodeError({ message, stack, service, exitCode, cause }: EncodedError): Error {
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
