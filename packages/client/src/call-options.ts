import type { CallOptions, TsRestOptions } from './options.js';
import { parseBaseUrl } from './parse-base-url.js';
import { createTokens, type Tokens } from './tokens.js';

/** The options of a client, with the tokens that its calls share. */
export interface Defaults extends CallOptions {
  /** As `parseBaseUrl` returns it. */
  readonly baseUrl: string;
  readonly tokens: Tokens;
}

/** The options of one call, with their defaults. */
export interface ResolvedOptions
  extends Required<Pick<CallOptions, 'timeoutMs' | 'attemptTimeoutMs' | 'retries' | 'fetch'>> {
  readonly baseUrl: string;
  readonly tokens: Tokens;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetchOptions: TsRestOptions['fetchOptions'];
  readonly onRequest: CallOptions['onRequest'] | undefined;
  readonly onResponse: CallOptions['onResponse'] | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The options of a call: its own, then those of the client, then the defaults. One that is `undefined` counts as absent,
 * since the compiler accepts it unless `exactOptionalPropertyTypes` is on.
 */
export function resolveOptions(defaults: Defaults, request: CallOptions & TsRestOptions): ResolvedOptions {
  const baseUrl = request.baseUrl ?? request.overrideClientOptions?.baseUrl;
  const headers = { ...defaults.headers, ...request.extraHeaders, ...request.headers };
  return {
    baseUrl: baseUrl === undefined ? defaults.baseUrl : parseBaseUrl(baseUrl),
    tokens: request.token === undefined ? defaults.tokens : createTokens(request.token),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    fetchOptions: request.fetchOptions,
    signal: request.signal ?? request.fetchOptions?.signal ?? defaults.signal,
    timeoutMs: request.timeoutMs ?? defaults.timeoutMs ?? 30_000,
    attemptTimeoutMs: request.attemptTimeoutMs ?? defaults.attemptTimeoutMs ?? 10_000,
    retries: request.retries ?? defaults.retries ?? 2,
    fetch: request.fetch ?? defaults.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    onRequest: request.onRequest ?? defaults.onRequest,
    onResponse: request.onResponse ?? defaults.onResponse,
  };
}
