/** Options of a call under the names that ts-rest's client has for them, so that code can move over as it stands. */
export interface TsRestOptions {
  /** The same as `headers`. */
  readonly extraHeaders?: Readonly<Record<string, string>>;
  /** Further options for `fetch`, such as `signal` and `credentials`. */
  readonly fetchOptions?: Omit<RequestInit, 'method' | 'headers' | 'body'>;
  /** Options of the client that differ for this call. */
  readonly overrideClientOptions?: { readonly baseUrl?: string | URL };
}
