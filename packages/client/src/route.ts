/** What a client needs to know about an operation at run time. */
export interface Route {
  readonly method: string;
  /** The path below the base address, with parameters as `:name`. */
  readonly path: string;
  /** The statuses that the operation declares. */
  readonly statuses: readonly number[];
  /** Whether a retried request has the effect of a single one. Default: by its method (RFC 9110, section 9.2.2). */
  readonly idempotent?: boolean;
}
