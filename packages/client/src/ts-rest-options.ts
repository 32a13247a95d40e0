/** Options of a call by the names that they have in ts-rest's client, so that code can be moved over unchanged. */
export interface TsRestOptions {
  /** The same as `headers`. */
  readonly extraHeaders?: Readonly<Record<string, string>>;
  /** Further options for `fetch`, such as `signal` and `credentials`. */
  readonly fetchOptions?: Omit<RequestInit, 'method' | 'headers' | 'body'>;
  /** Options of the client that differ for this call. */
  readonly overrideClientOptions?: { readonly baseUrl?: string | URL };
}
