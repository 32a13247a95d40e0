/** The part of negotiator 1 that the service uses. `@types/negotiator` describes version 0.6. */
declare module 'negotiator' {
  export class Negotiator {
    constructor(request: import('node:http').IncomingMessage);
    /**
     * Selects the content codings that the client accepts, in the order of their weights.
     *
     * @param available the codings to select from
     * @param options the order of codings with equal weights
     */
    encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
  }
}
