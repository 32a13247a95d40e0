import type { CallOptions, Fetch } from './options.js';
import { parseBaseUrl } from './parse-base-url.js';
import { createTokens, type Tokens } from './tokens.js';

/** The options of a client, with the tokens that its calls share. */
export interface Defaults extends CallOptions {
  /** As `parseBaseUrl` returns it. */
  readonly baseUrl: string;
  readonly tokens: Tokens;
}

/** The options of one call, with their defaults. */
export interface ResolvedOptions extends Pick<CallOptions, 'onRequest' | 'onResponse' | 'fetchOptions'> {
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly retries: number;
  readonly fetch: Fetch;
  readonly baseUrl: string;
  readonly tokens: Tokens;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

/**
 * The options of a call: its own, then those of the client, then the defaults. One that is `undefined` counts as absent.
 */
export function resolveOptions(defaults: Defaults, request: CallOptions): ResolvedOptions {
  const headers = { ...defaults.headers, ...request.headers };
  return {
    timeoutMs: 30_000,
    attemptTimeoutMs: 10_000,
    retries: 2,
    fetch: globalThis.fetch,
    ...omitAbsent(defaults),
    ...omitAbsent(request),
    baseUrl: request.baseUrl === undefined ? defaults.baseUrl : parseBaseUrl(request.baseUrl),
    tokens: request.token === undefined ? defaults.tokens : createTokens(request.token),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    signal: request.signal ?? defaults.signal,
  };
}

function omitAbsent<Options extends object>(options: Options): Present<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null)) as Present<Options>;
}

type Present<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> };
