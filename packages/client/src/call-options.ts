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
  extends Required<Pick<CallOptions, 'timeoutMs' | 'attemptTimeoutMs' | 'retries' | 'fetch'>>,
    Pick<CallOptions & TsRestOptions, 'onRequest' | 'onResponse' | 'fetchOptions'> {
  readonly baseUrl: string;
  readonly tokens: Tokens;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
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
    timeoutMs: 30_000,
    attemptTimeoutMs: 10_000,
    retries: 2,
    fetch: globalThis.fetch,
    ...omitAbsent(defaults),
    ...omitAbsent(request),
    baseUrl: baseUrl === undefined ? defaults.baseUrl : parseBaseUrl(baseUrl),
    tokens: request.token === undefined ? defaults.tokens : createTokens(request.token),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    signal: request.signal ?? request.fetchOptions?.signal ?? defaults.signal,
  };
}

function omitAbsent<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null)) as Options;
}
