import type { Operations } from '@plant-store/contract/operations';
import type { Reply } from './read-reply.js';

/** The part of `fetch` that the client uses. The global `fetch` is compatible. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Returns an access token. It can fetch the token from elsewhere. */
export type TokenSource = () => string | Promise<string>;

/** A request that is about to be sent. */
export interface RequestEvent {
  /** The name of the operation, such as `createPlant`. */
  readonly operation: string;
  /** 1 for the first attempt, 2 for the first retry, and so on. */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  /** The headers to send, without the access token. A hook can add headers, such as `traceparent`. */
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

/** The options of calls. Each call can override any of them. */
export interface CallOptions {
  /**
   * The absolute http(s) URL of the service, with or without a path prefix and a trailing slash. In a browser, it can be a path on the
   * page's origin, such as `/api` or ''.
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * The access token, or a function that returns it. Each call calls the function, and calls it again after a 401. Calls that begin while
   * its promise is pending share the promise. The client does not cache the token after that.
   */
  readonly token?: string | TokenSource | undefined;
  /** The maximum time for a call, including all attempts and delays, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum time for one attempt, in milliseconds. Default: 10,000. */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * How many times a request is retried after a failed connection, an attempt that timed out, or the status 408, 425, 429, 500, 502, 503,
   * or 504. Only requests that are safe to retry are retried, such as those of `createPlant`. Default: 2.
   */
  readonly retries?: number | undefined;
  /** Sends the requests. Default: the global `fetch` at the time of each call. */
  readonly fetch?: Fetch | undefined;
  /** Additional headers for each request. The headers of a call are added to those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called and awaited before each attempt. If it throws, the call rejects with that error. `timeoutMs` and `signal` end the wait. */
  readonly onRequest?: Hook<RequestEvent> | undefined;
  /** Called and awaited after each attempt, once its response has been read. Otherwise like `onRequest`. */
  readonly onResponse?: Hook<ResponseEvent> | undefined;
  /**
   * Called and awaited before a call returns a reply, for example to compare the reply with a schema. If it throws, the call rejects with
   * an `UnexpectedResponseError` with that error as `cause`. The body of a 204 and of a 304 is `undefined`.
   */
  readonly validate?: Validate | undefined;
  /** More options for `fetch`, such as `credentials`, `cache`, or `keepalive`. */
  readonly fetchOptions?: Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'> | undefined;
  /** Aborts the call immediately, which then rejects with the signal's `reason`. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of a client, which must include the URL of the service and the access token. */
export interface ClientOptions extends CallOptions {
  readonly baseUrl: string | URL;
  readonly token: string | TokenSource;
}
