import type { CallOptions } from '../options.js';
import { parseBaseUrl } from '../request/parse-base-url.js';
import { createTokens, type Tokens } from '../request/tokens.js';
import type { Fetch } from '../retry/exchange.js';
import type { TsRestOptions } from '../ts-rest-options.js';

/** The options of a client, with the tokens that its calls share. */
export interface Defaults extends CallOptions {
  /** As `parseBaseUrl` returns it. */
  readonly baseUrl: string;
  readonly tokens: Tokens;
}

/** The options of one call, with their defaults. */
export interface ResolvedOptions
  extends Required<Pick<CallOptions, 'timeoutMs' | 'attemptTimeoutMs' | 'retries' | 'fetch'>>,
    Pick<CallOptions, 'onRequest' | 'onResponse'> {
  readonly baseUrl: string;
  readonly tokens: Tokens;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetchOptions: TsRestOptions['fetchOptions'];
  readonly signal: AbortSignal | undefined;
}

const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** The options of a call: its own, then those of the client, then the defaults. */
export function resolveOptions(defaults: Defaults, request: CallOptions & TsRestOptions): ResolvedOptions {
  const { token, extraHeaders, fetchOptions, overrideClientOptions } = request;
  const baseUrl = request.baseUrl ?? overrideClientOptions?.baseUrl;
  return {
    timeoutMs: 30_000,
    attemptTimeoutMs: 10_000,
    retries: 2,
    fetch: globalFetch,
    ...defaults,
    ...request,
    baseUrl: baseUrl === undefined ? defaults.baseUrl : parseBaseUrl(baseUrl),
    tokens: token === undefined ? defaults.tokens : createTokens(token),
    headers: lowerNames({ ...defaults.headers, ...extraHeaders, ...request.headers }),
    fetchOptions,
    signal: request.signal ?? fetchOptions?.signal ?? defaults.signal,
  };
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
