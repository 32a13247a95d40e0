import type { Operations } from '@plant-store/contract/operations';
import type { Reply } from './read-reply.js';

/** The part of `fetch` that the client uses; the global `fetch` is one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Returns an access token; it may fetch one from elsewhere. */
export type TokenSource = () => string | Promise<string>;

/** A request that is about to be sent. */
export interface RequestEvent {
  /** The name of the operation, such as `createPlant`. */
  readonly operation: string;
  /** 1 for the first attempt, 2 for the first retry, and so on. */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  /** The headers to be sent, without the access token; a hook may add some, such as `traceparent`. */
  readonly headers: Record<string, string>;
}

/** The outcome of a request: a response with any status, or an error. */
export interface ResponseEvent extends Omit<RequestEvent, 'headers'> {
  /** The time since the request was sent, in milliseconds. */
  readonly durationMs: number;
  readonly response: Response | undefined;
  readonly error: unknown;
}

/** Observes an event. The client waits for a returned promise. */
export type Hook<Event> = ((event: Event) => void) | ((event: Event) => Promise<void>);

/** Checks a reply of an operation, and throws if it is not valid. */
export type Validate =
  | ((operation: keyof Operations, reply: Reply) => void)
  | ((operation: keyof Operations, reply: Reply) => Promise<void>);

/** How calls are made; each call may override any of these. */
export interface CallOptions {
  /**
   * The absolute http(s) URL of the service, with or without a path prefix and a trailing slash. On a page also a path of its
   * own origin, such as `/api`, or ''.
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * The access token, or a function that returns it. Each call asks the function, and once more after a 401. Calls that
   * begin while a promise of the function is pending share it. Nothing is kept after that.
   */
  readonly token?: string | TokenSource | undefined;
  /** How long a call may take, including all attempts and delays, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How long one attempt may take, in milliseconds. Default: 10,000. */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * How often a request is retried after a failed connection, an attempt that timed out, and the statuses 408, 425,
   * 429, 500, 502, 503 and 504; only where a retry is safe, as it is for `createPlant`. Default: 2.
   */
  readonly retries?: number | undefined;
  /** Sends the requests. Default: the global `fetch`, looked up at each call. */
  readonly fetch?: Fetch | undefined;
  /** Additional headers for each request; those of a call are added to those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called and awaited before each attempt. What it throws ends the call. `timeoutMs` and `signal` also end it while it waits. */
  readonly onRequest?: Hook<RequestEvent> | undefined;
  /** Called and awaited after each attempt, once its response has been read. Otherwise like `onRequest`. */
  readonly onResponse?: Hook<ResponseEvent> | undefined;
  /**
   * Called and awaited before a call returns a reply, for example to compare the reply with a schema. If it throws, the
   * call rejects with an `UnexpectedResponseError`, whose `cause` is what it threw. The body of a 204 and of a 304 is `undefined`.
   */
  readonly validate?: Validate | undefined;
  /** More options for `fetch`, such as `credentials`, `cache`, or `keepalive`. */
  readonly fetchOptions?: Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'> | undefined;
  /** Aborts the call immediately, which then rejects with the signal's `reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** The URL of the service, the access token, and how calls are made. */
export interface ClientOptions extends CallOptions {
  readonly baseUrl: string | URL;
  readonly token: string | TokenSource;
}
