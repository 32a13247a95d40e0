import { decodeError, type EncodedError, encodeError } from './encode-error.js';

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

/** The end of a connection that keeps the order of its messages, such as that of `process` to the process that forked it. */
export interface Port {
  /** Sends a value that can be cloned (HTML, "structured clone"), such as a bigint; `false` if the connection has ended. */
  send(messages: readonly Message[]): boolean;
  onMessages(listener: (messages: readonly Message[]) => void): void;
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

/**
 * Connects two processes.
 *
 * @param local what the other process may call
 */
export function createChannel<
  Remote extends { readonly [Name in keyof Remote]: (argument: never) => unknown },
>(port: Port, local: Calls): Channel<Remote> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastCall = 0;
  let closedBy: Error | undefined;
  let outgoing: Message[] = [];

  function send(message: Message): void {
    outgoing.push(message);
    if (outgoing.length === 1) queueMicrotask(flush);
  }

  function flush(): void {
    const messages = outgoing;
    outgoing = [];
    if (!port.send(messages)) close(new Error('The other process has ended'));
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

  port.onMessages((messages) => {
    for (const message of messages) receive(message);
  });
  return {
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        if (closedBy !== undefined) {
          reject(closedBy);
          return;
        }
        waiting.set(++lastCall, { resolve: resolve as (value: unknown) => void, reject });
        send(['call', lastCall, name, argument]);
      }),
    close,
  };
}
