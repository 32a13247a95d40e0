import type { Fetch } from './retry/exchange.js';

/** Gives an access token; it may fetch one from elsewhere. */
export type TokenSource = () => string | Promise<string>;

/** What a request is about, before it is sent. */
export interface RequestEvent {
  /** The name of the operation, such as `createPlant`. */
  readonly operation: string;
  /** 1 for the first attempt, 2 for the first repetition, and so on. */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  /** The headers that will be sent, but for the access token; a hook may add to them, such as `traceparent`. */
  readonly headers: Record<string, string>;
}

/** What became of a request: a response, whatever it says, or an error. */
export interface ResponseEvent extends Omit<RequestEvent, 'headers'> {
  /** The time from the request to here, in milliseconds. */
  readonly durationMs: number;
  readonly response: Response | undefined;
  readonly error: unknown;
}

/** How calls are made; each call may change any of them for itself. */
export interface CallOptions {
  /** The absolute http(s) address of the service, with or without a path prefix and a slash at its end. */
  readonly baseUrl?: string | URL;
  /**
   * The access token, or a function that gives it: called at the first request, and again, once, when a request is
   * answered with 401. Calls that run at the same time share what it gives.
   */
  readonly token?: string | TokenSource;
  /** How long a call may take, all attempts and pauses together, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** How long one attempt may take, in milliseconds. Default: 10,000. */
  readonly attemptTimeoutMs?: number;
  /**
   * How often a request is repeated after a failed connection, an attempt that took too long, and the statuses 408,
   * 425, 429, 500, 502, 503 and 504; only where repeating is safe, as it is for `createPlant`. Default: 2.
   */
  readonly retries?: number;
  /** Sends the requests. Default: the global `fetch`, looked up at each request. */
  readonly fetch?: Fetch;
  /** Further headers of each request; those of a call are added to those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before each attempt. What it throws ends the call. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Called after each attempt, once its response is read. What it throws ends the call. */
  readonly onResponse?: (event: ResponseEvent) => void;
  /** Ends the call at once, which then rejects with the signal's `reason`. */
  readonly signal?: AbortSignal;
}

/** Where the service is, and as whom and how to call it. */
export interface ClientOptions extends CallOptions {
  readonly baseUrl: string | URL;
  readonly token: string | TokenSource;
}
